import {
  RpcPeer,
  type RpcService,
  type ServedReport,
  type ServedRequest,
  type Transport,
} from '@transom/client'
import {
  delegatedPrincipal,
  delegation,
  vouchersOf,
  type Delegation,
  type LocalPrincipal,
  type Principal,
} from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { SUBSCRIPTION_METHOD } from '@transom/protocol/jsonrpc'
import type { ConnectionObserver } from './debug-log.ts'
import { dispatch, type BackgroundWork, type HostOperations, type RequestContext } from './dispatch.ts'

export interface RpcConnectionOptions {
  /** The process at the other end. */
  readonly peer: LocalPrincipal
  readonly operations: HostOperations
  readonly closed: () => void
  readonly observer?: ConnectionObserver
}

/** Operations for one client over any transport. Everything that the client waits for ends with its connection. */
export class RpcConnection implements RpcService {
  readonly name = 'host'
  readonly inFlightMax = 256 // a client that pipelines more gains nothing: one host serves one at a time
  readonly #options: RpcConnectionOptions
  readonly #peer: RpcPeer
  readonly #work = new ConnectionWork()
  readonly #number: number

  constructor(transport: Transport, options: RpcConnectionOptions) {
    const { observer } = options
    this.#options = options
    this.#number = observer?.opened(options.peer) ?? 0
    this.#peer = new RpcPeer(transport, {
      service: this,
      closedError: () => new OpError('cancelled', 'the caller left'),
      closed: () => {
        this.#work.stopAll()
        observer?.closed(this.#number)
        options.closed()
      },
    })
  }

  async serve(request: ServedRequest): Promise<unknown> {
    const context = new ConnectionContext(request, this.#options.peer, this.#peer, this.#work)
    return dispatch(this.#options.operations, request.method, request.params, context)
  }

  served({ request: { id, method, params }, durationMs, error }: ServedReport): void {
    const connection = this.#number
    this.#options.observer?.request({ connection, id, operation: method, params, durationMs, error })
  }
}

class ConnectionContext implements RequestContext, BackgroundWork {
  readonly principal: Principal
  readonly vouchers: string | null
  readonly background: BackgroundWork = this
  readonly #request: ServedRequest
  readonly #peer: RpcPeer
  readonly #work: ConnectionWork

  constructor(request: ServedRequest, from: LocalPrincipal, peer: RpcPeer, work: ConnectionWork) {
    const delegated = delegationIn(request)
    this.principal = delegated === null ? from : delegatedPrincipal(from, delegated)
    this.vouchers = delegated === null ? null : vouchersOf(from, delegated)
    this.#request = request
    this.#peer = peer
    this.#work = work
  }

  get signal(): AbortSignal {
    return this.#request.signal
  }

  // Bound: handlers take these out of the context.
  readonly notify = (params: object): boolean => this.#peer.notify(SUBSCRIPTION_METHOD, params)
  readonly progress = (value: object): void => this.#request.progress(value)
  readonly drained = async (): Promise<void> => this.#peer.drained()

  start(run: Work): number {
    const { id, begin } = this.#work.add(run)
    this.#request.afterAnswer(begin) // so that no notification overtakes the answer with the number
    return id
  }

  stop(id: number): boolean {
    return this.#work.stop(id)
  }
}

/** A peer may vouch for its own callers, as the gateway does; its own identity comes from the kernel. */
function delegationIn({ onBehalfOf }: ServedRequest): Delegation | null {
  if (onBehalfOf === undefined) return null
  const parsed = delegation.safeParse(onBehalfOf)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const where = ['on_behalf_of', ...(issue?.path ?? [])].map(String).join('.')
  throw new OpError('invalid_request', `${where}: ${issue?.message ?? 'not a principal'}`)
}

type Work = Parameters<BackgroundWork['start']>[0]

class ConnectionWork {
  readonly #running = new Map<number, AbortController>()
  #lastId = 0

  add(run: Work): { id: number; begin: () => void } {
    const id = ++this.#lastId
    const controller = new AbortController()
    this.#running.set(id, controller)
    return { id, begin: () => void run(id, controller.signal).finally(() => this.#running.delete(id)) }
  }

  /** False if there is no such work. */
  stop(id: number): boolean {
    const controller = this.#running.get(id)
    controller?.abort()
    return controller !== undefined
  }

  stopAll(): void {
    for (const id of this.#running.keys()) this.stop(id)
  }
}
