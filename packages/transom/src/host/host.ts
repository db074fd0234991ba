import { Client, linkedTransports } from '@transom/client'
import { connectUnixSocket } from '@transom/client/unix-socket'
import {
  PROTOCOL_VERSION,
  VERSION,
  type LocalPrincipal,
  passedOn,
  type Params,
  type Result,
  type SessionInfo,
} from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { RESPONSE_BYTES_MAX } from '@transom/protocol/jsonrpc'
import { readConfig, type HomeConfig } from '../home/config.ts'
import { Home } from '../home/home.ts'
import { HomeRegistration } from '../home/home-registration.ts'
import { HomeRegistry } from '../home/home-registry.ts'
import { launchHost, type HostAddress } from '../home/host-launch.ts'
import { claimSocketPath } from '../home/socket-folder.ts'
import { Deferred } from '../lib/deferred.ts'
import { platform } from '../platform/current-platform.ts'
import { PicturePool } from '../evidence/picture-worker/picture-pool.ts'
import { ChildReaper } from '../platform/child-reaper.ts'
import { Keeper } from '../platform/keeper.ts'
import { createHostMark, sessionMark } from '../platform/process-tree.ts'
import type { KindRegistry } from '../session/kind-registry.ts'
import type { SessionLimits } from '../session/limits.ts'
import type { SessionTotals } from '../session/session-totals.ts'
import { Sessions } from '../session/sessions.ts'
import { DebugLog } from './debug-log.ts'
import type { RequestContext } from './dispatch.ts'
import { createOperations } from './handlers.ts'
import { Recorder } from './recorder.ts'
import { HostLock } from './host-lock.ts'
import { MemoryReturn } from './memory-return.ts'
import { RequestMetrics } from './request-metrics.ts'
import { SocketServer } from './socket-server.ts'

export interface HostOptions {
  readonly home: string
  readonly env: NodeJS.ProcessEnv
  /** The host leaves when it has had neither a session nor a connection for this long; null: as config.json says. */
  readonly idleMs: number | null
  /** For one session, beside the host that serves the Home: it takes no lock, is not announced, and ends with it. */
  readonly dedicated: boolean
  /** Keeps the Home out of the Home Registry, and has it removed if this process is killed. */
  readonly isPrivate?: boolean
  /** The program of this process, to start a dedicated host from. */
  readonly script: string
  /** The text of the program that makes recordings. */
  readonly recorderProgram: string
  /** Makes the kinds of session that this host runs. */
  readonly kinds: (services: KindServices) => HostKinds
  /** Keeps a trace of an error that made a session fail. */
  readonly reportError: (session: string, error: unknown) => void
  /** The folder with what belongs to the package and is no program. */
  readonly assets: string
}

/** What a host gives to its kinds of session. */
export interface KindServices {
  readonly home: Home
  readonly reaper: ChildReaper
  readonly now: () => number
  readonly config: HomeConfig
  /** Has a folder removed if this process is killed. */
  readonly removeLater: (folder: string) => void
}

export interface HostKinds {
  readonly registry: KindRegistry
  /** Ends what the kinds share. */
  close(): Promise<void>
}

/** Sessions count from 1: the host's own helper processes carry its mark as this one's. */
const HELPERS_ORDINAL = 0
/** How long a dedicated host lasts after the session that it was started for. */
const DEDICATED_IDLE_MS = 2_000
/** On a busy machine, the client that started a host may take this long to connect. */
const FIRST_CLIENT_MS = 10_000

/** The process that owns the live sessions of one Home. */
export class Host {
  readonly address: HostAddress
  readonly #home: Home
  readonly #lock: HostLock | null
  readonly #options: HostOptions
  readonly #config: HomeConfig
  readonly #idleMs: number
  /** Whether any client has come. */
  #wasReached = false
  #hadSessions = false
  readonly #registry: HomeRegistry
  readonly #registration: HomeRegistration
  readonly #startedAt = new Date().toISOString()
  readonly #hostMark = createHostMark()
  readonly #keeper = new Keeper(this.#hostMark)
  readonly #reaper = new ChildReaper()
  readonly #sessions: Sessions
  readonly #debugLog: DebugLog
  readonly #pictures: PicturePool
  readonly #recorder: Recorder
  readonly #kinds: HostKinds
  readonly #requests: RequestMetrics
  readonly #memory = new MemoryReturn(() => platform().returnFreedMemory())
  readonly #left: Promise<void>
  #onLeft: () => void = () => {}
  readonly #emptied = new Deferred<void>()
  #server: SocketServer | null = null
  #idleTimer: NodeJS.Timeout | undefined
  #leaving = false

  /** Starts the host of a Home, or returns the address of the one that is there. */
  static async start(options: HostOptions): Promise<Host | HostAddress> {
    platform().clearProcessMark()
    const home = Home.open(options.home)
    const lock = options.dedicated ? null : HostLock.acquire(home.path)
    if (lock !== null && !(lock instanceof HostLock)) return lock
    const config = readConfig(home)
    const variant = options.dedicated ? `-${process.pid}` : ''
    const address = { socket: claimSocketPath(home.path, options.env, variant), pid: process.pid }
    const host = new Host(home, lock, { ...options, config, address })
    await host.#sessions.list(true) // corrects what an earlier host left, before the first request
    if (options.env['TRANSOM_DEBUG'] === '1') host.#setDebug(true)
    await host.#listen()
    return host
  }

  private constructor(
    home: Home,
    lock: HostLock | null,
    options: HostOptions & { config: HomeConfig; address: HostAddress },
  ) {
    this.#home = home
    this.#lock = lock
    this.address = options.address
    this.#options = options
    this.#config = options.config
    this.#idleMs = options.dedicated ? DEDICATED_IDLE_MS : (options.idleMs ?? options.config.host.idle_ms)
    this.#registry = new HomeRegistry(options.env)
    this.#registration = new HomeRegistration(home.path, options.isPrivate === true ? null : this.#registry)
    this.#debugLog = new DebugLog(home.path)
    this.#pictures = new PicturePool(options.script)
    this.#recorder = new Recorder(options.recorderProgram, {
      reaper: this.#reaper,
      mark: sessionMark(this.#hostMark, HELPERS_ORDINAL),
      removeLater: (file) => this.#keeper.removeLater(file),
    })
    this.#requests = new RequestMetrics(this.#debugLog)
    this.#left = new Promise((resolve) => (this.#onLeft = resolve))
    if (this.#keeper.pid !== undefined) this.#reaper.leave(this.#keeper.pid)
    if (options.isPrivate === true) this.#keeper.removeLater(home.path)
    this.#reaper.start()
    this.#kinds = options.kinds({
      home,
      reaper: this.#reaper,
      now,
      config: options.config,
      removeLater: (folder) => this.#keeper.removeLater(folder),
    })
    this.#sessions = new Sessions({
      home,
      kinds: this.#kinds.registry,
      reaper: this.#reaper,
      now,
      hostMark: this.#hostMark,
      limits: limitsOf(options.config),
      segmentBytesMax: options.config.log.segment_bytes,
      socket: this.address.socket,
      onCountChange: () => this.#watchIdle(),
      onError: options.reportError,
    })
  }

  /** Resolves when the host has left. */
  async whenLeft(): Promise<void> {
    await this.#left
  }

  /** Resolves when the sessions that this host was started for have ended. */
  async whenEmpty(): Promise<void> {
    await this.#emptied.promise
  }

  /** A client in this process, for a peer that another server of it has accepted. */
  connect(peer: LocalPrincipal): Client {
    const [here, there] = linkedTransports()
    this.#server?.serve(there, peer)
    return new Client(here)
  }

  /** Ends all sessions and leaves. */
  async stop(): Promise<void> {
    await this.#sessions.destroyAll()
    await this.#leave()
  }

  async #listen(): Promise<void> {
    const operations = createOperations(this.#home, this.#sessions, {
      config: this.#config,
      pictures: this.#pictures,
      registry: this.#registry,
      registration: this.#registration,
      recorder: this.#recorder,
      assets: this.#options.assets,
      now,
      status: () => this.#status(),
      assertOpen: () => this.#assertOpen(),
      leave: () => setImmediate(() => void this.#leave()),
      createDedicated: async (params, context) => this.#createDedicated(params, context),
      setDebug: (enabled) => this.#setDebug(enabled),
    })
    this.#server = await SocketServer.listen(this.address.socket, {
      operations,
      onCountChange: () => this.#watchIdle(),
      observer: this.#requests,
    })
    this.#lock?.announce(this.address)
    this.#watchIdle()
  }

  /** Starts a host for one session and has it create that session. */
  async #createDedicated(
    params: Params<'session.create'>,
    { principal, vouchers }: RequestContext,
  ): Promise<SessionInfo> {
    const { script, env } = this.#options
    const { socket } = await launchHost({ home: this.#home.path, hostScript: script, env, dedicated: true })
    const client = new Client(await connectUnixSocket(socket, { frameBytesMax: RESPONSE_BYTES_MAX }))
    try {
      return await client.call('session.create', params, { onBehalfOf: passedOn(principal, vouchers) })
    } finally {
      client.close()
    }
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
      metrics: hostFigures(this.#sessions.totals, this.#requests.figures),
    }
  }

  #setDebug(enabled: boolean) {
    if (enabled) this.#debugLog.enable()
    else this.#debugLog.disable()
    return { enabled: this.#debugLog.enabled, path: this.#debugLog.path }
  }

  #assertOpen(): void {
    if (this.#leaving) throw new OpError('host_stopping', 'the host is leaving; try again to start a new one')
  }

  #watchIdle(): void {
    clearTimeout(this.#idleTimer)
    this.#memory.schedule()
    if (this.#hadSessions && this.#sessions.liveCount === 0) this.#emptied.resolve()
    this.#hadSessions ||= this.#sessions.liveCount > 0
    const connections = this.#server?.connectionCount ?? 0
    this.#wasReached ||= connections > 0
    const { liveCount, compression } = this.#sessions
    const idle = liveCount === 0 && connections === 0 && !compression.busy
    const idleMs = this.#wasReached ? this.#idleMs : Math.max(this.#idleMs, FIRST_CLIENT_MS)
    if (idle && !this.#leaving) this.#idleTimer = setTimeout(() => void this.#leave(), idleMs)
  }

  async #leave(): Promise<void> {
    if (this.#leaving) return this.#left
    this.#leaving = true
    clearTimeout(this.#idleTimer)
    this.#lock?.withdraw()
    this.#server?.stopListening()
    await this.#registration.close()
    await this.#recorder.close() // before the keeper goes, which would end them
    await this.#sessions.compression.close()
    this.#keeper.dismiss()
    platform().forgetHostMark(this.#hostMark)
    this.#reaper.stop()
    this.#debugLog.disable()
    await this.#pictures.close()
    await this.#kinds.close()
    this.#onLeft()
  }
}

function hostFigures(totals: SessionTotals, requests: Result<'host.status'>['metrics']['requests']) {
  return {
    sessions: [...totals.byStatus],
    events: totals.events,
    log_bytes: totals.logBytes,
    waits: totals.waits,
    subscriptions: totals.observers,
    input_queue_bytes: totals.inputQueueBytes,
    requests,
  }
}

/** What a session may take when `create` does not say. */
function limitsOf({ session, quota }: HomeConfig): SessionLimits {
  const { session_bytes: sessionBytes, home_bytes: homeBytes, policy } = quota
  return { quota: { sessionBytes, homeBytes, policy }, idleTimeoutMs: session.idle_timeout_ms }
}

/** Wall-clock time that never goes back while this process lives, whatever is done to the system's clock. */
function now(): number {
  return performance.timeOrigin + performance.now()
}
