import { isWholeCommand } from './whole-command.ts'
import { quoteForShell, type BlockText, type NonceHalves, type ShellScriptOptions } from './shell-script.ts'

/**
 * What bash reads in place of ~/.bashrc. It keeps its names apart with `__transom_`, exports nothing, and reads the
 * user's own files before it adds to PROMPT_COMMAND, PS0 and PS1.
 *
 * Why it is as it is:
 * - Marks go to /dev/tty, so that `exec >file` in the shell does not take them away.
 * - The text of a block is evaluated at the top level, not in a function, where `declare` would be local.
 * - A text that is surely whole is an alias while the line is read that runs it: bash reads it as if it were typed, and
 *   no `eval` is seen in a trace. It is one compound command, because bash 5.2 crashes when an alias is taken away that
 *   it has not read to its end, and because what is in front of the text must not be a command of its own.
 * - Others are evaluated. The begin mark is printed by the first line of what is evaluated, so that the trace of `set -x`
 *   and a DEBUG trap that announce the `eval` come before the block; the end mark by the last line, because `eval`
 *   must not fail: `set -e` and an ERR trap would take that for one failure more.
 * - `__transom_l` says that a text was prepared and has not begun: bash could not read it, and so it is evaluated.
 * - `f&&:` gives the status of f, and neither `set -e` nor an ERR trap takes it for a failure.
 * - `__transom_k` says that a block runs: 1, or 2 when it was not evaluated. Behind an `eval` it is `local -` that makes
 *   bash 5.2 take notice of `expand_aliases`.
 * - Calls have their output sent to /dev/null: what traps and traces print about them is not the block's.
 * - The end mark comes right after the block; when that is not reached (^C, a syntax error), before the next prompt.
 * - The prompt mark is part of PS1, because the line editor prints that once it is ready for keys; it prints to the
 *   standard error, and where that is no terminal, the mark is kept out of it and comes a moment too early.
 */
export function bashScript(options: ShellScriptOptions): string {
  const [first, second] = options.nonceHalves
  return `
command rm -f -- ${quoteForShell(options.scriptPath)}
if ((BASH_VERSINFO[0] > 4 || (BASH_VERSINFO[0] == 4 && BASH_VERSINFO[1] >= 4))); then
__transom_a=${first} __transom_b=${second} __transom_d=${quoteForShell(options.folder)}
${COMMON}
${options.lean ? LEAN : `${LINE_EDITED}${FROM_FILE}`}
fi
${options.lean ? '' : userFiles(options)}
if [[ -n \${__transom_a-} ]]; then
${options.lean ? 'HISTCONTROL=ignorespace; unset HISTFILE' : ''}
{ __transom_hook; } >/dev/null 2>&1
fi
`
}

/** Makes a bash that was started as a POSIX shell, to have it read $ENV, the ordinary one that was asked for. */
export function bashOutOfPosix({ ENV, HISTFILE }: Readonly<Record<string, string>>): string {
  return `set +o posix
shopt -u inherit_errexit 2>/dev/null
unset POSIXLY_CORRECT
${ENV === undefined ? 'unset ENV' : `ENV=${quoteForShell(ENV)}`}
${HISTFILE === undefined ? 'HISTFILE=~/.bash_history' : ''}
`
}

/** What is typed to run the next block, where there is no line editor to bind a key in. Its text is in a file (F). */
export const BASH_LEAN_LINE = ' __transom_run F "$__transom_u"&&__transom_go\n'

/** A terminal takes lines of 4095 characters, and what is longer would not be faster than a file. */
const SHORT_LINE_CHARS_MAX = 1000

/** The same with a short text in it, which spares two processes a file. */
export function bashShortLine(text: string): string | null {
  if (text.length > SHORT_LINE_CHARS_MAX) return null
  const headEnd = text.indexOf('\n')
  const [way, request, command] = [text.slice(0, 1), text.slice(1, headEnd), text.slice(headEnd + 1)]
  const line = ` __transom_run ${way} ${request} ${ansiQuoted(command)} "$__transom_u"&&__transom_go\n`
  return line.length > SHORT_LINE_CHARS_MAX ? null : line
}

/** A word of bash in printable ASCII, without what a terminal or the history would take for a command. */
function ansiQuoted(text: string): string {
  return `$'${text.replaceAll(/[^ -~]|['\\!]/gu, (character) => SHORT_ESCAPES[character] ?? hexEscapes(character))}'`
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  "'": String.raw`\'`,
  '\\': String.raw`\\`,
  '\n': String.raw`\n`,
  '\x1b': String.raw`\e`,
}

function hexEscapes(character: string): string {
  return [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
}

/** What the line editor shows when a block is run. */
export const BASH_EDITED_LINE = ' __transom_block'

/** Ends a block. What it is given and gives back: `$_` and PIPESTATUS as the block leaves them. */
const END = '__transom_end "${PIPESTATUS[@]}" "${_-}"'
const END_CALL = `{ ${END}&&: "$__transom_u";} >/dev/null 2>&1`
/** The same behind a text that is evaluated: nothing of `eval` itself fails then. */
const END_IN_TEXT = `if ${END};then :;fi >/dev/null 2>&1`
const EVALUATE = `{ __transom_check||:;} >/dev/null 2>&1;eval "$__transom_text";${END_CALL}`

/** A first line that says how to run it, and under which number; then the text itself. */
export function bashBlockText({ request, command, cwd }: BlockText): string {
  const folder = cwd === null ? '' : `builtin cd -- ${quoteForShell(cwd)}\n`
  return `${wayToRun(command)}${request}\n${folder}${command}`
}

/** Where aliases may be listed, our own must be gone: what begins the block within its text takes them away. */
const ASKS_FOR_ALIASES = /alias|source|eval|compgen|ALIASES|(^|[^\w-])\.(\s|$)/i
/** Commands after which bash may read the next line in another way: then it must not have read it yet. */
const CHANGES_READING = /(^|[^\w-])(alias|unalias|shopt|source|eval|\.)(\s|$)|\bset\s+[-+]\w*[ovk]/
const TURNS_TRACE_ON = /\bset\s+-\w*x/

/**
 * L, D: may be read as a whole; L, with its begin mark in front. X: only when commands are traced, because `eval` shows
 * in the trace, and all else is as well evaluated line by line. E: is evaluated. A small letter: asks for PIPESTATUS,
 * which bash is to be given back.
 */
function wayToRun(command: string): string {
  const way = wayToRead(command)
  if (command.includes('PIPESTATUS')) return way.toLowerCase()
  return way === 'D' && !ASKS_FOR_ALIASES.test(command) ? 'L' : way
}

function wayToRead(command: string): 'D' | 'X' | 'E' {
  if (!isWholeCommand(command)) return 'E'
  if (!command.trim().includes('\n')) return 'D'
  if (CHANGES_READING.test(command)) return 'E'
  return TURNS_TRACE_ON.test(command) ? 'D' : 'X'
}

/** What a bash evaluates that runs already, within another program. Its texts are typed to it. */
export function bashNestedScript([first, second]: NonceHalves): string {
  return `if [[ -n \${__transom_a-} ]]; then echo 'this bash is integrated already' >&2
elif ((BASH_VERSINFO[0] < 4 || (BASH_VERSINFO[0] == 4 && BASH_VERSINFO[1] < 4))); then
  echo 'bash 4.4 or later is needed to integrate it' >&2
elif [[ :$SHELLOPTS: != *:emacs:* && :$SHELLOPTS: != *:vi:* ]]; then
  echo 'this bash has no line editor, and cannot be integrated' >&2
else
__transom_a=${first} __transom_b=${second}
${COMMON}
${LINE_EDITED}
${FROM_TERMINAL}
{ __transom_hook; } >/dev/null 2>&1
fi
`
}

const COMMON = String.raw`
__transom_e=0 __transom_k=0 __transom_x=0 __transom_h=0 __transom_l=0 __transom_s=0 __transom_r=0
__transom_text= __transom_hc= __transom_u= __transom_p=(0)
__transom_direct=$((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 502))
__transom_form() {
  local pipe= begin
  printf -v begin '{ __transom_begin %s "$__transom_u"&&: "$__transom_u";} >/dev/null 2>&1\n' "$head"
  case $way in
    [dxe]) __transom_pipe ;;
  esac
  __transom_text=$begin$pipe$__transom_text
  case $__transom_direct$__transom_l$__transom_s$way,$1 in
    100[LDd],* | 100[Xx],*x*) builtin alias __transom_block="{ $__transom_text"$'\n''@END@;}' ;;
    *) builtin alias __transom_block='@EVALUATE@' ;;
  esac
  __transom_l=1
}
__transom_pipe() {
  local status=0 each
  for each in "\${__transom_p[@]}"; do
    pipe+=\${pipe:+|}"(exit $each)"
    ((each)) || [[ ! -o pipefail ]] && status=$each
  done
  if (((status == 0) != (__transom_e == 0))); then pipe="! $pipe"
  elif ((__transom_e)); then pipe+='&&:'
  fi
  pipe+=$'\n'
}
__transom_whole() { eval "if return 0;then $__transom_text"$'\nfi'; }
__transom_check() {
  local verbose='set[[:space:]]+-[[:alnum:]]*v|verbose'
  [[ -o posix || -o verbose || \${#__transom_text} -gt 65536 || $__transom_text =~ $verbose ]] && return
  local -; set +aexuv
  __transom_whole && __transom_text+=$'\n''@END_IN_TEXT@'
}
__transom_begin() {
  local -; set +aexuv
  [[ -z $__transom_hc ]] || eval "$__transom_hc"
  ((__transom_s)) && shopt -u expand_aliases
  builtin unalias __transom_block __transom_run __transom_go || :
  __transom_hc= __transom_k=1 __transom_text= __transom_l=0 __transom_s=0 __transom_r=$1
  printf '\033]7717;%s%s;1;%s\007' "$__transom_a" "$__transom_b" "$1" >/dev/tty
  return "$__transom_e"
}
__transom_mark_end() {
  printf '\033]7717;%s%s;3;%s;%q\007' "$__transom_a" "$__transom_b" "$__transom_e" "$PWD" >/dev/tty
}
__transom_end() {
  local s=$?
  case $__transom_k$- in
    0*) return "$__transom_e" ;;
    1* | *[aeuvx]*) local -; set +aexuv ;;
  esac
  __transom_e=$s __transom_k=0 __transom_x=1
  __transom_mark_end
  __transom_u=\${!#} __transom_p=("\${@:1:$#-1}")
  ((\${#__transom_u} < 20)) || [[ $__transom_u != *"$__transom_a"* ]] || __transom_u=
  __transom_hook
  return "$__transom_e"
}
__transom_ended() {
  if ((__transom_x)); then
    __transom_x=0
    return
  fi
  if ((__transom_k && $1 == 0)); then __transom_e=2; else __transom_e=$1; fi
  __transom_k=0 __transom_p=("$__transom_e")
  __transom_mark_end
  __transom_hook
}
`
  .replaceAll('\\${', '${')
  .replace('@END@', () => END_CALL)
  .replace('@EVALUATE@', () => EVALUATE)
  .replace('@END_IN_TEXT@', () => END_IN_TEXT)

/**
 * For a shell that nobody types at: no line editor, no prompt, no history. It is ready when a block ends, and says so
 * at once: what is typed then is kept for it. A ^C between takes that away again (130), and so it says it again. A
 * request that was begun already is not begun again: a line that seemed to be lost may be typed twice. Two aliases
 * around what is typed make it the arguments of a call whose trace nobody sees. The usual text, with no option set
 * that a function would have to undo, takes the shortest way: a call or a redirection is a tenth of what `:` takes alone.
 */
const LEAN = String.raw`
__transom_line=': "$__transom_u";} >/dev/null 2>&1'
if ((!__transom_direct)); then __transom_line+=';@EVALUATE@'
else __transom_line+=$'\n__transom_block'
fi
__transom_load() {
  case $__transom_direct$__transom_l$__transom_s$1$- in
    100L*[aeuvx]*) ;;
    100L*)
      case $2 in
        "$__transom_r") return "$__transom_e" ;;
      esac
      builtin alias __transom_block="{ $3"$'\n''@END@;}'
      __transom_k=2 __transom_r=$2
      printf '\033]7717;%s%s;1;%s\007' "$__transom_a" "$__transom_b" "$2" >/dev/tty
      return "$__transom_e"
      ;;
  esac
  local how=$- way=$1 head=$2
  local -; set +aexuv
  if [[ $way == F ]]; then
    head=
    { IFS= read -r head; IFS= read -rd '' __transom_text; } <"$__transom_d/next" || :
    way=\${head::1} head=\${head:1}
  else __transom_text=$3
  fi
  [[ -z $head || $head == "$__transom_r" ]] || __transom_form "$how"
  return "$__transom_e"
}
__transom_mark_end() {
  printf '\033]7717;%s%s;3;%s;%q\007\033]7717;%s%s;4;%s\007' "$__transom_a" "$__transom_b" "$__transom_e" "$PWD" \
    "$__transom_a" "$__transom_b" "$__transom_e" >/dev/tty
}
__transom_prompt() {
  local s=$?
  if ((__transom_x && s == __transom_e && s != 130)); then
    __transom_x=0
    return "$s"
  fi
  local -; set +aexuv
  __transom_x=0
  __transom_ended "$s"
  return "$s"
}
__transom_hook() {
  PS1= PS2= PS0=
  shopt -q expand_aliases || { shopt -s expand_aliases; __transom_s=1; }
  builtin alias __transom_run='{ __transom_load' __transom_go="$__transom_line" __transom_block=
  [[ \${PROMPT_COMMAND-} == '{ __transom_prompt&&:; } >/dev/null 2>&1' && \${#PROMPT_COMMAND[@]} == 1 ]] && return
  unset PROMPT_COMMAND
  PROMPT_COMMAND='{ __transom_prompt&&:; } >/dev/null 2>&1'
}
`
  .replaceAll('\\${', '${')
  .replace('@EVALUATE@', () => EVALUATE)
  .replace('@END@', () => END_CALL)

const LINE_EDITED = String.raw`
__transom_ps1='\[\e]7717;$__transom_a$__transom_b;4;$?\a\]'
__transom_first() { local s=$?; local -; set +aexuv; __transom_ended "$s"; __transom_x=2; return "$s"; }
__transom_last() {
  local s=$?
  local -; set +aexuv
  ((__transom_x == 2)) || __transom_ended "$s"
  __transom_x=0 __transom_h=$HISTCMD
  unset __transom_own
  __transom_hook
  if [[ ! -t 9 ]]; then
    PS1=\${PS1%"$__transom_ps1"}
    printf '\033]7717;%s%s;4;%s\007' "$__transom_a" "$__transom_b" "$s" >/dev/tty
  fi
  return "$s"
}
__transom_hook() {
  local first='{ __transom_first&&:; } >/dev/null 2>&1' last='{ __transom_last&&:; } 9>&2 >/dev/null 2>&1'
  local ps1=$__transom_ps1 ps0='\${__transom_own-$(__transom_typed >/dev/null 2>&1)}'
  if [[ \${PROMPT_COMMAND[0]-} != "$first"* || \${PROMPT_COMMAND[\${#PROMPT_COMMAND[@]}-1]-} != *"$last" ]]; then
    local each kept=()
    for each in "\${PROMPT_COMMAND[@]}"; do
      each=\${each//"$first"/} each=\${each//"$last"/}
      [[ -z \${each//[[:space:];]/} ]] || kept+=("$each")
    done
    if ((BASH_VERSINFO[0] > 5 || (BASH_VERSINFO[0] == 5 && BASH_VERSINFO[1] >= 1))); then
      PROMPT_COMMAND=("$first" "\${kept[@]}" "$last")
    else
      local IFS=$'\n'
      PROMPT_COMMAND="$first"$'\n'"\${kept[*]}"$'\n'"$last"
    fi
  fi
  export -n PS0 PS1
  [[ \${PS1-} == *"$ps1" ]] || PS1=\${PS1-} PS1=\${PS1//"$ps1"/}$ps1
  [[ \${PS0-} == *"$ps0" ]] || PS0=\${PS0-}$ps0
  __transom_keys
}
__transom_typed() {
  local -; set +aexuv
  local line=$(HISTTIMEFORMAT= builtin history 1) text=
  [[ $line =~ ^[[:space:]]*([0-9]+)[*[:space:]][[:space:]](.*)$ && \${BASH_REMATCH[1]} == "$__transom_h" ]] && text=\${BASH_REMATCH[2]}
  printf '\033]7717;%s%s;2;%q;%q\007' "$__transom_a" "$__transom_b" "\${text:0:4000}" "$PWD" >/dev/tty
}
__transom_key() {
  local how=$- head way
  local -; set +aexuv
  READLINE_LINE= READLINE_POINT=0
  __transom_fetch
  [[ -n $__transom_text ]] || return 0
  READLINE_LINE='@LINE@'
  shopt -q expand_aliases || READLINE_LINE=' @EVALUATE@' __transom_l=1
  head=\${__transom_text%%$'\n'*} __transom_text=\${__transom_text#*$'\n'}
  way=\${head::1} head=\${head:1}
  __transom_form "$how"
  if [[ -v HISTCONTROL ]]; then __transom_hc="HISTCONTROL=\${HISTCONTROL@Q}"; else __transom_hc='unset HISTCONTROL'; fi
  HISTCONTROL=ignorespace __transom_own=
  READLINE_POINT=\${#READLINE_LINE}
}
`
  .replaceAll('\\${', '${')
  .replace('@LINE@', () => BASH_EDITED_LINE)
  .replace('@EVALUATE@', () => EVALUATE)

/** The host types an Enter behind the key. */
const FROM_FILE = String.raw`
__transom_fetch() { IFS= read -rd '' __transom_text <"$__transom_d/next" || :; }
__transom_keys() {
  local map
  for map in emacs vi-insert vi-command; do
    bind -m "$map" -x '"\e[77;17~":__transom_key'
  done
}
`

/** The key is a macro: what is typed next is the text, and the Enter behind it comes from the line editor itself. */
const FROM_TERMINAL = String.raw`
__transom_fetch() {
  local n line all= saved
  __transom_text=
  saved=$(command stty -g) && command stty -echo -isig icanon -inlcr || return 0
  printf '\033]7717;%s%s;6\007' "$__transom_a" "$__transom_b" >/dev/tty
  IFS= read -r n
  while IFS= read -r line && [[ -n $line ]]; do all+=$line; done
  command stty "$saved"
  [[ \${#all} == "$n" ]] && printf -v __transom_text %b "$all"
} </dev/tty 2>/dev/null
__transom_keys() {
  local map
  for map in emacs vi-insert vi-command; do
    bind -m "$map" -x '"\e[77;18~":__transom_key'
    bind -m "$map" '"\e[77;19~":accept-line'
    bind -m "$map" '"\e[77;17~":"\e[77;18~\e[77;19~"'
  done
}
`.replaceAll('\\${', '${')

function userFiles({ login, norc, rcFile }: ShellScriptOptions): string {
  if (norc) return ''
  if (rcFile !== null) return `[[ -r ${quoteForShell(rcFile)} ]] && . ${quoteForShell(rcFile)}`
  if (!login) return '[[ -r ~/.bashrc ]] && . ~/.bashrc'
  return `[[ -r /etc/profile ]] && . /etc/profile
if [[ -r ~/.bash_profile ]]; then . ~/.bash_profile
elif [[ -r ~/.bash_login ]]; then . ~/.bash_login
elif [[ -r ~/.profile ]]; then . ~/.profile
fi`
}
