import type * as net from 'node:net'
import { RpcPeer, type RpcService, type ServedReport, type ServedRequest } from '@transom/client'
import { SocketTransport } from '@transom/client/unix-socket'
import { AGENT_METHODS, type AgentMethod, type LocalPrincipal } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import type { RequestId } from '@transom/protocol/jsonrpc'

const REQUEST_BYTES_MAX = 8 << 20 // a long text to paste; no request needs more
/** Snapshots that one connection may take: this many at once, and as many each second. */
const SNAPSHOTS_PER_SECOND = 200
/** What may wait in a client's socket before the next request is read. */
const UNREAD_BYTES_MAX = 4 << 20
/** The method of the notifications that `subscribe_events` starts. */
export const EVENT_METHOD = 'event'

export interface AgentCall {
  readonly principal: LocalPrincipal
  readonly method: AgentMethod
  /** Checked against the method's schema. */
  readonly params: unknown
  readonly signal: AbortSignal
  /** Sends an event to this client until it is gone. */
  readonly notify: (event: object) => void
}

/** What the methods do. */
export interface AgentService {
  call(call: AgentCall): Promise<object>
}

/** Whom a connection tells of itself, for `--debug`. */
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
  readonly service: AgentService
  readonly observer: AgentObserver
}

/** The methods of a page for one client of its agent socket, one message a line. */
export class AgentConnection implements RpcService {
  readonly name = 'browser'
  readonly inFlightMax = 64
  readonly #options: AgentConnectionOptions
  readonly #number: number
  readonly #peer: RpcPeer
  readonly #gone = new AbortController()
  #subscribed = false
  #snapshotsLeft = SNAPSHOTS_PER_SECOND
  #countedMs = performance.now()

  constructor(socket: net.Socket, options: AgentConnectionOptions) {
    this.#options = options
    const { observer } = options
    this.#number = observer.opened(options.peer)
    const transport = new SocketTransport(socket, {
      frameBytesMax: REQUEST_BYTES_MAX,
      unreadBytesMax: UNREAD_BYTES_MAX,
      halfOpen: true,
    })
    const left = new OpError('cancelled', 'the caller left')
    this.#peer = new RpcPeer(transport, {
      service: this,
      closedError: () => left,
      closed: () => {
        this.#gone.abort(left)
        observer.closed(this.#number)
      },
    })
  }

  /** A client that has ended its own direction may still want its events. */
  staysOpen(): boolean {
    return this.#subscribed
  }

  served({ request: { id, method }, durationMs, error }: ServedReport): void {
    this.#options.observer.request({ connection: this.#number, id, method, durationMs, error })
  }

  async serve({ method, params, signal }: ServedRequest): Promise<object> {
    if (!isAgentMethod(method)) {
      const message = `no method is named ${JSON.stringify(method.slice(0, 100))}; get_capabilities lists those that there are`
      throw new OpError('unknown_operation', message, { method: method.slice(0, 100) })
    }
    if (method === 'snapshot') this.#countSnapshot()
    const checked = AGENT_METHODS[method].safeParse(params ?? {})
    if (!checked.success) {
      const problems = checked.error.issues.map(
        ({ path, message }) => `${path.join('.') || 'params'}: ${message}`,
      )
      throw new OpError('usage', `${method}: ${problems.join('; ')}`, { method, problems })
    }
    if (method === 'subscribe_events') this.#subscribed = true
    const { peer, service } = this.#options
    return service.call({
      principal: peer,
      method,
      params: checked.data,
      // Events go on after the answer, until the client is gone.
      signal: method === 'subscribe_events' ? this.#gone.signal : signal,
      notify: (event) => this.#notify(event),
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

  /** A client that does not read its events misses some; it never slows the page. */
  #notify(event: object): void {
    if (!this.#peer.backedUp) this.#peer.notify(EVENT_METHOD, event)
  }
}

export function isAgentMethod(method: string): method is AgentMethod {
  return Object.hasOwn(AGENT_METHODS, method)
}
