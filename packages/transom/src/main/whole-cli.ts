/** The whole `transom` command: what cli.ts does not do itself. The command table is put in by the build. */
import { isUtf8 } from 'node:buffer'
import type { Command } from '@transom/protocol'
import { OpError, toWireError } from '@transom/protocol/errors'
import { platform } from '../platform/current-platform.ts'
import { expandCommand, type CompactCommand } from '../surfaces/cli/local-command.ts'
import { reportError, runCli } from '../surfaces/cli/run.ts'
import { cliProcess, exitWith } from './cli-process.ts'

/** Prints an error that cli.ts met. */
export { reportError }

/** As JSON: V8 reads a text faster than an object literal of that size. */
declare const COMMAND_TABLE: string

/** Runs the command line of this process and ends it. */
export async function run(): Promise<void> {
  const cli = cliProcess(readCommandTable)
  const mangled = mangledArgument(cli.argv)
  exitWith(await (mangled === null ? runCli(cli) : reportError(cli, toWireError(mangled))))
}

/** Node decodes arguments, and what is not UTF-8 becomes other characters: why a command line is refused, or null. */
function mangledArgument(argv: readonly string[]): OpError | null {
  const bytes = argv.some((text) => text.includes('\ufffd')) ? platform().ownArguments() : []
  const ownBytes = bytes.slice(bytes.length - argv.length)
  const index = ownBytes.findIndex((argument) => !isUtf8(argument))
  if (index < 0) return null
  const message = `argument ${index + 1} is not UTF-8 (read as ${JSON.stringify(argv[index])}), and cannot be passed on as it is; convert or rename it`
  return new OpError('usage', message, { argument: index + 1 })
}

export function readCommandTable(): Command[] {
  const compact = JSON.parse(COMMAND_TABLE) as CompactCommand[] // written by the build
  return compact.map(expandCommand)
}
