import type { BlockText, NonceHalves, ShellScriptOptions } from './shell-script.ts'
import { READ_TYPED_TEXT } from './typed-text.ts'

/** What the line editor shows when a block is run. */
export const FISH_LINE = ' eval $__transom_head;eval $__transom_text;__transom_end'

/** A word that fish takes for exactly this text. */
export function quoteForFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** What is evaluated: the begin mark comes first. */
export function fishBlockText({ request, command, cwd }: BlockText): string {
  const begin = `__transom_begin ${request}\n`
  return `${begin}${cwd === null ? '' : `cd ${quoteForFish(cwd)}\n`}${command}`
}

/** What fish reads after its own files (`--init-command`). The reasons that the bash script gives hold here, too. */
export function fishScript({ nonceHalves, folder, scriptPath }: ShellScriptOptions): string {
  return `command rm -f -- ${quoteForFish(scriptPath)}
set -g __transom_a ${nonceHalves[0]}
set -g __transom_b ${nonceHalves[1]}
set -g __transom_d ${quoteForFish(folder)}
${HOOKS}${FROM_FILE}`
}

/** What a fish evaluates that runs already, within another program. Its texts are typed to it. */
export function fishNestedScript([first, second]: NonceHalves): string {
  return `if set -q __transom_a
echo 'this fish is integrated already' >&2
else
set -g __transom_a ${first}
set -g __transom_b ${second}
${HOOKS}${FROM_TERMINAL}
end
`
}

const FROM_FILE = `function __transom_fetch
    cat $__transom_d/next 2>/dev/null
end
`

/** By a shell that reads lines: what fish itself reads from a terminal goes through its line editor. */
const FROM_TERMINAL = `function __transom_fetch
    set -l saved (command stty -g </dev/tty)
    command stty -echo -isig icanon -inlcr </dev/tty
    __transom_mark 6
    sh -c ${quoteForFish(READ_TYPED_TEXT)} </dev/tty 2>/dev/null
    command stty $saved </dev/tty
end
`

const HOOKS = String.raw`
set -g __transom_e 0
set -g __transom_k 0
set -g __transom_x 0
set -g __transom_own 0
set -g __transom_text ''
set -g __transom_head ''
function __transom_mark
    printf '\e]7717;%s%s;%s\a' $__transom_a $__transom_b "$argv[1]" >/dev/tty
end
function __transom_begin
    set -g __transom_k 1
    printf '\e]7717;%s%s;1;%s\a' $__transom_a $__transom_b $argv[1] >/dev/tty
    return $__transom_e
end
function __transom_mark_end
    __transom_mark "3;$__transom_e;"(string escape -- $PWD)
end
function __transom_end
    set -g __transom_e $status
    set -g __transom_k 0
    set -g __transom_x 1
    set -g __transom_text ''
    set -g __transom_head ''
    __transom_mark_end
    return $__transom_e
end
function __transom_preexec --on-event fish_preexec
    test $__transom_own = 1; and return
    set -l text (string sub -l 4000 -- "$argv[1]" | string collect)
    __transom_mark "2;"(string escape -- "$text")";"(string escape -- $PWD)
end
function __transom_prompt --on-event fish_prompt
    set -l s $status
    set -g __transom_own 0
    if test $__transom_x = 1
        set -g __transom_x 0
    else
        set -g __transom_e $s
        if test $__transom_k = 1 -a $s = 0
            set -g __transom_e 1
        end
        set -g __transom_k 0
        __transom_mark_end
    end
    __transom_mark "4;$__transom_e"
end
function __transom_key
    set -l text (__transom_fetch | string collect --no-trim-newlines --allow-empty)
    test -n "$text"; or return
    set -l begin (string split -m 1 -f 1 \n -- $text)
    set -l body (string replace -r '^[^\n]*\n' '' -- $text | string collect --no-trim-newlines --allow-empty)
    commandline -r -- $body
    set -g __transom_head ''
    set -g __transom_text $text
    set -g __transom_own 1
    if not commandline --is-valid
        set -g __transom_head $begin
        set -g __transom_text $body
    end
    commandline -r -- '@LINE@'
    commandline -f execute
end
for map in default insert visual
    bind -M $map \e\[77\;17~ __transom_key
end
`.replace('@LINE@', FISH_LINE)
