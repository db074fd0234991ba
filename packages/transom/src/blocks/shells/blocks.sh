# shellcheck shell=sh
# Begins and ends blocks in a POSIX shell that has no line editor to bind a key in, and no hooks. start.sh follows.
# sh-integration.ts writes the values in front of it: __transom_nonce_1, __transom_nonce_2 and __transom_folder. The
# reasons and the marks are those of blocks.bash.
#
# The call after a block reports that it has ended and that the shell is ready. PS1 reports it again (mark 5), for a
# block that was interrupted. What a person types has no begin mark, and gives no block.

# The status of the last command, which the next one sees in $?.
__transom_status=0
# 1 while a block runs, 2 if it ended within its text.
__transom_running=0
__transom_esc=$(printf '\033') __transom_bel=$(printf '\007')
__transom_ps1_start='$__transom_esc]7717;$__transom_nonce_1$__transom_nonce_2;5;$((__transom_status=$?));$PWD$__transom_bel'
__transom_ps1_end='$__transom_esc]7717;$__transom_nonce_1$__transom_nonce_2;4;$?$__transom_bel'

# There are no local variables: arguments serve as such.
__transom_begin() {
  set -- "$1" "$-"
  set +aexuv
  __transom_running=1
  printf '\033]7717;%s%s;1;%s\007' "$__transom_nonce_1" "$__transom_nonce_2" "$1" >/dev/tty
  __transom_restore "$2"
  return "$__transom_status"
}

# Turns the options on again that were on in $-, the argument.
__transom_restore() {
  case $1 in *a*) set -a ;; esac
  case $1 in *e*) set -e ;; esac
  case $1 in *u*) set -u ;; esac
  case $1 in *v*) set -v ;; esac
  case $1 in *x*) set -x ;; esac
}

# Ends the block. Argument: 2 if it is called within the text, and will be called once more.
__transom_end() {
  set -- "$-" "$?" "${1-0}"
  if [ "$__transom_running" = 2 ]; then
    __transom_running=0
    return "$__transom_status"
  fi
  __transom_status=$2 __transom_running=$3
  set +aexuv
  # A prompt that goes to a file must not take the marks there.
  if [ -t 9 ]; then __transom_hook; else PS1=; fi
  printf '\033]7717;%s%s;3;%s;%s\007' "$__transom_nonce_1" "$__transom_nonce_2" "$__transom_status" "$PWD" >/dev/tty
  printf '\033]7717;%s%s;4;%s\007' "$__transom_nonce_1" "$__transom_nonce_2" "$__transom_status" >/dev/tty
  __transom_restore "$1"
  return "$__transom_status"
}

# Puts the marks into PS1 again: a block may have changed it.
__transom_hook() {
  case ${PS1-} in
    "$__transom_ps1_start"*"$__transom_ps1_end") ;;
    *) PS1=$__transom_ps1_start${PS1-}$__transom_ps1_end ;;
  esac
}
