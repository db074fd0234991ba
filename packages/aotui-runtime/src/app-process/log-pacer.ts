import { noteActivity, ownTimeout } from './activity.ts'
import type { FromApp, LogLevel, LogName } from '../contract/app-message.ts'
import { LOG_CHARS_MAX } from '../contract/limits.ts'

const INTERVAL_MS = 250
const LINES_MAX = 20 // in one interval: the agent's log shows ten, and a loop that logs must not flood the channel

const AT_CHARS_MAX = 500

/** Sends the lines of an app's logs, a few at a time; the rest are counted. */
export class LogPacer {
  readonly #app: string
  readonly #send: (message: FromApp) => void
  #sentCount = 0
  #leftOut = 0
  #isPacing = false

  constructor(app: string, send: (message: FromApp) => void) {
    this.#app = app
    this.#send = send
  }

  add(log: LogName, level: LogLevel, text: string, at?: string): void {
    // A listener that only prints handles nothing.
    if (log === 'app') noteActivity()
    if (!this.#isPacing) ownTimeout(() => this.#nextInterval(), INTERVAL_MS).unref()
    this.#isPacing = true
    if (this.#sentCount >= LINES_MAX) {
      this.#leftOut++
      return
    }
    this.#sentCount++
    this.#write(log, level, text, at)
  }

  #nextInterval(): void {
    this.#isPacing = false
    this.#sentCount = 0
    if (this.#leftOut === 0) return
    const count = this.#leftOut
    this.#leftOut = 0
    this.add('developer', 'warning', `${count} log lines were left out: the app logs too fast`)
  }

  #write(log: LogName, level: LogLevel, text: string, at: string | undefined): void {
    this.#send({
      type: 'log',
      app: this.#app,
      log,
      level,
      text: text.slice(0, LOG_CHARS_MAX),
      ...(at === undefined ? {} : { at: at.slice(0, AT_CHARS_MAX) }),
    })
  }
}
