import type { Command } from '@transom/protocol'
import { workingFolder } from '../../lib/working-folder.ts'
import { expandCommand, type CompactCommand } from './local-command.ts'
import { commandWords, parseArgv, type ParsedArgv } from './parse-argv.ts'

/** The commands of the operation table by their words, each as JSON: only the one that is asked for is read. */
export type QuickTable = Readonly<Record<string, string>>

type QuickCommand = ParsedArgv & { readonly command: Command }

/**
 * Reads a command line that starts with a command of the operation table. Null if it must be read with the whole
 * table: it asks for help, is wrong, may not be UTF-8, or takes its text from a file or standard input, which can be read only once.
 */
export function parseQuickly(
  argv: readonly string[],
  table: QuickTable,
  env: NodeJS.ProcessEnv,
): QuickCommand | null {
  if (argv.some((text) => text.includes('\ufffd'))) return null // perhaps not UTF-8
  try {
    const [first = '', second = ''] = commandWords(argv)
    const name = [`${first} ${second}`, first].find((words) => Object.hasOwn(table, words))
    if (name === undefined) return null
    const command = expandCommand(JSON.parse(table[name] ?? '') as CompactCommand) // written by the build
    const context = {
      env,
      get cwd() {
        return workingFolder()
      },
      readText: refuse,
      public: true,
    }
    const parsed = parseArgv(argv, [command], context)
    return parsed.flags.help || parsed.flags.version ? null : { ...parsed, command }
  } catch {
    return null // read again, and reported, with the whole table
  }
}

function refuse(): never {
  throw new Error('a text is read by the whole program')
}
