import { spawnSync } from 'node:child_process'
import { CLI } from './test-home.ts'

export const NOBODY = 65534

/** A command line that runs a command as a user who owns nothing. */
export function asNobody(command: string, ...args: string[]): string[] {
  const ids = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
  return ['setpriv', ...ids, '--', command, ...args]
}

/** Whether another user can run the programs that the tests run. */
export function nobodyCanRun(): boolean {
  const [command = '', ...args] = asNobody(process.execPath, CLI, 'version')
  return process.getuid?.() === 0 && spawnSync(command, args).status === 0
}
