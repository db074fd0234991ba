import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { PROTOCOL_VERSION } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { errnoOf, fileError } from '../lib/system-error.ts'

/** sun_path has 108 bytes on Linux and 104 on macOS, with a closing NUL. */
const SOCKET_PATH_BYTES_MAX = 103

/**
 * Where the host of a Home listens. In a folder that is this user's alone: the socket is what stands between
 * another user and every session. A socket that a dead host has left is removed; anything else in its place
 * is not ours and is refused. `variant` distinguishes the hosts of one Home.
 */
export function claimSocketPath(home: string, env: NodeJS.ProcessEnv, variant = ''): string {
  const socketPath = checkedSocketPath(home, env, variant)
  removeStaleSocket(socketPath)
  return socketPath
}

/** The path alone, with its folder made and checked; what is at the path is left alone. */
export function checkedSocketPath(home: string, env: NodeJS.ProcessEnv, variant = ''): string {
  const folder = socketFolder(env)
  const digest = createHash('sha256').update(home).digest('hex').slice(0, 16)
  const socketPath = path.join(folder, `${digest}-v${PROTOCOL_VERSION}${variant}.sock`)
  const bytes = Buffer.byteLength(socketPath)
  if (bytes > SOCKET_PATH_BYTES_MAX) {
    const message = `the socket path ${socketPath} has ${bytes} bytes and the system takes ${SOCKET_PATH_BYTES_MAX}; set XDG_RUNTIME_DIR (or TMPDIR) to a shorter folder`
    throw new OpError('socket_path_too_long', message, { socket: socketPath, bytes })
  }
  return socketPath
}

function socketFolder(env: NodeJS.ProcessEnv): string {
  const runtime = env['XDG_RUNTIME_DIR']
  const folder =
    runtime !== undefined && isOwnFolder(runtime)
      ? path.join(runtime, 'transom')
      : path.join(os.tmpdir(), `transom-${ownUid()}`)
  try {
    fs.mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw fileError(error, `create the socket folder ${folder}`, { folder })
  }
  checkFolder(folder)
  return folder
}

function isOwnFolder(folder: string): boolean {
  const stat = fs.statSync(folder, { throwIfNoEntry: false })
  return stat !== undefined && stat.isDirectory() && stat.uid === ownUid()
}

function checkFolder(folder: string): void {
  const stat = fs.lstatSync(folder)
  const refuse = (why: string) => {
    const message = `the socket folder ${folder} ${why}; remove it, or set XDG_RUNTIME_DIR to a folder of your own`
    throw new OpError('socket_untrusted', message, { folder })
  }
  if (!stat.isDirectory()) refuse('is not a folder but a link or a file')
  if (stat.uid !== ownUid()) refuse(`belongs to user ${stat.uid}`)
  if ((stat.mode & 0o077) !== 0) refuse(`is open to others (mode ${(stat.mode & 0o777).toString(8)})`)
}

function removeStaleSocket(socketPath: string): void {
  const stat = fs.lstatSync(socketPath, { throwIfNoEntry: false })
  if (stat === undefined) return
  if (!stat.isSocket() || stat.uid !== ownUid()) {
    const message = `${socketPath} should be a socket of yours but is something else, perhaps planted there; remove it`
    throw new OpError('socket_untrusted', message, { socket: socketPath })
  }
  fs.unlinkSync(socketPath)
}

function ownUid(): number {
  return process.getuid?.() ?? -1
}
