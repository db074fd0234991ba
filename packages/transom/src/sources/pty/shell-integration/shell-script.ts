/** What a shell's integration script is made from. */
export interface ShellScriptOptions {
  /** The script itself: it removes its file first of all, because the nonce is in it. */
  readonly scriptPath: string
  /** Where the texts of blocks are put. */
  readonly folder: string
  /** Kept in two variables, so that a command that prints all variables does not print the nonce. */
  readonly nonceHalves: readonly [string, string]
  /** No line editor, no prompt of its own: for a shell that nobody types at. */
  readonly lean: boolean
  readonly login: boolean
  /** Without the user's own files. */
  readonly norc: boolean
  /** A file to read in place of the user's own. */
  readonly rcFile: string | null
}

/** A word that every POSIX shell takes for exactly this text. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** A text as it stands between double quotes, where shells expand `$` and backticks. */
export function inDoubleQuotes(text: string): string {
  return text.replaceAll(/[$`"\\]/g, String.raw`\$&`)
}
