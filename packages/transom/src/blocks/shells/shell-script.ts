import { randomBytes } from 'node:crypto'

/** A nonce in two variables, so that a command that prints all variables does not print it. */
export type NonceHalves = readonly [string, string]

export interface BlockText {
  /** The number of the begin mark. */
  readonly request: number
  readonly command: string
  readonly cwd: string | null
}

/** What a shell's integration script is made from. */
export interface ShellScriptOptions {
  /** The script itself: it removes its file first of all, because the nonce is in it. */
  readonly scriptPath: string
  /** Where the texts of blocks are put. */
  readonly folder: string
  readonly nonceHalves: NonceHalves
  /** No line editor, no prompt of its own: for a shell without a user at the keyboard. */
  readonly lean: boolean
  readonly login: boolean
  /** Without the user's own files. */
  readonly norc: boolean
  /** A file to read in place of the user's own. */
  readonly rcFile: string | null
}

/** Values for the files of shell code, by the names that their variables have after `__transom_`; null: it is unset. */
export type ScriptValues = Readonly<Record<string, string | null>>

/** How values enter a script: as variables that are assigned before its first line. `form` is the shell's assignment. */
export function assignments(
  values: ScriptValues,
  form: (name: string, value: string) => string = (name, value) => `${name}=${quoteForShell(value)}`,
): string {
  return Object.entries(values)
    .flatMap(([name, value]) => (value === null ? [] : [`${form(`__transom_${name}`, value)}\n`]))
    .join('')
}

export function nonceValues([first, second]: NonceHalves): ScriptValues {
  return { nonce_1: first, nonce_2: second }
}

/** For bash and zsh: the script, unless the check before it has set `__transom_refusal`. */
export function unlessRefused(check: string, script: string): string {
  return `${check}if [ -n "$__transom_refusal" ]; then echo "$__transom_refusal" >&2; else\n${script}fi\nunset __transom_refusal\n`
}

/** A file of shell code whose lines can be joined. */
export function inOneLine(code: string): string {
  return code.trimEnd().replaceAll('\n', ';')
}

/** A word that every POSIX shell takes for exactly this text. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** A text as it stands between double quotes, where shells expand `$` and backticks. */
export function inDoubleQuotes(text: string): string {
  return text.replaceAll(/[$`"\\]/g, String.raw`\$&`)
}

/** An unguessable number of 128 bits. Digits only: a program may leave the terminal translating letters. */
export function createNonce(): string {
  return BigInt(`0x${randomBytes(16).toString('hex')}`)
    .toString()
    .padStart(39, '0')
}

export function halvesOf(nonce: string): NonceHalves {
  return [nonce.slice(0, 20), nonce.slice(20)]
}
