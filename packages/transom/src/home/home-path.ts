import * as os from 'node:os'
import * as path from 'node:path'
import { workingFolder } from '../lib/working-folder.ts'
import { PROTOCOL_VERSION } from '@transom/protocol/version'

/** The Home to use: `--home`, then TRANSOM_HOME, then AGENT_TTY_HOME, then ~/.transom. */
export function homePath(flag: string | undefined, env: NodeJS.ProcessEnv): string {
  const chosen = [flag, env['TRANSOM_HOME'], env['AGENT_TTY_HOME']].find(
    (value) => value !== undefined && value !== '',
  )
  const home = chosen ?? path.join(os.homedir(), '.transom')
  return path.isAbsolute(home) ? path.resolve(home) : path.resolve(workingFolder(), home)
}

/** Held for the life of the host that serves a Home in this protocol; names its socket while it accepts connections. */
export const HOST_LOCK_FILE = `host-v${PROTOCOL_VERSION}.lock`
/** Held while such a host starts or leaves. */
export const HOST_STARTING_FILE = `host-v${PROTOCOL_VERSION}.starting`
/** What a host writes beside them. */
export const HOST_FILES = /^host[-.]/
