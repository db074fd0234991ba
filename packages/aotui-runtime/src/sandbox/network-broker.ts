import { lookup } from 'node:dns/promises'
import { mkdtempSync, rmSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AotuiError, errorText } from '../contract/aotui-error.ts'
import { judgeConnection, splitHostPort } from '../manifest/permission.ts'

const CONNECTIONS_MAX = 64 // per app; a page opens a handful
const CLAIM_MS_MAX = 10_000 // a socket file that nobody connects to is taken away

/**
 * The only way out of a strict app: the app asks for a host and a port, the broker checks the permission, resolves the
 * name itself, connects, and leaves a socket file in a folder that the app sees. The app never sends a packet.
 */
export class NetworkBroker {
  readonly dir: string
  readonly #net: readonly string[]
  readonly #servers = new Set<net.Server>()
  readonly #sockets = new Set<net.Socket>()
  #count = 0
  #openingCount = 0

  constructor(permissions: readonly string[]) {
    this.#net = permissions
    this.dir = mkdtempSync(join(tmpdir(), 'aotui-net-'))
  }

  /** The path of a socket file that is connected to the target. */
  async open(host: string, port: number): Promise<string> {
    const verdict = judgeConnection(this.#net, host, port)
    if ('missing' in verdict) throw denied(verdict.missing)
    // Each connection is two sockets, and one that is being opened will be.
    if (this.#sockets.size + this.#openingCount * 2 >= CONNECTIONS_MAX * 2) {
      throw new AotuiError('E_INTERNAL', `the app has ${CONNECTIONS_MAX} connections open already`, {
        reason: 'too_many_connections',
      })
    }
    this.#openingCount++
    try {
      const address = await this.#resolve(host, port, verdict.allowedBy)
      const outside = await this.#connect(address, port)
      return await this.#offer(outside)
    } finally {
      this.#openingCount--
    }
  }

  close(): void {
    for (const server of this.#servers) server.close()
    for (const socket of this.#sockets) socket.destroy()
    rmSync(this.dir, { recursive: true, force: true })
  }

  async #resolve(host: string, port: number, allowedBy: string): Promise<string> {
    const address = net.isIP(host) === 0 ? (await lookup(host)).address : host
    const granted = splitHostPort(allowedBy.split(':').slice(2).join(':')).host
    const namesIt = granted === host && (net.isIP(host) !== 0 || host === 'localhost')
    // A public name may be made to point inward; only a grant that says so opens this machine or its network.
    if (isInward(address) && !namesIt)
      throw denied(`net:tcp:${address.includes(':') ? `[${address}]` : address}:${port}`)
    return address
  }

  #connect(address: string, port: number): Promise<net.Socket> {
    return new Promise((resolve, reject) => {
      const socket = net.connect({ host: address, port })
      this.#track(socket)
      socket.once('connect', () => resolve(socket))
      socket.once('error', (error) =>
        reject(
          new AotuiError('E_INTERNAL', errorText(error), { reason: 'connect_failed' }, { cause: error }),
        ),
      )
    })
  }

  #offer(outside: net.Socket): Promise<string> {
    const path = join(this.dir, `${++this.#count}.sock`)
    return new Promise((resolve, reject) => {
      const server = net.createServer((inside) => {
        this.#track(inside)
        clearTimeout(unclaimed)
        this.#servers.delete(server)
        server.close()
        inside.pipe(outside).pipe(inside)
        inside.on('close', () => outside.destroy())
        outside.on('close', () => inside.destroy())
      })
      const unclaimed = setTimeout(() => {
        this.#servers.delete(server)
        server.close()
        outside.destroy()
      }, CLAIM_MS_MAX).unref()
      this.#servers.add(server)
      server.on('error', reject)
      server.listen(path, () => resolve(path))
    })
  }

  #track(socket: net.Socket): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  }
}

const INWARD = new net.BlockList()
for (const [address, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  INWARD.addSubnet(address, prefix, 'ipv4')
}
for (const [address, prefix] of [
  ['::', 96], // no address, this machine, and old forms of IPv4 addresses
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  INWARD.addSubnet(address, prefix, 'ipv6')
}

/** An IPv4 address inside an IPv6 one (`::ffff:7f00:1`) is judged by the rules for IPv4; a zone (`%lo`) is left out. */
function isInward(address: string): boolean {
  const [plain = ''] = address.split('%')
  return INWARD.check(plain, net.isIPv6(plain) ? 'ipv6' : 'ipv4')
}

function denied(permission: string): AotuiError {
  return new AotuiError('E_PERMISSION', `${permission} is not granted`, { reason: 'denied', permission })
}
