import { ScreenModel, type ScreenMessage } from '@transom/client'
import type { Activity, ExitRecord } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { lineWith } from './line-with.ts'

export type WatchCondition =
  | { readonly on: 'exit' | 'idle' | 'bell' | 'needs-input' | 'lease' }
  | { readonly on: 'text'; readonly text: string }

/** One line that `watch` prints. `text` is its content for a person. */
export interface WatchEvent {
  /** `answered` withdraws a `needs-input`. */
  readonly event: WatchCondition['on'] | 'answered'
  readonly session: string
  readonly seq: number
  readonly time: string
  readonly text: string
  readonly exit?: ExitRecord | null
  readonly bells?: number
  readonly idle_ms?: number
  readonly looked_for?: string
  readonly activity?: Activity | null
}

export interface WatcherOptions {
  readonly conditions: readonly WatchCondition[]
  readonly idleMs: number
  readonly emit: (event: WatchEvent) => void
}

const PLAIN = ['exit', 'idle', 'bell', 'needs-input', 'lease'] as const

/** An event as the command line has it: `exit`, `text:…`. */
export function parseCondition(spelled: string): WatchCondition {
  const plain = PLAIN.find((on) => on === spelled)
  if (plain !== undefined) return { on: plain }
  if (spelled.startsWith('text:') && spelled.length > 5) return { on: 'text', text: spelled.slice(5) }
  const message = `--on takes exit, idle, bell, needs-input, lease or text:TEXT (got ${JSON.stringify(spelled)})`
  throw new OpError('usage', message, { option: '--on', value: spelled })
}

/** Turns the messages of a screen subscription into events. */
export class Watcher {
  readonly #options: WatcherOptions
  readonly #screen = new ScreenModel()
  /** Whether a text was on the screen at the last look: an event is its appearance. */
  readonly #shown = new Set<string>()
  #session = ''
  #idleTimer: NodeJS.Timeout | undefined

  constructor(options: WatcherOptions) {
    this.#options = options
  }

  get session(): string {
    return this.#session
  }

  update(message: ScreenMessage): void {
    const isFirst = this.#session === ''
    if (message.type === 'screen') this.#session = message.snapshot.session
    const bellsBefore = this.#bells
    this.#screen.apply(message)
    for (const condition of this.#options.conditions) {
      if (condition.on === 'text') this.#lookFor(condition.text)
      // What was rung before the watch began is no event.
      if (condition.on === 'bell' && !isFirst) this.#countBells(bellsBefore)
      if (condition.on === 'idle') this.#restartIdle()
    }
  }

  get #bells(): number {
    return this.#screen.shown?.bells ?? 0
  }

  /** The session has ended. */
  end(exit: ExitRecord | null, status: string): void {
    this.close()
    if (!this.#options.conditions.some(({ on }) => on === 'exit')) return
    this.#emit('exit', String(exit?.signal ?? exit?.code ?? status), { exit })
  }

  close(): void {
    clearTimeout(this.#idleTimer)
  }

  #lookFor(text: string): void {
    const { shown } = this.#screen
    const line = shown === null ? null : lineWith(shown, text)
    const wasShown = this.#shown.has(text)
    if (line === null) this.#shown.delete(text)
    else this.#shown.add(text)
    if (line !== null && !wasShown) this.#emit('text', line, { looked_for: text })
  }

  #countBells(before: number): void {
    const bells = this.#bells
    if (bells > before) this.#emit('bell', String(bells - before), { bells })
  }

  #restartIdle(): void {
    const { idleMs } = this.#options
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => this.#emit('idle', String(idleMs), { idle_ms: idleMs }), idleMs)
  }

  #emit(event: WatchEvent['event'], text: string, more: Partial<WatchEvent>): void {
    const time = new Date().toISOString()
    this.#options.emit({
      event,
      session: this.#session,
      seq: this.#screen.shown?.seq ?? 0,
      time,
      text,
      ...more,
    })
  }
}
