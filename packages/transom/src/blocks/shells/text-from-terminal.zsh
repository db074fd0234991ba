# The host types the text of a block (typed-text.ts) when it is asked for it.

__transom_fetch() {
  local length line all= saved
  __transom_text=
  {
    saved=$(command stty -g) && command stty -echo -isig icanon -inlcr || return 0
    print -rn -- $'\e]7717;'"$__transom_nonce_1$__transom_nonce_2;6"$'\a' >/dev/tty
    IFS= read -r length
    while IFS= read -r line && [[ -n $line ]]; do all+=$line; done
    command stty "$saved"
  } </dev/tty 2>/dev/null
  [[ $#all == "$length" ]] && printf -v __transom_text %b "$all"
}
