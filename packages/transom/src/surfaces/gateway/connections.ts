import type { Socket } from 'node:net'
import { OpError } from '@transom/protocol/errors'
import type { Platform } from '../../platform/platform.ts'

export interface ConnectionLimits {
  /** All that may be open. */
  readonly connectionsMax: number
  /** Those that one token may have. */
  readonly connectionsPerTokenMax: number
}

interface Connection {
  readonly socket: Socket
  /** The id of the token that it was first used with; null while no valid one has come. */
  token: string | null
}

/** At each shortage a part goes at once: who is connected is read from the kernel once for all of them. */
const EVICTED_PART = 1 / 8

/**
 * The connections of a gateway. A new one takes the place of another that has shown no valid token: of the user, or
 * else the address, that has most of these, the oldest. So connections without a token are never in the way of those
 * with one, and other users are in their own way first.
 */
export class Connections {
  readonly #limits: ConnectionLimits
  readonly #peerUids: Platform['localPeerUids']
  /** In the order of their arrival. */
  readonly #open = new Map<Key, Connection>()
  readonly #perToken = new Map<string, number>()

  constructor(limits: ConnectionLimits, peerUids: Platform['localPeerUids']) {
    this.#limits = limits
    this.#peerUids = peerUids
  }

  /** Takes a connection that has just been accepted, or closes it if every other has a token. */
  add(socket: Socket): void {
    const key = keyOf(socket)
    if (this.#open.get(key)?.socket === socket) return // its request is read again, without a declined upgrade
    if (this.#open.size >= this.#limits.connectionsMax) this.#evict(socket.localPort ?? 0)
    if (this.#open.size >= this.#limits.connectionsMax) {
      socket.destroy()
      return
    }
    const connection = { socket, token: null }
    this.#open.set(key, connection)
    socket.once('close', () => this.#remove(key, connection))
  }

  /** A request with a valid token has come: its connection stays. Throws `too_many_requests`. */
  keep(socket: Socket, token: string): void {
    const connection = this.#open.get(keyOf(socket))
    if (connection === undefined || connection.token !== null) return
    const count = this.#perToken.get(token) ?? 0
    const max = this.#limits.connectionsPerTokenMax
    if (count >= max) {
      const message = `${max} connections with this token are open; use them again, or close some`
      throw new OpError('too_many_requests', message, { connections: max })
    }
    connection.token = token
    this.#perToken.set(token, count + 1)
  }

  #evict(ownPort: number): void {
    const groups = this.#groupsWithoutToken(ownPort)
    let left = Math.ceil(this.#limits.connectionsMax * EVICTED_PART)
    for (; left > 0 && groups.size > 0; left--) {
      const [name, largest] = [...groups].reduce((a, b) => (b[1].length > a[1].length ? b : a))
      const [oldest] = largest.splice(0, 1)
      if (oldest !== undefined) this.#remove(oldest.key, oldest.connection) // its own event comes later
      oldest?.connection.socket.destroy()
      if (largest.length === 0) groups.delete(name)
    }
  }

  #groupsWithoutToken(ownPort: number): Map<string, { key: Key; connection: Connection }[]> {
    const uids = this.#peerUids(ownPort)
    const groups = new Map<string, { key: Key; connection: Connection }[]>()
    for (const [key, connection] of this.#open) {
      if (connection.token !== null) continue
      const { remoteAddress = '', remotePort } = connection.socket
      const address = remoteAddress.replace(/^::ffff:/, '')
      const uid = uids.get(`${address}:${remotePort}`)
      const name = uid === undefined ? address : `user ${uid}`
      const group = groups.get(name)
      if (group === undefined) groups.set(name, [{ key, connection }])
      else group.push({ key, connection })
    }
    return groups
  }

  #remove(key: Key, connection: Connection): void {
    if (this.#open.get(key) !== connection) return
    this.#open.delete(key)
    const { token } = connection
    if (token === null) return
    const count = (this.#perToken.get(token) ?? 0) - 1
    if (count > 0) this.#perToken.set(token, count)
    else this.#perToken.delete(token)
  }
}

type Key = string | Socket

/** The same for a TLS socket and the one beneath it. A Unix socket has no address and is its own key. */
function keyOf(socket: Socket): Key {
  const { remoteAddress, remotePort, localAddress } = socket
  return remotePort === undefined ? socket : `${remoteAddress}:${remotePort} ${localAddress}`
}
