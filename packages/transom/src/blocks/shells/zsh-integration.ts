import blocks from './blocks.zsh'
import canNest from './can-nest.zsh'
import {
  assignments,
  nonceValues,
  quoteForShell,
  unlessRefused,
  type BlockText,
  type NonceHalves,
  type ScriptValues,
  type ShellScriptOptions,
} from './shell-script.ts'
import start from './start.zsh'
import textFromFile from './text-from-file.zsh'
import textFromTerminal from './text-from-terminal.zsh'
import zprofile from './zprofile.zsh'
import zshenv from './zshenv.zsh'
import zshrc from './zshrc.zsh'

/** What the line editor shows when a block is run: the alias that holds its text. */
export const ZSH_LINE = ' __transom_run'

/** What is run: a call that prints the begin mark, on a line of its own, and the text. */
export function zshBlockText({ request, command, cwd }: BlockText): string {
  const begin = `{ __transom_begin ${request} && : } >/dev/null 2>&1\n`
  return `${begin}${cwd === null ? '' : `builtin cd -- ${quoteForShell(cwd)}\n`}${command}`
}

/** The files that zsh reads from ZDOTDIR. They read the user's own, with ZDOTDIR as the user has it, and then add hooks. */
export function zshScripts(
  options: ShellScriptOptions & { readonly userFolder: string | null },
): Readonly<Record<string, string>> {
  const values = notExported({
    ...nonceValues(options.nonceHalves),
    folder: options.folder,
    edited_line: ZSH_LINE,
    norc: options.norc ? '1' : '',
    zdotdir: options.userFolder,
  })
  return {
    '.zshenv': `${values}${zshenv}`,
    '.zprofile': zprofile,
    '.zshrc': `${zshrc}${blocks}${textFromFile}${start}`,
  }
}

/** What a zsh evaluates that runs already, within another program. Its texts are typed to it. */
export function zshNestedScript(nonce: NonceHalves): string {
  const values = notExported({ ...nonceValues(nonce), edited_line: ZSH_LINE })
  return unlessRefused(canNest, `${values}${blocks}${textFromTerminal}${start}`)
}

/** Also where a user's file has turned on the export of everything. */
function notExported(values: ScriptValues): string {
  return assignments(values, (name, value) => `typeset -g +x ${name}=${quoteForShell(value)}`)
}
