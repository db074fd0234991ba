import type { Params, Result, SubscriptionMessage } from '@transom/protocol'
import type { CallOptions, Client } from './client.ts'

type Rest<N extends SessionOperation> = Omit<Params<N>, 'session'>
type SessionOperation =
  | 'session.type'
  | 'session.keys'
  | 'session.paste'
  | 'session.wait'
  | 'session.snapshot'
  | 'session.inspect'
  | 'session.destroy'

/** One session, by its id. Disposing of it ends it and every process that it started. */
export class SessionHandle implements AsyncDisposable {
  readonly id: string
  readonly #client: Client

  constructor(client: Client, id: string) {
    this.#client = client
    this.id = id
  }

  /** Types text; returns the seq of the input, a baseline for waits. */
  async type(text: string, options: Omit<Rest<'session.type'>, 'text'> = {}): Promise<number> {
    return (await this.#client.call('session.type', { session: this.id, text, ...options })).seq
  }

  /** Presses keys by name: `keys('Escape', ':', 'q', 'Enter')`. */
  async keys(...keys: string[]): Promise<number> {
    return (await this.#client.call('session.keys', { session: this.id, keys })).seq
  }

  async paste(text: string): Promise<number> {
    return (await this.#client.call('session.paste', { session: this.id, text })).seq
  }

  /** Waits for what is described. A wait that times out rejects with `wait_timeout`; its details have the screen. */
  async wait(conditions: Rest<'session.wait'>, options: CallOptions = {}): Promise<Result<'session.wait'>> {
    return this.#client.call('session.wait', { session: this.id, ...conditions }, options)
  }

  async snapshot(options: Rest<'session.snapshot'> = {}): Promise<Result<'session.snapshot'>> {
    return this.#client.call('session.snapshot', { session: this.id, ...options })
  }

  /** The text on the screen, without blank lines at its end. */
  async text(): Promise<string> {
    const { lines } = await this.snapshot()
    return lines
      .map(({ text }) => text)
      .join('\n')
      .trimEnd()
  }

  async inspect(): Promise<Result<'session.inspect'>> {
    return this.#client.call('session.inspect', { session: this.id })
  }

  /** Follows the screen or the events until the returned function is called. */
  async subscribe(
    to: 'screen' | 'events',
    onMessage: (message: SubscriptionMessage) => void,
  ): Promise<() => Promise<void>> {
    return this.#client.subscribe({ session: this.id, to }, onMessage)
  }

  async destroy(): Promise<Result<'session.destroy'>> {
    return this.#client.call('session.destroy', { session: this.id })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.destroy()
  }
}
