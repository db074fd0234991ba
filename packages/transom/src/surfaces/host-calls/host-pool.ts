import type { Client } from '@transom/client'
import {
  OPERATIONS,
  isOperationName,
  type Delegation,
  type OperationDefinition,
  type Result,
} from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'

/** How the gateway reaches the hosts of its Home. */
export interface HostConnector {
  /** Connects to the host of the Home, starting one if that is allowed; else null if none is running. */
  connect(options: { start: boolean }): Promise<Client | null>
  /** Connects to the host that a `session_elsewhere` names. */
  follow(elsewhere: OpError): Promise<Client>
}

const CONNECTIONS_MAX = 16
/** A host refuses more than 256 on one connection; half of it leaves room for what is being cancelled. */
const IN_FLIGHT_MAX = 128
/** A connection keeps the host from leaving; one that is not used does not stay. */
const IDLE_MS = 5000

export interface PoolOptions {
  readonly signal: AbortSignal
  /** For whom the gateway asks; left out for itself. */
  readonly onBehalfOf?: Delegation | undefined
}

type Ask<T> = (client: Client) => Promise<T>

interface Pooled {
  readonly client: Client
  inFlight: number
  usedMs: number
  idleTimer: NodeJS.Timeout | undefined
}

/** Calls the hosts of a Home over a few connections, opened when they are needed. */
export class HostPool {
  readonly #connector: HostConnector
  readonly #pool = new Set<Pooled>()
  /** Connections that are being opened, for those who may start a host and those who may not. */
  readonly #opening = new Map<boolean, Promise<void>>()

  constructor(connector: HostConnector) {
    this.#connector = connector
  }

  get connectionCount(): number {
    return this.#pool.size
  }

  /** Calls an operation; a host that was leaving is replaced, and a session followed to the host that runs it. */
  async call(operation: string, params: unknown, options: PoolOptions): Promise<unknown> {
    return this.#call(operation, (client) => client.request(operation, params, options), options)
  }

  /** As call(), with the result as JSON text. */
  async callText(operation: string, params: unknown, options: PoolOptions): Promise<string> {
    return this.#call(operation, (client) => client.requestText(operation, params, options), options)
  }

  async #call<T>(operation: string, ask: Ask<T>, { signal }: PoolOptions): Promise<T> {
    try {
      return await this.#callHost(operation, ask)
    } catch (error) {
      if (!(error instanceof OpError)) throw error
      if (error.code === 'session_elsewhere') return this.#callElsewhere(error, ask)
      if (!mayRepeat(error, operation) || signal.aborted) throw error
    }
    return this.#callHost(operation, ask)
  }

  /** The id for a session's name or prefix. */
  async findSession(ref: string, signal: AbortSignal): Promise<string> {
    const { session } = (await this.call('session.inspect', { session: ref }, { signal })) as {
      session: string
    }
    return session
  }

  /** The id of the session that a conversation has now or had last; also of a session that is named instead. */
  async findConversation(ref: string, signal: AbortSignal): Promise<string> {
    const { sessions } = (await this.call(
      'session.list',
      { all: true },
      { signal },
    )) as Result<'session.list'>
    const own = sessions.filter(({ conversation }) => conversation === ref)
    const last = own.find(({ status }) => status === 'running') ?? own.at(-1)
    return last?.session ?? this.findSession(ref, signal)
  }

  close(): void {
    for (const pooled of this.#pool) this.#drop(pooled)
  }

  async #callHost<T>(operation: string, ask: Ask<T>): Promise<T> {
    const pooled = await this.#acquire(startsHost(operation))
    try {
      return await ask(pooled.client)
    } finally {
      pooled.inFlight--
      if (pooled.inFlight === 0) this.#rest(pooled)
    }
  }

  async #callElsewhere<T>(elsewhere: OpError, ask: Ask<T>): Promise<T> {
    const client = await this.#connector.follow(elsewhere)
    try {
      return await ask(client)
    } finally {
      client.close()
    }
  }

  /** Closes it when it has not been used for a while; the timer is set once and looks again when it was. */
  #rest(pooled: Pooled): void {
    pooled.usedMs = performance.now()
    pooled.idleTimer ??= setTimeout(() => {
      pooled.idleTimer = undefined
      if (pooled.inFlight > 0) return
      if (performance.now() - pooled.usedMs < IDLE_MS / 2) this.#rest(pooled)
      else this.#drop(pooled)
    }, IDLE_MS).unref()
  }

  /** A connection with room, counted as used. Many who need a new one at the same time wait for the same. */
  async #acquire(start: boolean): Promise<Pooled> {
    for (;;) {
      const free = [...this.#pool].find(({ inFlight }) => inFlight < IN_FLIGHT_MAX)
      if (free !== undefined) {
        free.inFlight++
        return free
      }
      const opening = this.#opening.get(start) ?? this.#open(start)
      this.#opening.set(start, opening)
      await opening.finally(() => this.#opening.delete(start))
    }
  }

  async #open(start: boolean): Promise<void> {
    if (this.#pool.size >= CONNECTIONS_MAX) {
      const message = `${CONNECTIONS_MAX * IN_FLIGHT_MAX} requests are in flight; wait for an answer`
      throw new OpError('too_many_requests', message)
    }
    const client = await this.#connector.connect({ start })
    if (client === null)
      throw new OpError('host_unavailable', 'no host is running; the first session starts one')
    const pooled: Pooled = { client, inFlight: 0, usedMs: 0, idleTimer: undefined }
    this.#pool.add(pooled)
    void client.whenClosed().then(() => this.#drop(pooled))
  }

  #drop(pooled: Pooled): void {
    clearTimeout(pooled.idleTimer)
    if (this.#pool.delete(pooled)) pooled.client.close()
  }
}

/** A host that left before it took the request, or an answer that was lost to a question that changes nothing. */
function mayRepeat(error: OpError, operation: string): boolean {
  if (error.code === 'host_stopping') return startsHost(operation)
  if (error.code !== 'host_unavailable' || !('answered' in error.details)) return false
  return (
    startsHost(operation) &&
    (error.details['answered'] === false || definitionOf(operation)?.readOnly === true)
  )
}

function startsHost(operation: string): boolean {
  return definitionOf(operation)?.cli?.startsHost ?? true
}

export function definitionOf(operation: string): OperationDefinition | null {
  return isOperationName(operation) ? OPERATIONS[operation] : null
}
