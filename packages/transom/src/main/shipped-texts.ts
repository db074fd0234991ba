/** The texts that the build writes beside the programs: they are functions of the command tables alone. */
import { commandTable } from '@transom/protocol'
import { bashScript, fishScript, zshScript } from '../surfaces/cli/completion-scripts.ts'
import { completionTable } from '../surfaces/cli/completion-table.ts'
import { LOCAL_COMMANDS } from '../surfaces/cli/local-commands.ts'
import { manPage } from '../surfaces/cli/man-page.ts'

/** By file name. */
export function shippedTexts(): Record<string, string> {
  const commands = [...commandTable(), ...LOCAL_COMMANDS.filter(({ hidden }) => !hidden)]
  const table = completionTable(commands)
  return {
    'transom.1': manPage(commands, 'transom'),
    'completion.bash': bashScript(table),
    'completion.zsh': zshScript(table),
    'completion.fish': fishScript(table),
  }
}
