import type * as net from 'node:net'
import * as os from 'node:os'
import type { LocalPrincipal } from '@transom/protocol'
import { platform } from '../platform/current-platform.ts'

/** The process at the other end of a Unix socket; null if it is of another user than this one. */
export function localPeer(socket: net.Socket): LocalPrincipal | null {
  // An edge: Node keeps the descriptor of a socket to itself.
  const handle = (socket as unknown as { _handle: { fd: number } | null })._handle
  if (handle === null) return null // closed already
  const { uid, pid } = platform().peerCredentials(handle.fd)
  return uid === process.getuid?.() ? { kind: 'local', uid, pid, user: ownUserName() } : null
}

/** This process, as a peer of its own host. */
export function ownPrincipal(): LocalPrincipal {
  return { kind: 'local', uid: process.getuid?.() ?? -1, pid: process.pid, user: ownUserName() }
}

let userName: string | null | undefined

/** Every peer that is served has the user of this process; the user database is read once. */
function ownUserName(): string | null {
  if (userName === undefined) userName = readUserName()
  return userName
}

function readUserName(): string | null {
  try {
    return os.userInfo().username
  } catch {
    return null // a uid without an entry, as containers have
  }
}
