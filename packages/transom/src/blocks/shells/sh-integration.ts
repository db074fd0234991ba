import blocks from './blocks.sh'
import {
  assignments,
  nonceValues,
  quoteForShell,
  type BlockText,
  type ShellScriptOptions,
} from './shell-script.ts'
import start from './start.sh'
import { isWholeCommand } from './whole-command.ts'

/** What is typed to run the next block: there is no line editor to bind a key in. */
export const SH_LINE = ' . "$__transom_folder/next";{ __transom_end&&:;} 9>&2 >/dev/null 2>&1\n'

/** Ends a block within its text: then the `.` itself does not fail with it, which `set -e` would see. */
const END_IN_TEXT = 'if __transom_end 2;then :;fi 9>&2 >/dev/null 2>&1\n'

/** What is evaluated: the begin mark comes first. */
export function shBlockText({ request, command, cwd }: BlockText): string {
  const begin = `{ __transom_begin ${request}&&:;} >/dev/null 2>&1\n`
  return `${begin}${cwd === null ? '' : `command cd -- ${quoteForShell(cwd)}\n`}${command}\n${isWholeCommand(command) ? END_IN_TEXT : ''}`
}

/**
 * What a POSIX shell reads through ENV. PS1 is set here and not inherited, so that programs do not see it in their
 * environment.
 */
export function shScript(
  options: ShellScriptOptions & { readonly userEnv: string | null; readonly prompt: string | null },
): string {
  const { userEnv, prompt } = options
  const values = assignments({
    ...nonceValues(options.nonceHalves),
    folder: options.folder,
    reads_env: userEnv === null || options.norc ? '0' : '1',
  })
  const user = [
    userEnv === null ? 'unset ENV' : `ENV=${quoteForShell(userEnv)}; export ENV`,
    ...(prompt === null ? [] : [`PS1=${quoteForShell(prompt)}`]),
  ]
  return `command rm -f -- ${quoteForShell(options.scriptPath)}\n${values}${user.join('\n')}\n${blocks}${start}`
}
