# shellcheck shell=bash
# A bash without a user at the keyboard: no line editor, no prompt, no history. blocks.bash precedes it.
#
# - It is ready when a block ends, and reports that at once: what is typed from then on waits for it. A ^C in between
#   discards that (status 130), and so it reports it again before the prompt.
# - Two aliases around what is typed make it the arguments of a call whose trace is not seen:
#   `__transom_run L 7 'text' …&&__transom_go` is `{ __transom_load L 7 'text' …&&: …;} >/dev/null 2>&1` and the text.

# The text of the alias __transom_go.
__transom_go_text=': "$__transom_arg";} >/dev/null 2>&1'
if ((!__transom_reads_aliases)); then __transom_go_text+=";$__transom_evaluate"
else __transom_go_text+=$'\n__transom_block'
fi

# Takes the text of the next block. Arguments: how to run it, the request, the text; or F: they are in a file.
# A request that has begun does not begin again: the host types a line twice that seems to be lost.
#
# The first `case` is the shortest way for the usual text (L), if no option is set that would have to be undone: one
# call, one redirection and no subshell. Without it a block takes about a tenth longer (ADR 011).
__transom_load() {
  case $__transom_direct$1$- in
    1L*[aeuvx]*) ;;
    1L*)
      case $2 in
        "$__transom_request") return "$__transom_status" ;;
      esac
      builtin alias __transom_block="{ $3$__transom_close"
      __transom_running=2 __transom_request=$2
      printf '\033]7717;%s%s;1;%s\007' "$__transom_nonce_1" "$__transom_nonce_2" "$2" >/dev/tty
      return "$__transom_status"
      ;;
  esac
  local options=$- how=$1 request=$2 head
  local -; set +aexuv
  if [[ $how == F ]]; then
    head=
    { IFS= read -r head; IFS= read -rd '' __transom_text; } <"$__transom_folder/next" || :
    how=${head::1} request=${head:1}
  else __transom_text=$3
  fi
  [[ -z $request || $request == "$__transom_request" ]] || __transom_prepare "$how" "$request" "$options"
  return "$__transom_status"
}

__transom_mark_end() {
  printf '\033]7717;%s%s;3;%s;%q\007\033]7717;%s%s;4;%s\007' \
    "$__transom_nonce_1" "$__transom_nonce_2" "$__transom_status" "$PWD" \
    "$__transom_nonce_1" "$__transom_nonce_2" "$__transom_status" >/dev/tty
}

__transom_prompt() {
  local status=$?
  if ((__transom_told && status == __transom_status && status != 130)); then
    __transom_told=0
    return "$status"
  fi
  local -; set +aexuv
  __transom_told=0
  __transom_ended "$status"
  return "$status"
}

# Restores the hooks and settings: a block may have changed them.
__transom_hook() {
  PS1='' PS2='' PS0=''
  shopt -q expand_aliases || { shopt -s expand_aliases; __transom_lent_aliases=1 __transom_direct=0; }
  builtin alias __transom_run='{ __transom_load' __transom_go="$__transom_go_text" __transom_block=''
  [[ ${PROMPT_COMMAND-} == '{ __transom_prompt&&:; } >/dev/null 2>&1' && ${#PROMPT_COMMAND[@]} == 1 ]] && return
  unset PROMPT_COMMAND
  PROMPT_COMMAND='{ __transom_prompt&&:; } >/dev/null 2>&1'
}

HISTCONTROL=ignorespace
unset HISTFILE
