import type { Client } from '@transom/client'
import { delegationOf, reachOf, type Principal } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { authorize, filterResult } from './access.ts'
import { HostPool, type HostConnector } from './host-pool.ts'
import type { CallMetrics } from './call-metrics.ts'

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

  async call(
    principal: Principal,
    operation: string,
    params: unknown,
    signal: AbortSignal,
  ): Promise<unknown> {
    return this.#metrics.measure(operation, async () => {
      const checked = await this.authorize(principal, operation, params, signal)
      if (isStreamed(operation)) throw streamNeeded(operation)
      const options = { signal, onBehalfOf: delegationOf(principal) }
      return filterResult(principal, operation, await this.#pool.call(operation, checked, options))
    })
  }

  /** As call(), with the result as JSON text, which is only looked into where something must be kept back. */
  async callText(
    principal: Principal,
    operation: string,
    params: unknown,
    signal: AbortSignal,
  ): Promise<string> {
    if (reachOf(principal).sessions !== null || isStreamed(operation))
      return JSON.stringify(await this.call(principal, operation, params, signal))
    return this.#metrics.measure(operation, async () => {
      const checked = await this.authorize(principal, operation, params, signal)
      return this.#pool.callText(operation, checked, { signal, onBehalfOf: delegationOf(principal) })
    })
  }

  async authorize(
    principal: Principal,
    operation: string,
    params: unknown,
    signal: AbortSignal,
  ): Promise<unknown> {
    return authorize(principal, operation, params, {
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
