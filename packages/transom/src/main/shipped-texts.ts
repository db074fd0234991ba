/** The texts that the build writes beside the programs: they are functions of the command tables alone. */
import { commandTable } from '@transom/protocol'
import { LOCAL_COMMANDS } from '../surfaces/cli/local-commands.ts'
import { manPage } from '../surfaces/cli/man-page.ts'

/** By file name. */
export function shippedTexts(): Record<string, string> {
  const commands = [...commandTable(), ...LOCAL_COMMANDS.filter(({ hidden }) => !hidden)]
  return { 'transom.1': manPage(commands, 'transom') }
}
