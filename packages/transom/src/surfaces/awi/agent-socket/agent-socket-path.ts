import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import * as net from 'node:net'
import * as path from 'node:path'
import { OpError } from '@transom/protocol/errors'
import { errnoOf, fileError } from '../../../lib/system-error.ts'
import { defaultAgentSockets } from '../command/socket-path.ts'

/** sun_path has 108 bytes on Linux and 104 on macOS, with a closing NUL. */
const SOCKET_PATH_BYTES_MAX = 103

/** Where an agent socket goes if its path is not named: the first default whose folder can be made. */
export function defaultAgentSocket(env: NodeJS.ProcessEnv): string {
  const [first = '', ...others] = defaultAgentSockets(env)
  return fs.existsSync(path.dirname(path.dirname(first))) ? first : (others[0] ?? first)
}

/**
 * Makes a path ready for a socket of ours: its folder exists and is this user's alone, and the socket of a dead browser
 * is removed. Anything else at the path is not ours and is refused.
 */
export async function claimAgentSocket(socketPath: string): Promise<void> {
  const bytes = Math.max(Buffer.byteLength(socketPath), Buffer.byteLength(unlistenedPath(socketPath)))
  if (bytes > SOCKET_PATH_BYTES_MAX) {
    const message = `the socket path ${socketPath} has ${bytes} bytes and the system takes ${SOCKET_PATH_BYTES_MAX}; choose a shorter one`
    throw new OpError('socket_path_too_long', message, { socket: socketPath, bytes })
  }
  const folder = path.dirname(socketPath)
  try {
    fs.mkdirSync(folder, { mode: 0o700, recursive: true })
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw fileError(error, `create the socket folder ${folder}`, { folder })
  }
  checkFolder(folder)
  const stat = fs.lstatSync(socketPath, { throwIfNoEntry: false })
  if (stat === undefined) return
  if (!stat.isSocket() || stat.uid !== ownUid()) {
    const message = `${socketPath} should be a socket of yours but is something else, perhaps planted there; remove it`
    throw new OpError('socket_untrusted', message, { socket: socketPath })
  }
  if (await isListenedTo(socketPath)) throw inUse(socketPath)
  fs.unlinkSync(socketPath)
}

export function inUse(socketPath: string): OpError {
  const message = `a browser listens at ${socketPath} already; end it, or choose another path with --agent-socket`
  return new OpError('host_busy', message, { socket: socketPath })
}

/**
 * Where a socket is made. It gets its own name once it is listened to: a client that waits for the file would
 * be refused in the moment between the two.
 */
export function unlistenedPath(socketPath: string): string {
  return path.join(path.dirname(socketPath), `.${randomBytes(4).toString('hex')}`)
}

/** A folder that others may write to lets them put another socket in our place; only the sticky bit of /tmp forbids it. */
function checkFolder(folder: string): void {
  const refuse = (why: string) => {
    const message = `the folder ${folder} of the agent socket ${why}; choose another path with --agent-socket`
    throw new OpError('socket_untrusted', message, { folder })
  }
  const stat = fs.lstatSync(folder)
  if (!stat.isDirectory()) refuse('is not a folder but a link or a file')
  const isShared = (stat.mode & 0o022) !== 0
  const isSticky = (stat.mode & 0o1000) !== 0
  if (isShared && !isSticky) refuse(`can be written to by others (mode ${(stat.mode & 0o777).toString(8)})`)
  if (!isShared && stat.uid !== ownUid() && stat.uid !== 0) refuse(`belongs to user ${stat.uid}`)
}

async function isListenedTo(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(socketPath)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

function ownUid(): number {
  return process.getuid?.() ?? -1
}
