import {
  RpcPeer,
  type Client,
  type RpcService,
  type ServedReport,
  type ServedRequest,
  type Transport,
} from '@transom/client'
import {
  AWI_FEATURES,
  AWI_METHODS,
  OPERATIONS,
  isOperationName,
  type AwiAsk,
  type LocalPrincipal,
  type TabledAwiMethod,
} from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import type { RequestId } from '@transom/protocol/jsonrpc'
import { AgentEvents } from './agent-events.ts'

/** Snapshots that one connection may take: this many at once, and as many each second. */
const SNAPSHOTS_PER_SECOND = 200
/** The method of the notifications that `subscribe_events` starts. */
export const EVENT_METHOD = 'event'

/** Reports what happens on connections, for `--debug`. */
export interface AgentObserver {
  opened(peer: LocalPrincipal): number
  request(request: {
    connection: number
    id: RequestId | null
    method: string
    durationMs: number
    error: string | null
  }): void
  closed(connection: number): void
}

export interface AgentConnectionOptions {
  readonly peer: LocalPrincipal
  /** A connection of its own to the host, as this peer. */
  readonly host: Client
  /** The web session that is served. */
  readonly session: string
  readonly observer: AgentObserver
}

/** Serves the methods of the AWI-TTY specification to one client, by operations on a web session. */
export class AgentConnection implements RpcService {
  readonly name = 'browser'
  readonly inFlightMax = 64
  readonly #options: AgentConnectionOptions
  readonly #number: number
  readonly #peer: RpcPeer
  #events: AgentEvents | null = null
  #snapshotsLeft = SNAPSHOTS_PER_SECOND
  #countedMs = performance.now()

  constructor(transport: Transport, options: AgentConnectionOptions) {
    this.#options = options
    const { observer, host } = options
    this.#number = observer.opened(options.peer)
    this.#peer = new RpcPeer(transport, {
      service: this,
      closedError: () => new OpError('cancelled', 'the caller left'),
      closed: () => {
        this.#events?.close()
        host.close() // with it ends what this client waits for and follows
        observer.closed(this.#number)
      },
    })
  }

  /** A client that has ended its own direction may still want its events. */
  staysOpen(): boolean {
    return this.#events !== null
  }

  served({ request: { id, method }, durationMs, error }: ServedReport): void {
    this.#options.observer.request({ connection: this.#number, id, method, durationMs, error })
  }

  async serve({ method: name, params, signal }: ServedRequest): Promise<object> {
    const method = AWI_METHODS.get(name)
    if (method === undefined) {
      const message = `no method is named ${JSON.stringify(name.slice(0, 100))}; get_capabilities lists those that there are`
      throw new OpError('unknown_operation', message, { method: name.slice(0, 100) })
    }
    if (name === 'snapshot') this.#countSnapshot()
    const checked = method.params.safeParse(params ?? {})
    if (!checked.success) {
      const problems = checked.error.issues.map(
        ({ path, message }) => `${path.join('.') || 'params'}: ${message}`,
      )
      throw new OpError('usage', `${name}: ${problems.join('; ')}`, { method: name, problems })
    }
    return method.serve(checked.data, this.#ask(method, signal))
  }

  #ask({ operation }: TabledAwiMethod, signal: AbortSignal): AwiAsk {
    const { session } = this.#options
    const other = async (asked: string, params: object = {}) => this.#request(asked, params, signal)
    return {
      session,
      features: AWI_FEATURES,
      own: async (params) => other(operation, params),
      other,
      follow: async () => this.#follow(),
    }
  }

  async #request(operation: string, params: object, signal: AbortSignal): Promise<unknown> {
    const { host, session } = this.#options
    const isOfSession = isOperationName(operation) && 'session' in OPERATIONS[operation].params.shape
    const asked = isOfSession ? { session, ...params } : params
    return host.request(operation, asked, { signal }).catch((error: unknown) => {
      throw lostBrowser(error) ?? error
    })
  }

  async #follow(): Promise<void> {
    if (this.#events !== null) return
    const { host, session } = this.#options
    const state = await host.call('web.state', { session, max_wait_ms: 0 })
    // A client that does not read its events misses some; it never slows the page.
    const notify = (event: object) => this.#peer.backedUp || this.#peer.notify(EVENT_METHOD, event)
    const events = new AgentEvents(state, notify)
    this.#events = events
    await host.subscribe({ session, to: 'events', full_rate: true }, (message) => {
      if (message.type === 'records') for (const record of message.records) events.take(record)
    })
  }

  /** A bucket that refills: a client that polls without a pause takes the browser's time from the others. */
  #countSnapshot(): void {
    const now = performance.now()
    const refill = ((now - this.#countedMs) / 1000) * SNAPSHOTS_PER_SECOND
    this.#snapshotsLeft = Math.min(SNAPSHOTS_PER_SECOND, this.#snapshotsLeft + refill)
    this.#countedMs = now
    if (this.#snapshotsLeft < 1) {
      const message = `more than ${SNAPSHOTS_PER_SECOND} snapshots a second on one connection; wait_for and subscribe_events tell of changes`
      throw new OpError('rate_limited', message, { per_second: SNAPSHOTS_PER_SECOND })
    }
    this.#snapshotsLeft--
  }
}

/** To a client of this protocol, a failed session is a browser that has ended. */
function lostBrowser(error: unknown): OpError | null {
  if (!(error instanceof OpError) || error.code !== 'session_ended') return null
  const { failure } = error.details
  return typeof failure === 'string' ? new OpError('browser_failed', failure, {}, { cause: error }) : null
}
