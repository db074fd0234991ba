import * as os from 'node:os'
import * as path from 'node:path'

/** The Home to use: `--home`, then TRANSOM_HOME, then AGENT_TTY_HOME, then ~/.transom. */
export function homePath(flag: string | undefined, env: NodeJS.ProcessEnv): string {
  const chosen = [flag, env['TRANSOM_HOME'], env['AGENT_TTY_HOME']].find(
    (value) => value !== undefined && value !== '',
  )
  return path.resolve(chosen ?? path.join(os.homedir(), '.transom'))
}
