import type { SubscriptionMessage, WatchedSession } from '@transom/protocol'
import type { WatchCondition, WatchEvent } from './watcher.ts'

type HomeMessage = Extract<SubscriptionMessage, { type: 'sessions' | 'session' }>

export interface HomeWatcherOptions {
  readonly conditions: readonly WatchCondition[]
  /** The one session to report of; null for all of them. */
  readonly only: string | null
  readonly emit: (event: WatchEvent) => void
}

/**
 * Turns the messages of a Home subscription into events: one for each time that a session begins to wait for input, and
 * one when it does not any more; changes of hands; ends.
 */
export class HomeWatcher {
  readonly #options: HomeWatcherOptions
  readonly #last = new Map<string, WatchedSession>()

  constructor(options: HomeWatcherOptions) {
    this.#options = options
  }

  update(message: HomeMessage): void {
    const sessions = message.type === 'sessions' ? message.sessions : [message.session]
    for (const session of sessions) {
      const { only } = this.#options
      if (only === null || only === session.session) this.#compare(session)
    }
  }

  #compare(session: WatchedSession): void {
    const { session: id, activity, exit } = session
    const before = this.#last.get(id)
    this.#last.set(id, session)
    const [was, is] = [questionOf(before), questionOf(session)]
    if (is !== null && is !== was) this.#emit('needs-input', session, is)
    else if (is === null && was !== null) this.#emit('answered', session, was)
    const [wasHeld, isHeld] = [isHeldBy(before), isHeldBy(session)]
    if (wasHeld !== isHeld) this.#emit('lease', session, isHeld ? 'a person has taken it' : 'it is free')
    if (activity?.state !== 'ended') return
    this.#last.delete(id)
    // Of one session, the watch of its screen reports the end.
    if (this.#options.only === null)
      this.#emit('exit', session, String(exit?.signal ?? exit?.code ?? session.status))
  }

  #emit(event: WatchEvent['event'], { session, name, activity, exit }: WatchedSession, text: string): void {
    const on = event === 'answered' ? 'needs-input' : event
    if (!this.#options.conditions.some((condition) => condition.on === on)) return
    const time = new Date().toISOString()
    const shown = this.#options.only === null ? `${name ?? session}: ${text}` : text
    const more = event === 'exit' ? { exit } : { activity }
    this.#options.emit({ event, session, seq: 0, time, text: shown, ...more })
  }
}

/** What a session waits for, in a line; null if it does not. */
function questionOf(session: WatchedSession | undefined): string | null {
  const activity = session?.activity ?? null
  if (activity?.state !== 'needs_input') return null
  return [activity.reason, activity.prompt.trim()].filter(Boolean).join(': ')
}

function isHeldBy(session: WatchedSession | undefined): boolean {
  return session?.activity?.state === 'held'
}
