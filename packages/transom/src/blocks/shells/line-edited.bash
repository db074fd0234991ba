# shellcheck shell=bash
# A bash with a line editor and the user's prompt. blocks.bash precedes it, and text-from-file.bash or
# text-from-terminal.bash follows.
#
# - PROMPT_COMMAND begins and ends with calls of ours: the first reports the end of a command before the user's own
#   commands change the status, the last restores the hooks if they have changed them.
# - The prompt mark is the end of PS1, because the line editor prints PS1 when it is ready for keys. It prints to the
#   standard error; if that is no terminal, PS1 does without and the mark comes a moment too early. So it does on a
#   terminal of one row, where the line editor scrolls sideways and leaves out a prompt that is too wide.
# - PS0 prints the begin mark of a command that a person typed. It is not used for blocks that were asked for.

# The half-typed line that a block was run in place of.
__transom_kept=
# The number that the next line gets in the history.
__transom_history_number=0
__transom_prompt_mark='\[\e]7717;$__transom_nonce_1$__transom_nonce_2;4;$?\a\]'

__transom_mark_end() {
  printf '\033]7717;%s%s;3;%s;%q\007' "$__transom_nonce_1" "$__transom_nonce_2" "$__transom_status" "$PWD" >/dev/tty
}

__transom_before_prompt() {
  local status=$?
  local -; set +aexuv
  __transom_ended "$status"
  # The call at the end of PROMPT_COMMAND sees that this one ran.
  __transom_told=2
  return "$status"
}

__transom_at_prompt() {
  local status=$?
  local -; set +aexuv
  ((__transom_told == 2)) || __transom_ended "$status"
  __transom_told=0 __transom_history_number=$HISTCMD
  unset __transom_own
  __transom_hook
  if [[ ! -t 9 || ${LINES-} == 1 ]]; then
    PS1=${PS1%"$__transom_prompt_mark"}
    printf '\033]7717;%s%s;4;%s\007' "$__transom_nonce_1" "$__transom_nonce_2" "$status" >/dev/tty
  fi
  return "$status"
}

# Restores the hooks and settings: a block may have changed them.
__transom_hook() {
  local first='{ __transom_before_prompt&&:; } >/dev/null 2>&1'
  local last='{ __transom_at_prompt&&:; } 9>&2 >/dev/null 2>&1'
  local ps0='${__transom_own-$(__transom_typed >/dev/null 2>&1)}'
  if [[ ${PROMPT_COMMAND[0]-} != "$first"* || ${PROMPT_COMMAND[${#PROMPT_COMMAND[@]}-1]-} != *"$last" ]]; then
    local each kept=()
    for each in "${PROMPT_COMMAND[@]}"; do
      each=${each//"$first"/} each=${each//"$last"/}
      [[ -z ${each//[[:space:];]/} ]] || kept+=("$each")
    done
    # PROMPT_COMMAND can be an array since bash 5.1.
    if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)); then
      PROMPT_COMMAND=("$first" "${kept[@]}" "$last")
    else
      local IFS=$'\n'
      # shellcheck disable=SC2178
      PROMPT_COMMAND="$first"$'\n'"${kept[*]}"$'\n'"$last"
    fi
  fi
  export -n PS0 PS1
  [[ ${PS1-} == *"$__transom_prompt_mark" ]] || PS1=${PS1-} PS1=${PS1//"$__transom_prompt_mark"/}$__transom_prompt_mark
  [[ ${PS0-} == *"$ps0" ]] || PS0=${PS0-}$ps0
  __transom_bind_key
  local map
  for map in emacs vi-insert vi-command; do bind -m "$map" -x '"\e[77;20~":__transom_restore'; done
}

# Bound to another key of the host: puts the half-typed line back, before what was typed since.
__transom_restore() {
  local -; set +aexuv
  READLINE_LINE=$__transom_kept$READLINE_LINE READLINE_POINT=$((${#__transom_kept} + READLINE_POINT)) __transom_kept=
}

# Reports the begin of a command that a person typed. Its text is in the history, if it is kept there.
__transom_typed() {
  local -; set +aexuv
  local line text=
  line=$(HISTTIMEFORMAT='' builtin history 1)
  [[ $line =~ ^[[:space:]]*([0-9]+)[*[:space:]][[:space:]](.*)$ &&
    ${BASH_REMATCH[1]} == "$__transom_history_number" ]] && text=${BASH_REMATCH[2]}
  printf '\033]7717;%s%s;2;%q;%q\007' "$__transom_nonce_1" "$__transom_nonce_2" "${text:0:4000}" "$PWD" >/dev/tty
}

# Bound to the key of the host: replaces the line by one that runs the next block. A half-typed line is kept.
__transom_key() {
  local options=$- head
  local -; set +aexuv
  [[ -z $READLINE_LINE ]] || __transom_kept=$READLINE_LINE
  READLINE_LINE='' READLINE_POINT=0
  __transom_fetch
  [[ -n $__transom_text ]] || return 0
  READLINE_LINE=$__transom_edited_line
  shopt -q expand_aliases || READLINE_LINE=" $__transom_evaluate" __transom_direct=0
  head=${__transom_text%%$'\n'*} __transom_text=${__transom_text#*$'\n'}
  __transom_prepare "${head::1}" "${head:1}" "$options"
  if [[ -n ${HISTCONTROL+set} ]]; then __transom_restore_history="HISTCONTROL=${HISTCONTROL@Q}"
  else __transom_restore_history='unset HISTCONTROL'
  fi
  # PS0 shows the value of __transom_own, if it has one, and calls nothing.
  HISTCONTROL=ignorespace __transom_own=
  READLINE_POINT=${#READLINE_LINE}
}
