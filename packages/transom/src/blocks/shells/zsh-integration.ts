import { quoteForShell, type BlockText, type NonceHalves, type ShellScriptOptions } from './shell-script.ts'

/** What the line editor shows when a block is run. */
export const ZSH_LINE = ' __transom_run'

const END_CALL = '{ __transom_end $pipestatus && : } >/dev/null 2>&1'
const EVALUATE = `eval "$__transom_head";eval "$__transom_text";${END_CALL}`

/** What is run: a call that prints the begin mark, on a line of its own, and the text. */
export function zshBlockText({ request, command, cwd }: BlockText): string {
  const begin = `{ __transom_begin ${request} && : } >/dev/null 2>&1\n`
  return `${begin}${cwd === null ? '' : `builtin cd -- ${quoteForShell(cwd)}\n`}${command}`
}

/**
 * The files that zsh reads from ZDOTDIR. They read the user's own, with ZDOTDIR as the user has it, and then add
 * hooks. The reasons that the bash script gives hold here, too. In addition:
 * - A text is an alias while the line is read that runs it: so it is read as if it were typed, whatever it holds, and
 *   the line is short. The begin mark comes from the preexec hook, the last one of them, after all is read.
 * - A text with a syntax error is not read at all, and has no preexec: it is evaluated, with its mark in front. So is one
 *   that would swallow what ends the block: zsh is asked for the text as it has understood it.
 * - The end-of-line mark (PROMPT_SP) is printed before any hook runs, and would be in the block: the hook prints it.
 */
export function zshScripts(
  options: ShellScriptOptions & { readonly userFolder: string | null },
): Readonly<Record<string, string>> {
  const [first, second] = options.nonceHalves
  const own = quoteForShell(options.folder)
  const user = options.userFolder === null ? '"$HOME"' : quoteForShell(options.userFolder)
  const asUser = options.userFolder === null ? 'unset ZDOTDIR' : `export ZDOTDIR=${user}`
  const read = (file: string) =>
    options.norc ? '' : `${asUser}\n[[ -r ${user}/${file} ]] && . ${user}/${file}\n`
  return {
    '.zshenv': `command rm -f -- ${own}/.zshenv
typeset -g +x __transom_a=${first} __transom_b=${second} __transom_d=${own}
${read('.zshenv')}export ZDOTDIR=${own}
`,
    '.zprofile': `${read('.zprofile')}export ZDOTDIR=${own}\n`,
    '.zshrc': `[[ \${HISTFILE-} == ${own}/* ]] && HISTFILE=${user}/.zsh_history
${read('.zshrc')}${asUser}
${HOOKS}
${FROM_FILE}
${START}
`,
  }
}

/** What a zsh evaluates that runs already, within another program. Its texts are typed to it. */
export function zshNestedScript([first, second]: NonceHalves): string {
  return `if [[ -n \${__transom_a-} ]]; then echo 'this zsh is integrated already' >&2
elif [[ ! -o zle ]]; then echo 'this zsh has no line editor, and cannot be integrated' >&2
else
typeset -g +x __transom_a=${first} __transom_b=${second}
${HOOKS}
${FROM_TERMINAL}
${START}
fi
`
}

const START = `if [[ -o prompt_sp && -o prompt_cr ]]; then unsetopt prompt_sp; __transom_sp=1; fi
{ __transom_hook } >/dev/null 2>&1`

const FROM_FILE = `__transom_fetch() { { __transom_text=$(<"$__transom_d/next") } 2>/dev/null }`

const FROM_TERMINAL = String.raw`
__transom_fetch() {
  local n line all= saved
  __transom_text=
  {
    saved=$(command stty -g) && command stty -echo -isig icanon -inlcr || return 0
    print -rn -- $'\e]7717;'"$__transom_a$__transom_b;6"$'\a' >/dev/tty
    IFS= read -r n
    while IFS= read -r line && [[ -n $line ]]; do all+=$line; done
    command stty "$saved"
  } </dev/tty 2>/dev/null
  [[ $#all == "$n" ]] && printf -v __transom_text %b "$all"
}
`

const HOOKS = String.raw`
typeset -g +x __transom_e=0 __transom_k=0 __transom_x=0 __transom_own=0 __transom_sp=0 __transom_c=0 __transom_text= __transom_head=:
typeset -ga +x __transom_p
__transom_begin() {
  emulate -L zsh; setopt no_xtrace no_err_exit no_err_return
  unalias __transom_run
  __transom_k=1
  print -rn -- $'\e]7717;'"$__transom_a$__transom_b;1;$1"$'\a' >/dev/tty
  return $__transom_e
}
__transom_mark_end() {
  print -rn -- $'\e]7717;'"$__transom_a$__transom_b;3;$__transom_e;\${(q)PWD}"$'\a' >/dev/tty
}
__transom_end() {
  __transom_e=$?
  emulate -L zsh; setopt no_xtrace no_err_exit no_err_return
  __transom_k=0 __transom_x=1 __transom_text= __transom_head=: __transom_p=($argv)
  __transom_mark_end
  __transom_hook
  return $__transom_e
}
__transom_precmd() {
  local s=$?
  emulate -L zsh; setopt no_xtrace no_err_exit no_err_return
  __transom_own=0
  {
    if ((__transom_x)); then
      __transom_x=0
    else
      if ((__transom_k && s == 0)); then s=130; fi # a ^C before its first command
      __transom_e=$s __transom_k=0 __transom_p=($s)
      __transom_mark_end
    fi
    __transom_hook
  } >/dev/null 2>&1
  if ((__transom_sp)); then
    print -rnP -- "\${PROMPT_EOL_MARK-%B%S%#%s%b}" >/dev/tty
    print -rn -- "\${(l:COLUMNS-1:: :)}"$'\r '$'\r' >/dev/tty
  fi
  return $__transom_e
}
__transom_preexec() {
  if ((__transom_c)); then unsetopt interactive_comments; __transom_c=0; fi
  case $__transom_own in
    0) __transom_typed "$@" ;;
    2) eval "$__transom_head" ;;
  esac
}
__transom_typed() {
  emulate -L zsh; setopt no_xtrace no_err_exit no_err_return
  local text=\${1:-$3}
  text=\${text%%$'\n'}
  print -rn -- $'\e]7717;'"$__transom_a$__transom_b;2;\${(q)text[1,4000]};\${(q)PWD}"$'\a' >/dev/tty 2>/dev/null
}
__transom_addhistory() {
  emulate -L zsh; setopt no_xtrace no_err_exit no_err_return
  [[ $1 != (' __transom_run'|' eval "$__transom_head"')* ]]
}
__transom_line_init() {
  print -rn -- $'\e]7717;'"$__transom_a$__transom_b;4;$__transom_e"$'\a' >/dev/tty 2>/dev/null
}
__transom_key() {
  local how=direct
  if [[ ! -o aliases || -o correct || -o correct_all || -o ignore_braces ]]; then how=; fi
  __transom_take "$how"
  if ((__transom_own == 2)) && [[ ! -o interactive_comments ]]; then
    __transom_c=1
    setopt interactive_comments
  fi
  if ((__transom_own)); then zle accept-line; fi
}
__transom_take() {
  emulate -L zsh; setopt no_xtrace no_err_exit no_err_return
  local body newline=$'\n' before= REPLY
  __transom_fetch
  [[ -n $__transom_text ]] || return 0
  [[ -z $BUFFER ]] || zle push-line
  __transom_head=\${__transom_text%%$newline*} body=\${__transom_text#*$newline} __transom_own=1
  __transom_before
  if [[ -n $1 ]] && { __transom_fits ' ;' || __transom_fits $newline }; then
    __transom_own=2 __transom_text=
    alias -- "__transom_run=$before$body$REPLY"'@END@'
  else
    if (($+functions[__transom_try])); then __transom_head=:; else __transom_text=$body; fi
    alias -- '__transom_run=@EVALUATE@'
  fi
  unfunction __transom_try 2>/dev/null
  if [[ -n $1 ]]; then BUFFER='@LINE@'; else BUFFER=' @EVALUATE@'; fi
  CURSOR=$#BUFFER
}
__transom_fits() {
  REPLY=$1
  unset 'functions[__transom_try]'
  { functions[__transom_try]=$before$body$REPLY'__transom_end' } 2>/dev/null
  [[ $newline\${functions[__transom_try]-} == *$newline$'\t__transom_end' ]]
}
__transom_before() {
  local each last=0
  [[ $body == *pipestatus* && -n $__transom_p ]] || return 0
  for each in $__transom_p; do
    before+=\${before:+|}"(exit $each)"
    last=$each
  done
  if (((last == 0) != (__transom_e == 0))); then before="! $before"
  elif ((__transom_e)); then before+=' && :'
  fi
  before+=' ;'
}
__transom_hook() {
  local map
  [[ \${precmd_functions[1]-} == __transom_precmd ]] ||
    precmd_functions=(__transom_precmd \${precmd_functions:#__transom_precmd})
  [[ \${preexec_functions[-1]-} == __transom_preexec ]] ||
    preexec_functions=(\${preexec_functions:#__transom_preexec} __transom_preexec)
  [[ \${zshaddhistory_functions[(r)__transom_addhistory]-} == __transom_addhistory ]] ||
    zshaddhistory_functions+=(__transom_addhistory)
  if [[ \${widgets[__transom_key]-} != user:__transom_key ]]; then
    zle -N __transom_key
    for map in emacs viins vicmd; do bindkey -M $map '\e[77;17~' __transom_key; done
  fi
  autoload -Uz add-zle-hook-widget
  [[ \${widgets[zle-line-init]-} == user:azhw:zle-line-init && -n $__transom_hooked ]] ||
    { add-zle-hook-widget line-init __transom_line_init && __transom_hooked=1 }
}
typeset -g +x __transom_hooked=
`
  .replaceAll('\\${', '${')
  .replace('@END@', () => END_CALL)
  .replaceAll('@EVALUATE@', () => EVALUATE)
  .replace('@LINE@', () => ZSH_LINE)
