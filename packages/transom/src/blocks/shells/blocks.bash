# shellcheck shell=bash
# Begins and ends blocks in bash 4.4 or later, with or without a line editor. lean.bash or line-edited.bash follows.
# bash-integration.ts writes the values in front of it: __transom_nonce_1, __transom_nonce_2, __transom_folder and
# __transom_edited_line.
#
# A mark is ESC ] 7717 ; nonce ; kind … BEL: 1 begins a block that was asked for, 2 one that a person typed, 3 ends one,
# 4 reports that the shell is ready for the next, 6 requests the text of a block.
#
# - Names begin with __transom_. Nothing is exported.
# - Marks go to /dev/tty, so that `exec >file` in the shell does not redirect them.
# - The text of a block runs at the top level, not in a function, where `declare` would be local.
# - A text that is known to be complete becomes an alias while bash reads the line that runs it: bash reads the text as
#   if it were typed, and no `eval` appears in a trace. It is one compound command, because bash 5.2 crashes when an
#   alias is removed that it has not read to its end, and because no command of ours may stand before the text.
# - Other texts are evaluated. The first line of what is evaluated prints the begin mark, so that the trace of `set -x`
#   and a DEBUG trap for the `eval` come before the block. The last line prints the end mark, because the `eval` itself
#   must not fail: `set -e` and an ERR trap would see one failure more.
# - `f&&:` has the status of f, and neither `set -e` nor an ERR trap takes it for a failure.
# - Calls have their output redirected to /dev/null: what traps and traces print about them is not the block's.
# - The end mark comes right after the block. If that is not reached (^C, a syntax error), it comes before the prompt.

# The status of the last command, which the next one sees in $?.
__transom_status=0
# 1 while a block runs, 2 while one runs that was not evaluated. After an `eval`, `local -` makes bash 5.2 notice that
# expand_aliases has changed.
__transom_running=0
# 1 if the end of the block was reported, and the next prompt must not report it again. (2: line-edited.bash)
__transom_told=0
# 1 if expand_aliases was off and is on only until the block begins.
__transom_lent_aliases=0
# The request that began last.
__transom_request=0
__transom_text=
# Code that restores HISTCONTROL as the user has it.
__transom_restore_history=
# `$_` and PIPESTATUS as the last block left them.
__transom_arg=
__transom_pipestatus=(0)
# Before 5.2, bash evaluates all texts.
__transom_reads_aliases=$((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 502))
# 1 if the next text may be an alias. Not if one was prepared and has not begun: bash could not read it.
__transom_direct=$__transom_reads_aliases

# What runs after a block: `__transom_end` gets PIPESTATUS and `$_` as the block left them, and `:` restores `$_`.
__transom_after='{ __transom_end "${PIPESTATUS[@]}" "${_-}"&&: "$__transom_arg";} >/dev/null 2>&1'
# The same inside a text that is evaluated: then the `eval` does not fail.
__transom_after_in_text='if __transom_end "${PIPESTATUS[@]}" "${_-}";then :;fi >/dev/null 2>&1'
# What stands after the text in an alias.
__transom_close=$'\n'"$__transom_after;}"
__transom_evaluate='{ __transom_check||:;} >/dev/null 2>&1;eval "$__transom_text";'$__transom_after

# Makes the alias __transom_block run __transom_text. Arguments: how to run it, the request, the options ($-).
#   L, D  an alias
#   X     an alias if commands are traced, because `eval` shows in a trace; else it is evaluated line by line, so that an
#         alias that one line defines is known to the next
#   E     evaluated
__transom_prepare() {
  local begin pipeline=
  printf -v begin '{ __transom_begin %s "$__transom_arg"&&: "$__transom_arg";} >/dev/null 2>&1\n' "$2"
  [[ $__transom_text != *PIPESTATUS* ]] || __transom_make_pipeline
  __transom_text=$begin$pipeline$__transom_text
  case $__transom_direct$1,$3 in
    1[LD],* | 1X,*x*) builtin alias __transom_block="{ $__transom_text$__transom_close" ;;
    *) builtin alias __transom_block="$__transom_evaluate" ;;
  esac
  __transom_direct=0
}

# Sets `pipeline` to a command that leaves PIPESTATUS and $? as the last block left them. Only a pipeline sets
# PIPESTATUS, and it takes processes: so only a text that names PIPESTATUS gets one.
__transom_make_pipeline() {
  local status=0 each
  for each in "${__transom_pipestatus[@]}"; do
    pipeline+=${pipeline:+|}"(exit $each)"
    ((each)) || [[ ! -o pipefail ]] && status=$each
  done
  if (((status == 0) != (__transom_status == 0))); then pipeline="! $pipeline"
  elif ((__transom_status)); then pipeline+='&&:'
  fi
  pipeline+=$'\n'
}

# Appends the end mark to a text that is about to be evaluated, if bash can parse the text as a whole.
__transom_check() {
  local verbose='set[[:space:]]+-[[:alnum:]]*v|verbose'
  [[ -o posix || -o verbose || ${#__transom_text} -gt 65536 || $__transom_text =~ $verbose ]] && return
  local -; set +aexuv
  __transom_parses && __transom_text+=$'\n'$__transom_after_in_text
}
# The `return` runs first, whatever the text makes of the `if`: one such as `fi >file` closes it.
__transom_parses() { eval "return 0;if :;then $__transom_text"$'\nfi'; }

__transom_begin() {
  local -; set +aexuv
  [[ -z $__transom_restore_history ]] || eval "$__transom_restore_history"
  ((__transom_lent_aliases)) && shopt -u expand_aliases
  builtin unalias __transom_block __transom_run __transom_go || :
  __transom_restore_history='' __transom_running=1 __transom_text='' __transom_lent_aliases=0
  __transom_direct=$__transom_reads_aliases __transom_request=$1
  printf '\033]7717;%s%s;1;%s\007' "$__transom_nonce_1" "$__transom_nonce_2" "$1" >/dev/tty
  return "$__transom_status"
}

__transom_end() {
  local status=$?
  case $__transom_running$- in
    0*) return "$__transom_status" ;;
    1* | *[aeuvx]*) local -; set +aexuv ;;
  esac
  __transom_status=$status __transom_running=0 __transom_told=1
  __transom_mark_end
  __transom_arg=${!#} __transom_pipestatus=("${@:1:$#-1}")
  # A trace or `set` would print it together with the rest of the nonce.
  ((${#__transom_arg} < 20)) || [[ $__transom_arg != *"$__transom_nonce_1"* ]] || __transom_arg=
  __transom_hook
  return "$__transom_status"
}

# Called before a prompt, with the status of the command before it.
__transom_ended() {
  if ((__transom_told)); then
    __transom_told=0
    return
  fi
  # A block that did not reach its end with status 0 was not parsed.
  if ((__transom_running && $1 == 0)); then __transom_status=2; else __transom_status=$1; fi
  __transom_running=0 __transom_pipestatus=("$__transom_status")
  __transom_mark_end
  __transom_hook
}
