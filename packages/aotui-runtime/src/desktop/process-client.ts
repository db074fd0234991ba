import { AotuiError, errorText, fromWireError, toWireError } from '../contract/aotui-error.ts'
import type { FromApp, Outcome, ToApp } from '../contract/app-message.ts'
import { decodeFromApp } from '../contract/app-message-schema.ts'
import { SchemaError } from '../contract/schema.ts'
import { deferred } from './deferred.ts'
import type { AppLink, LinkExit, OpenLink } from './app-link.ts'

/** One app in a process, as the process's client sees it. */
export interface ProcessMember {
  onMessage(message: FromApp): void
  /** The process is gone; `cause` is what to tell the agent. */
  onExit(cause: AotuiError): void
}

export interface ProcessClientOptions {
  readonly open: OpenLink
  readonly heartbeatMs: number
  /** Sent as soon as the process is up. */
  readonly hello: readonly ToApp[]
}

const MISSED_MAX = 3 // heartbeats without an answer; one alone may be a long render

type Request = Extract<ToApp, { seq: number; app: string }>
type RequestBody = Request extends infer R ? (R extends Request ? Omit<R, 'seq'> : never) : never

/** The desktop's end of one app process: requests with answers, heartbeats, and the news of its end. */
export class ProcessClient {
  readonly #link: AppLink
  readonly #options: ProcessClientOptions
  readonly #members = new Map<string, ProcessMember>()
  readonly #waiting = new Map<
    number,
    { app: string; resolve: (outcome: Outcome) => void; reject: (error: AotuiError) => void }
  >()
  readonly #exited = deferred<void>()
  readonly #queue: ToApp[] = []
  /** Apps whose load is under way. The first render may take long, and the limit on loading bounds it. */
  readonly #loading = new Set<string>()
  #heartbeat: NodeJS.Timeout | undefined
  #missed = 0
  #nextSeq = 1
  #killCause: AotuiError | undefined
  #state: 'starting' | 'up' | 'gone' = 'starting'

  constructor(options: ProcessClientOptions) {
    this.#options = options
    this.#link = options.open({
      onMessage: (message) => this.#receive(message),
      onBadChannel: (problem) => void this.kill(violation(problem)),
      onExit: (exit) => this.#onExit(exit),
    })
  }

  get pid(): number | undefined {
    return this.isGone ? undefined : this.#link.pid
  }

  get isGone(): boolean {
    return this.#state === 'gone'
  }

  join(app: string, member: ProcessMember): void {
    this.#members.set(app, member)
  }

  leave(app: string): void {
    this.#members.delete(app)
    this.#loading.delete(app)
  }

  send(message: ToApp): void {
    if (message.type === 'load') this.#loading.add(message.app)
    if (this.#state === 'up') this.#link.send(message)
    else if (this.#state === 'starting') this.#queue.push(message)
  }

  /** Rejects when the time is up, when the process goes, or with what the app answered. */
  async request(body: RequestBody, timeoutMs: number): Promise<Outcome & { ok: true }> {
    const seq = this.#nextSeq++
    const { promise, resolve, reject } = deferred<Outcome>()
    this.#waiting.set(seq, { app: body.app, resolve, reject })
    const timer = setTimeout(() => {
      reject(
        new AotuiError('E_TIMEOUT', `the app did not answer within ${timeoutMs} ms`, {
          reason: 'operation_timeout',
        }),
      )
    }, timeoutMs)
    try {
      if (this.isGone) throw new AotuiError('E_INTERNAL', 'the app is not running', { reason: 'app_gone' })
      this.send({ ...body, seq })
      const outcome = await promise
      if (!outcome.ok) throw fromWireError(outcome.error)
      return outcome
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(seq)
    }
  }

  /** Ends the process; the cause is what its members and the waiting requests are told. */
  async kill(cause: AotuiError): Promise<void> {
    this.#killCause ??= cause
    if (!this.isGone) this.#link.kill()
    await this.#exited.promise
  }

  #receive(message: unknown): void {
    // What a process says after its end was decided counts no more: it may be the reason for it.
    if (this.isGone || this.#killCause !== undefined) return
    let decoded: FromApp
    try {
      decoded = decodeFromApp(message)
    } catch (error) {
      // A process that breaks the contract is not believed again.
      if (!(error instanceof SchemaError)) throw error
      return void this.kill(violation(`a message's ${error.message}`))
    }
    try {
      this.#route(decoded)
    } catch (error) {
      void this.kill(violation(errorText(error)))
    }
  }

  #route(message: FromApp): void {
    switch (message.type) {
      case 'up':
        if (this.#state === 'up') return
        this.#state = 'up'
        for (const queued of [...this.#options.hello, ...this.#queue.splice(0)]) this.#link.send(queued)
        this.#startHeartbeat()
        return
      case 'pong':
        this.#missed = 0
        return
      case 'net':
        return void this.#connect(message)
      case 'ack':
        this.#members.get(message.app)?.onMessage(message)
        this.#waiting.get(message.seq)?.resolve(message.outcome)
        return
      case 'ready':
      case 'failed':
        this.#loading.delete(message.app)
        this.#members.get(message.app)?.onMessage(message)
        return
      case 'views':
      case 'fragment':
      case 'pushed':
      case 'log':
        this.#members.get(message.app)?.onMessage(message)
        return
      default:
        message satisfies never
    }
  }

  async #connect({ seq, host, port }: FromApp & { type: 'net' }): Promise<void> {
    try {
      this.send({ type: 'net', seq, path: await this.#link.connect(host, port) })
    } catch (error) {
      this.send({ type: 'net', seq, error: toWireError(error) })
    }
  }

  #startHeartbeat(): void {
    const { heartbeatMs } = this.#options
    this.#heartbeat = setInterval(() => {
      if (this.#loading.size > 0) {
        this.#missed = 0
        return
      }
      if (this.#missed >= MISSED_MAX) {
        const cause = `the app did not answer for ${MISSED_MAX * heartbeatMs} ms and was ended`
        void this.kill(new AotuiError('E_TIMEOUT', cause, { reason: 'app_unresponsive' }))
        return
      }
      this.#missed++
      this.#link.send({ type: 'ping', seq: this.#missed })
    }, heartbeatMs)
    this.#heartbeat.unref()
  }

  #onExit(exit: LinkExit): void {
    if (this.isGone) return
    this.#state = 'gone'
    clearInterval(this.#heartbeat)
    const cause =
      this.#killCause ??
      new AotuiError('E_INTERNAL', `the app's process ended: ${exit.how}${lastLine(exit.stderr)}`, {
        reason: 'app_crashed',
      })
    for (const { reject } of this.#waiting.values()) reject(cause)
    for (const member of this.#members.values()) member.onExit(cause)
    this.#exited.resolve()
  }
}

/** The reason that tells an app that broke the contract from one that crashed. */
export const VIOLATION = 'bad_app_message'

function violation(problem: string): AotuiError {
  return new AotuiError('E_INTERNAL', `the app process broke the channel: ${problem.slice(0, 300)}`, {
    reason: VIOLATION,
  })
}

/** V8 ends an out-of-memory report with addresses; the line that names the error says more. */
function lastLine(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  const telling = lines.find((line) => /heap out of memory|Error/.test(line)) ?? lines.at(-1)
  return telling === undefined ? '' : `: ${telling.trim().slice(0, 300)}`
}
