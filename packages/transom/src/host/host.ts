import { PROTOCOL_VERSION, VERSION } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { readConfig, type HomeConfig } from '../home/config.ts'
import { Home } from '../home/home.ts'
import { HomeRegistration } from '../home/home-registration.ts'
import { HomeRegistry } from '../home/home-registry.ts'
import { claimSocketPath } from '../home/socket-folder.ts'
import { clearProcessMark } from '../lib/native.ts'
import { reconcile } from '../session/reconcile.ts'
import { Sessions } from '../session/sessions.ts'
import { ChildReaper } from '../sources/pty/child-reaper.ts'
import { Keeper } from '../sources/pty/keeper.ts'
import { loadPtyBinding } from '../sources/pty/pty-binding.ts'
import { createHostMark } from '../sources/pty/process-tree.ts'
import { createHandlers } from './handlers.ts'
import { HostLock, type HostAddress } from './host-lock.ts'
import { SocketServer } from './socket-server.ts'

export interface HostOptions {
  readonly home: string
  readonly env: NodeJS.ProcessEnv
  /** The host leaves when it has had neither a session nor a connection for this long; null: as config.json says. */
  readonly idleMs: number | null
}

/** The process that owns the live sessions of one Home. */
export class Host {
  readonly address: HostAddress
  readonly #home: Home
  readonly #lock: HostLock
  readonly #config: HomeConfig
  readonly #idleMs: number
  readonly #registry: HomeRegistry
  readonly #registration: HomeRegistration
  readonly #startedAt = new Date().toISOString()
  readonly #hostMark = createHostMark()
  readonly #keeper = new Keeper(this.#hostMark)
  readonly #reaper = new ChildReaper()
  readonly #sessions: Sessions
  readonly #left: Promise<void>
  #onLeft: () => void = () => {}
  #server: SocketServer | null = null
  #idleTimer: NodeJS.Timeout | undefined
  #leaving = false

  /** Starts the host of a Home, or returns the address of the one that is there. */
  static async start(options: HostOptions): Promise<Host | HostAddress> {
    clearProcessMark()
    loadPtyBinding() // now: an upgrade may replace the files of a host that runs
    const home = Home.open(options.home)
    const lock = HostLock.acquire(home.path)
    if (!(lock instanceof HostLock)) return lock
    const config = readConfig(home)
    const socket = claimSocketPath(home.path, options.env)
    await reconcile(home, now)
    const host = new Host(home, lock, { ...options, config, address: { socket, pid: process.pid } })
    await host.#listen()
    return host
  }

  private constructor(
    home: Home,
    lock: HostLock,
    options: HostOptions & { config: HomeConfig; address: HostAddress },
  ) {
    this.#home = home
    this.#lock = lock
    this.address = options.address
    this.#config = options.config
    this.#idleMs = options.idleMs ?? options.config.host.idle_ms
    this.#registry = new HomeRegistry(options.env)
    this.#registration = new HomeRegistration(home.path, this.#registry)
    this.#left = new Promise((resolve) => (this.#onLeft = resolve))
    if (this.#keeper.pid !== undefined) this.#reaper.leave(this.#keeper.pid)
    this.#reaper.start()
    this.#sessions = new Sessions({
      home,
      reaper: this.#reaper,
      now,
      hostMark: this.#hostMark,
      onCountChange: () => this.#watchIdle(),
    })
  }

  /** Resolves when the host has left. */
  async whenLeft(): Promise<void> {
    await this.#left
  }

  /** Ends all sessions and leaves. */
  async stop(): Promise<void> {
    await this.#sessions.destroyAll()
    await this.#leave()
  }

  async #listen(): Promise<void> {
    const handlers = createHandlers(this.#home, this.#sessions, {
      config: this.#config,
      registry: this.#registry,
      registration: this.#registration,
      now,
      status: () => this.#status(),
      assertOpen: () => this.#assertOpen(),
      leave: () => setImmediate(() => void this.#leave()),
    })
    this.#server = await SocketServer.listen(this.address.socket, handlers, () => this.#watchIdle())
    this.#lock.announce(this.address)
    this.#watchIdle()
  }

  #status() {
    return {
      home: this.#home.path,
      pid: process.pid,
      version: VERSION,
      protocol: PROTOCOL_VERSION,
      socket: this.address.socket,
      started_at: this.#startedAt,
      sessions: this.#sessions.activeCount,
      connections: this.#server?.connectionCount ?? 0,
      rss_bytes: process.memoryUsage.rss(),
    }
  }

  #assertOpen(): void {
    if (this.#leaving) throw new OpError('host_stopping', 'the host is leaving; try again to start a new one')
  }

  #watchIdle(): void {
    clearTimeout(this.#idleTimer)
    const idle = this.#sessions.activeCount === 0 && (this.#server?.connectionCount ?? 0) === 0
    if (idle && !this.#leaving) this.#idleTimer = setTimeout(() => void this.#leave(), this.#idleMs)
  }

  async #leave(): Promise<void> {
    if (this.#leaving) return this.#left
    this.#leaving = true
    clearTimeout(this.#idleTimer)
    this.#lock.withdraw()
    await this.#server?.close()
    await this.#registration.close()
    this.#keeper.dismiss()
    this.#reaper.stop()
    this.#onLeft()
  }
}

/** Wall-clock time that never goes back while this process lives, whatever is done to the system's clock. */
function now(): number {
  return performance.timeOrigin + performance.now()
}
