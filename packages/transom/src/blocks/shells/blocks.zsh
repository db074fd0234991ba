# Begins and ends blocks in zsh. text-from-file.zsh or text-from-terminal.zsh follows, and then start.zsh.
# zsh-integration.ts writes the values in front of it: __transom_nonce_1, __transom_nonce_2, __transom_folder and
# __transom_edited_line. The reasons and the marks are those of blocks.bash. In addition:
#
# - A text is an alias while zsh reads the line that runs it: it is read as if it were typed, whatever it holds, and the
#   line is short. The preexec hook, the last one of them, prints the begin mark after all of it was read.
# - A text with a syntax error is not read at all, and has no preexec: it is evaluated, with its mark in front. So is one
#   that would swallow the call that ends the block: zsh is asked for the text as it has understood it.
# - zsh prints the end-of-line mark (PROMPT_SP) before any hook runs, where it would be in the block: so we print it.

# The status of the last command, which the next one sees in $?.
typeset -g +x __transom_status=0
# 1 while a block runs.
typeset -g +x __transom_running=0
# 1 if the end of the block was reported, and the next prompt must not report it again.
typeset -g +x __transom_told=0
# What the line that runs is: 0 typed by a person, 1 ours and evaluated, 2 ours and an alias.
typeset -g +x __transom_own=0
# 1 if we print the end-of-line mark.
typeset -g +x __transom_prints_eol=0
# 1 if interactive_comments was off and is on only while our line is read.
typeset -g +x __transom_lent_comments=0
# What is evaluated: the call that prints the begin mark, unless the text has it, and the text.
typeset -g +x __transom_head=: __transom_text=
typeset -g +x __transom_hooked=
typeset -ga +x __transom_pipestatus

# What runs after a block.
typeset -g +x __transom_after='{ __transom_end $pipestatus && : } >/dev/null 2>&1'
typeset -g +x __transom_evaluate='eval "$__transom_head";eval "$__transom_text";'$__transom_after

__transom_begin() {
  emulate -L zsh; setopt no_xtrace no_err_exit no_err_return
  unalias __transom_run
  __transom_running=1
  print -rn -- $'\e]7717;'"$__transom_nonce_1$__transom_nonce_2;1;$1"$'\a' >/dev/tty
  return $__transom_status
}

__transom_mark_end() {
  print -rn -- $'\e]7717;'"$__transom_nonce_1$__transom_nonce_2;3;$__transom_status;${(q)PWD}"$'\a' >/dev/tty
}

__transom_end() {
  __transom_status=$?
  emulate -L zsh; setopt no_xtrace no_err_exit no_err_return
  __transom_running=0 __transom_told=1 __transom_text= __transom_head=: __transom_pipestatus=($argv)
  __transom_mark_end
  __transom_hook
  return $__transom_status
}

__transom_precmd() {
  local code=$?
  emulate -L zsh; setopt no_xtrace no_err_exit no_err_return
  __transom_own=0
  {
    if ((__transom_told)); then
      __transom_told=0
    else
      # A ^C before the first command of a block leaves 0.
      if ((__transom_running && code == 0)); then code=130; fi
      __transom_status=$code __transom_running=0 __transom_pipestatus=($code)
      __transom_mark_end
    fi
    __transom_hook
  } >/dev/null 2>&1
  if ((__transom_prints_eol)); then
    print -rnP -- "${PROMPT_EOL_MARK-%B%S%#%s%b}" >/dev/tty
    print -rn -- "${(l:COLUMNS-1:: :)}"$'\r '$'\r' >/dev/tty
  fi
  return $__transom_status
}

__transom_preexec() {
  if ((__transom_lent_comments)); then unsetopt interactive_comments; __transom_lent_comments=0; fi
  case $__transom_own in
    0) __transom_typed "$@" ;;
    2) eval "$__transom_head" ;;
  esac
}

# Reports the begin of a command that a person typed.
__transom_typed() {
  emulate -L zsh; setopt no_xtrace no_err_exit no_err_return
  local text=${1:-$3}
  text=${text%%$'\n'}
  print -rn -- $'\e]7717;'"$__transom_nonce_1$__transom_nonce_2;2;${(q)text[1,4000]};${(q)PWD}"$'\a' >/dev/tty 2>/dev/null
}

__transom_addhistory() {
  emulate -L zsh; setopt no_xtrace no_err_exit no_err_return
  [[ $1 != (' __transom_run'|' eval "$__transom_head"')* ]]
}

__transom_line_init() {
  print -rn -- $'\e]7717;'"$__transom_nonce_1$__transom_nonce_2;4;$__transom_status"$'\a' >/dev/tty 2>/dev/null
}

# Bound to the key of the host: replaces the line by one that runs the next block. A half-typed line comes back after it.
__transom_key() {
  local can_alias=1
  if [[ ! -o aliases || -o correct || -o correct_all || -o ignore_braces ]]; then can_alias=; fi
  __transom_take "$can_alias"
  if ((__transom_own == 2)) && [[ ! -o interactive_comments ]]; then
    __transom_lent_comments=1
    setopt interactive_comments
  fi
  if ((__transom_own)); then zle accept-line; fi
}

# Fetches the text of the next block and makes the line that runs it. Argument: 1 if the text may be an alias.
__transom_take() {
  emulate -L zsh; setopt no_xtrace no_err_exit no_err_return
  local body newline=$'\n' pipeline= REPLY
  __transom_fetch
  [[ -n $__transom_text ]] || return 0
  [[ -z $BUFFER ]] || zle push-line
  __transom_head=${__transom_text%%$newline*} body=${__transom_text#*$newline} __transom_own=1
  __transom_make_pipeline
  if [[ -n $1 ]] && { __transom_fits ' ;' || __transom_fits $newline }; then
    __transom_own=2 __transom_text=
    alias -- "__transom_run=$pipeline$body$REPLY$__transom_after"
  else
    if (($+functions[__transom_try])); then __transom_head=:; else __transom_text=$body; fi
    alias -- "__transom_run=$__transom_evaluate"
  fi
  unfunction __transom_try 2>/dev/null
  if [[ -n $1 ]]; then BUFFER=$__transom_edited_line; else BUFFER=" $__transom_evaluate"; fi
  CURSOR=$#BUFFER
}

# Whether zsh understands the text, followed by the separator in the argument, so that what ends the block is a command
# of its own. REPLY is the separator.
__transom_fits() {
  REPLY=$1
  unset 'functions[__transom_try]'
  { functions[__transom_try]=$pipeline$body$REPLY'__transom_end' } 2>/dev/null
  [[ $newline${functions[__transom_try]-} == *$newline$'\t__transom_end' ]]
}

# Sets `pipeline` to a command that leaves pipestatus and $? as the last block left them, for a text that names it.
__transom_make_pipeline() {
  local each last=0
  [[ $body == *pipestatus* && -n $__transom_pipestatus ]] || return 0
  for each in $__transom_pipestatus; do
    pipeline+=${pipeline:+|}"(exit $each)"
    last=$each
  done
  if (((last == 0) != (__transom_status == 0))); then pipeline="! $pipeline"
  elif ((__transom_status)); then pipeline+=' && :'
  fi
  pipeline+=' ;'
}

# Restores the hooks and settings: a block may have changed them.
__transom_hook() {
  local map
  [[ ${precmd_functions[1]-} == __transom_precmd ]] ||
    precmd_functions=(__transom_precmd ${precmd_functions:#__transom_precmd})
  [[ ${preexec_functions[-1]-} == __transom_preexec ]] ||
    preexec_functions=(${preexec_functions:#__transom_preexec} __transom_preexec)
  [[ ${zshaddhistory_functions[(r)__transom_addhistory]-} == __transom_addhistory ]] ||
    zshaddhistory_functions+=(__transom_addhistory)
  if [[ ${widgets[__transom_key]-} != user:__transom_key ]]; then
    zle -N __transom_key
    for map in emacs viins vicmd; do bindkey -M $map '\e[77;17~' __transom_key; done
  fi
  autoload -Uz add-zle-hook-widget
  [[ ${widgets[zle-line-init]-} == user:azhw:zle-line-init && -n $__transom_hooked ]] ||
    { add-zle-hook-widget line-init __transom_line_init && __transom_hooked=1 }
}
