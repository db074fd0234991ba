import * as fs from 'node:fs'
import * as path from 'node:path'
import { OpError } from '@transom/protocol/errors'

/**
 * The agent socket to talk to: what was named, else `AWI_SOCK`, else the first default that is there. The default
 * folders are checked before anything is sent: in /tmp, another user may have made the folder first.
 */
export function findAgentSocket(named: string | undefined, env: NodeJS.ProcessEnv): string {
  const given = named ?? (env['AWI_SOCK'] || undefined)
  if (given !== undefined) return given
  const candidates = defaultAgentSockets(env)
  const found = candidates.find((candidate) => fs.existsSync(candidate))
  if (found === undefined) throw noBrowser(candidates)
  checkFolder(path.dirname(found))
  return found
}

/** Where a browser's agent socket is by default, best first. */
export function defaultAgentSockets(env: NodeJS.ProcessEnv): string[] {
  const runtime = env['XDG_RUNTIME_DIR']
  const uid = process.getuid?.() ?? 0
  return [
    ...(runtime !== undefined && path.isAbsolute(runtime) ? [path.join(runtime, 'carbonyl/agent.sock')] : []),
    `/tmp/carbonyl-${uid}/agent.sock`,
  ]
}

export function noBrowser(sockets: readonly string[]): OpError {
  const message = `no browser listens at ${sockets.join(' or ')}; start one with "awi-tty open URL --agent-socket PATH", or name its socket with --socket or AWI_SOCK`
  return new OpError('host_unavailable', message, { sockets })
}

function checkFolder(folder: string): void {
  const stat = fs.lstatSync(folder)
  const isOwn = stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0
  if (isOwn) return
  const message = `${folder} is not a folder of yours alone, so that its socket may be anybody's; remove it, or name the right socket with --socket or AWI_SOCK`
  throw new OpError('socket_untrusted', message, { folder })
}
