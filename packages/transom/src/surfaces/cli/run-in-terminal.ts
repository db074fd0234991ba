import * as path from 'node:path'
import { isatty } from 'node:tty'
import { ERROR_TABLE, OpError } from '@transom/protocol/errors'
import type { LocalContext } from './local-command.ts'

/** Throws `usage` with the message unless a person sits at both ends. */
export function assertTerminal({ flags }: LocalContext, message: string): void {
  if (flags.json || !isatty(0) || !isatty(1)) throw new OpError('usage', message)
}

/** Runs another program of this package on this terminal, and returns its exit status. */
export async function runInTerminal(
  { cli }: LocalContext,
  program: string,
  args: readonly string[],
): Promise<number> {
  const script = path.join(path.dirname(cli.hostScript), program)
  const { spawn } = await import('node:child_process')
  const child = spawn(process.execPath, [script, ...args], { stdio: 'inherit', env: cli.env })
  const status = await new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null))
    child.on('close', (code) => resolve(code))
  })
  return status ?? ERROR_TABLE.internal.exit
}
