# shellcheck shell=bash
# The host types the text of a block (typed-text.ts) when it is asked for it.

__transom_fetch() {
  local length line all='' saved
  __transom_text=
  saved=$(command stty -g) && command stty -echo -isig icanon -inlcr || return 0
  printf '\033]7717;%s%s;6\007' "$__transom_nonce_1" "$__transom_nonce_2" >/dev/tty
  IFS= read -r length
  while IFS= read -r line && [[ -n $line ]]; do all+=$line; done
  command stty "$saved"
  [[ ${#all} == "$length" ]] && printf -v __transom_text %b "$all"
} </dev/tty 2>/dev/null

# The key is a macro: what is typed next is the text, and the Enter after it comes from the line editor itself.
__transom_bind_key() {
  local map
  for map in emacs vi-insert vi-command; do
    bind -m "$map" -x '"\e[77;18~":__transom_key'
    bind -m "$map" '"\e[77;19~":accept-line'
    bind -m "$map" '"\e[77;17~":"\e[77;18~\e[77;19~"'
  done
}
