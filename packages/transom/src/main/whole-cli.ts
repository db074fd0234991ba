/** The whole `transom` command: what cli.ts does not do itself. The command table is put in by the build. */
import type { Command } from '@transom/protocol'
import { expandCommand, type CompactCommand } from '../surfaces/cli/local-command.ts'
import { runCli } from '../surfaces/cli/run.ts'
import { cliProcess, exitWith } from './cli-process.ts'

/** Prints an error that cli.ts met. */
export { reportError } from '../surfaces/cli/run.ts'

/** As JSON: V8 reads a text faster than an object literal of that size. */
declare const COMMAND_TABLE: string

/** Runs the command line of this process and ends it. */
export async function run(): Promise<void> {
  exitWith(await runCli(cliProcess(readCommandTable)))
}

export function readCommandTable(): Command[] {
  const compact = JSON.parse(COMMAND_TABLE) as CompactCommand[] // written by the build
  return compact.map(expandCommand)
}
