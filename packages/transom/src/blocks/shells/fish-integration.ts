import ask from './ask.fish'
import blocks from './blocks.fish'
import canNest from './can-nest.fish'
import {
  assignments,
  inOneLine,
  nonceValues,
  type BlockText,
  type NonceHalves,
  type ScriptValues,
  type ShellScriptOptions,
} from './shell-script.ts'
import textFromFile from './text-from-file.fish'
import textFromTerminal from './text-from-terminal.fish'
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

/** What fish reads after its own files (`--init-command`). */
export function fishScript({ nonceHalves, folder, scriptPath }: ShellScriptOptions): string {
  const values = globals({ ...nonceValues(nonceHalves), folder, edited_line: FISH_LINE })
  return `command rm -f -- ${quoteForFish(scriptPath)}\n${values}${blocks}${textFromFile}`
}

/** What a fish evaluates that runs already, within another program. Its texts are typed to it. */
export function fishNestedScript(nonce: NonceHalves): string {
  const values = globals({
    ...nonceValues(nonce),
    edited_line: FISH_LINE,
    read_typed_text: READ_TYPED_TEXT,
  })
  const script = `${values}${blocks}${textFromTerminal}`
  return `${canNest}if test -n "$__transom_refusal"\necho $__transom_refusal >&2\nelse\n${script}end\nset -e __transom_refusal\n`
}

/** The line by which a fish that runs already asks for that. */
export function fishSnippet(invitation: string): string {
  const code = ask
    .replace('INVITATION', invitation)
    .replace('READ_TYPED_TEXT', () => quoteForFish(READ_TYPED_TEXT))
  return ` ${inOneLine(code)}`
}

function globals(values: ScriptValues): string {
  return assignments(values, (name, value) => `set -g ${name} ${quoteForFish(value)}`)
}
