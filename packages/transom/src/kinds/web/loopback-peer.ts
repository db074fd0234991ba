import * as fs from 'node:fs/promises'

/** Both ends of a TCP connection on 127.0.0.1. */
export interface LoopbackConnection {
  readonly peerPort: number
  readonly ownPort: number
}

/** The kernel's tables of connections; the second has sockets that speak IPv4 through an IPv6 one. */
const TABLES = [
  { file: '/proc/net/tcp', loopback: '0100007F' },
  { file: '/proc/net/tcp6', loopback: '0000000000000000FFFF00000100007F' },
]

/**
 * The user whose process opened a connection to us over loopback. TCP has no SO_PEERCRED, but Linux lists each socket
 * with its owner. Null where the system has no such list, or the other end has gone.
 */
export async function readLoopbackPeerUid(connection: LoopbackConnection): Promise<number | null> {
  for (const { file, loopback } of TABLES) {
    const text = await fs.readFile(file, 'latin1').catch(() => '') // not Linux, or no /proc: nothing is known
    const uid = findUid(
      text,
      `${loopback}:${hexPort(connection.peerPort)} ${loopback}:${hexPort(connection.ownPort)} `,
    )
    if (uid !== null) return uid
  }
  return null
}

/** A row: `sl: local remote state queues timer retransmits uid …`; ours is the one whose local end is the peer's. */
function findUid(table: string, ends: string): number | null {
  const at = table.indexOf(ends)
  if (at < 0) return null
  const [state, , , , uid] = table
    .slice(at + ends.length, table.indexOf('\n', at))
    .trim()
    .split(/\s+/)
  const isOpen = state === '01' || state === '08' // ESTABLISHED, CLOSE_WAIT; past them the owner is no longer listed
  return isOpen && uid !== undefined && /^\d+$/.test(uid) ? Number(uid) : null
}

function hexPort(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0')
}
