/**
 * The `transom` and `agent-tty` commands. This file does what agents do thousands of times: one operation of a running
 * host, from a well-formed command line. It is small because Node compiles it before the first byte is sent; help, local
 * commands and errors are in whole-cli.ts, which is loaded on demand (ADR 043).
 */
import * as path from 'node:path'
import { toWireError } from '@transom/protocol/errors'
import { runOperation } from '../surfaces/cli/run-operation.ts'
import { parseQuickly, type QuickTable } from '../surfaces/cli/quick-parse.ts'
import { cliProcess, exitWith } from './cli-process.ts'
import type * as whole from './whole-cli.ts'

/** Put in by the build. */
declare const QUICK_TABLE: QuickTable

void main()

async function main(): Promise<void> {
  const parsed = parseQuickly(process.argv.slice(2), QUICK_TABLE, process.env)
  if (parsed === null) return wholeCli().run()
  const cli = cliProcess(() => wholeCli().readCommandTable())
  exitWith(
    await runOperation(cli, parsed.command, parsed).catch((error: unknown) =>
      wholeCli().reportError(cli, toWireError(error)),
    ),
  )
}

function wholeCli(): typeof whole {
  return require(path.join(__dirname, 'whole-cli.cjs')) as typeof whole // of this same version
}
