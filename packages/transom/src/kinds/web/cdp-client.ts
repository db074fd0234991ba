import type { Readable, Writable } from 'node:stream'
import { OpError } from '@transom/protocol/errors'
import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js'
import { Scope } from '../../lib/scope.ts'

type Commands = ProtocolMapping.Commands
type Events = ProtocolMapping.Events
export type CdpMethod = keyof Commands
export type CdpEvent = keyof Events
type Params<M extends CdpMethod> = Commands[M]['paramsType'] extends [(infer P)?] ? P : never
type Result<M extends CdpMethod> = Commands[M]['returnType']
type Payload<E extends CdpEvent> = Events[E] extends [infer P] ? P : undefined

/** The longest message that is taken: a full-page screenshot of a very long page, as base64. */
const MESSAGE_BYTES_MAX = 256 << 20
/** A page answers in a millisecond, on a machine with far too much to do in some seconds; one that hangs never does. */
export const CALL_TIMEOUT_MS = 10_000

export interface CallOptions {
  /** The attached target that is meant; the browser itself when left out. */
  readonly session?: string | undefined
  readonly timeoutMs?: number | undefined
}

/** What Chromium refused, in its own words. */
export class CdpError extends Error {
  readonly method: string
  constructor(method: string, message: string) {
    super(`${method}: ${message}`)
    this.name = 'CdpError'
    this.method = method
  }
}

interface Pending {
  readonly method: string
  readonly timer: NodeJS.Timeout
  readonly resolve: (result: unknown) => void
  readonly reject: (reason: Error) => void
}

type Listener = (params: never, session: string | undefined) => void

/**
 * The DevTools protocol on the two pipes of `--remote-debugging-pipe`: JSON, each message closed by a NUL. A pipe
 * instead of a port, so that no other process on the machine can drive the browser. Every call ends: answered, refused,
 * timed out, or with the browser.
 */
export class CdpClient {
  /** Owns what the browser's messages and the timers of its pages set off. */
  readonly scope: Scope
  readonly #out: Writable
  readonly #pending = new Map<number, Pending>()
  readonly #listeners = new Map<string, Set<Listener>>()
  #parts: Buffer[] = []
  #partBytes = 0
  #lastId = 0
  readonly #gone = new AbortController()

  constructor(out: Writable, incoming: Readable, scope: Scope = Scope.ofProcess()) {
    this.scope = scope
    this.#out = out
    out.on('error', () => {}) // the browser has ended; its exit fails the pending calls
    incoming.on('error', () => {})
    incoming.on(
      'data',
      scope.guard((chunk: Buffer) => this.#onData(chunk)),
    )
  }

  async call<M extends CdpMethod>(
    method: M,
    params?: Params<M>,
    { session, timeoutMs = CALL_TIMEOUT_MS }: CallOptions = {},
  ): Promise<Result<M>> {
    this.gone.throwIfAborted()
    const id = ++this.#lastId
    const answered = new Promise<unknown>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id)
        reject(noAnswer(method, timeoutMs))
      }, timeoutMs)
      this.#pending.set(id, { method, timer, resolve, reject })
    })
    const message = {
      id,
      method,
      params: params ?? {},
      ...(session === undefined ? {} : { sessionId: session }),
    }
    this.#out.write(`${JSON.stringify(message)}\0`)
    return answered as Promise<Result<M>> // the protocol's own types say what each method answers
  }

  /** Calls `listener` at each such event, of every target, until the returned function is called. */
  on<E extends CdpEvent>(
    event: E,
    listener: (params: Payload<E>, session: string | undefined) => void,
  ): () => void {
    const listeners = this.#listeners.get(event) ?? new Set()
    this.#listeners.set(event, listeners)
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  /** Aborted when the browser has gone, with the reason. */
  get gone(): AbortSignal {
    return this.#gone.signal
  }

  /** The browser has gone: nothing that is open will be answered. */
  close(reason: OpError): void {
    this.#gone.abort(reason) // the first reason counts
    for (const { timer, reject } of this.#pending.values()) {
      clearTimeout(timer)
      reject(this.gone.reason as OpError)
    }
    this.#pending.clear()
  }

  #onData(chunk: Buffer): void {
    let start = 0
    for (;;) {
      const end = chunk.indexOf(0, start)
      const part = chunk.subarray(start, end < 0 ? chunk.length : end)
      this.#parts.push(part)
      this.#partBytes += part.length
      if (this.#partBytes > MESSAGE_BYTES_MAX) return this.close(tooLarge(this.#partBytes))
      if (end < 0) return
      const message = Buffer.concat(this.#parts).toString('utf8')
      this.#parts = []
      this.#partBytes = 0
      this.#onMessage(JSON.parse(message) as CdpMessage) // Chromium writes nothing else to this pipe
      start = end + 1
      if (start >= chunk.length) return
    }
  }

  #onMessage(message: CdpMessage): void {
    if (message.id === undefined) {
      const listeners = this.#listeners.get(message.method ?? '') ?? []
      for (const listener of listeners)
        this.scope.guard(listener)((message.params ?? {}) as never, message.sessionId)
      return
    }
    const pending = this.#pending.get(message.id)
    if (pending === undefined) return // it has timed out
    this.#pending.delete(message.id)
    clearTimeout(pending.timer)
    if (message.error === undefined) pending.resolve(message.result)
    else
      pending.reject(
        new CdpError(pending.method, `${message.error.message} ${message.error.data ?? ''}`.trim()),
      )
  }
}

interface CdpMessage {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { message: string; data?: string }
  readonly sessionId?: string
}

function noAnswer(method: string, timeoutMs: number): OpError {
  const message = `the page did not answer ${method} within ${timeoutMs} ms: a script of it may run without end`
  return new OpError('page_unresponsive', message, { method, timeout_ms: timeoutMs })
}

function tooLarge(bytes: number): OpError {
  return new OpError('browser_failed', `Chromium sent a message of more than ${bytes} bytes`, { bytes })
}
