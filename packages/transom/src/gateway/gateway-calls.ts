import type { Client } from '@transom/client'
import { OpError } from '@transom/protocol/errors'
import { authorize, filterResult } from './access.ts'
import { HostPool, type HostConnector } from './host-pool.ts'
import type { CallMetrics } from './call-metrics.ts'
import type { Grant } from './token-store.ts'

/** Every call of an operation through the gateway, whatever it came in by: checked, counted, carried out. */
export class GatewayCalls {
  readonly #connector: HostConnector
  readonly #pool: HostPool
  readonly #metrics: CallMetrics

  constructor(connector: HostConnector, metrics: CallMetrics) {
    this.#connector = connector
    this.#pool = new HostPool(connector)
    this.#metrics = metrics
  }

  async call(grant: Grant, operation: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    return this.#metrics.measure(operation, async () => {
      const checked = await this.authorize(grant, operation, params, signal)
      if (isStreamed(operation)) throw streamNeeded(operation)
      return filterResult(grant, operation, await this.#pool.call(operation, checked, signal))
    })
  }

  /** As call(), with the result as JSON text, which is only looked into where something must be kept back. */
  async callText(grant: Grant, operation: string, params: unknown, signal: AbortSignal): Promise<string> {
    if (grant.sessions !== null || isStreamed(operation))
      return JSON.stringify(await this.call(grant, operation, params, signal))
    return this.#metrics.measure(operation, async () => {
      const checked = await this.authorize(grant, operation, params, signal)
      return this.#pool.callText(operation, checked, signal)
    })
  }

  async authorize(grant: Grant, operation: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    return authorize(grant, operation, params, {
      findSession: (ref) => this.#pool.findSession(ref, signal),
      findConversation: (ref) => this.#pool.findConversation(ref, signal),
    })
  }

  /** A connection of the caller's own, to the host that runs the session it subscribes to. */
  async openConnection(elsewhere: OpError | null): Promise<Client> {
    if (elsewhere !== null) return this.#connector.follow(elsewhere)
    const client = await this.#connector.connect({ start: true })
    if (client === null) throw new OpError('host_unavailable', 'the host could not be started; try again')
    return client
  }

  close(): void {
    this.#pool.close()
  }
}

function isStreamed(operation: string): boolean {
  return operation === 'session.subscribe' || operation === 'session.unsubscribe'
}

function streamNeeded(operation: string): OpError {
  const message = `${operation} needs a stream: the WebSocket /v1/stream, or GET /v1/subscribe for Server-Sent Events`
  return new OpError('usage', message, { operation })
}
