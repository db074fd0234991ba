import type { LogLevel } from '../contract/app-message.ts'

/** A line for the people who write an app or embed the runtime. Agents do not see it. */
export interface DeveloperLine {
  /** Counts from 1 for each desktop. */
  readonly number: number
  /** Milliseconds since 1970. */
  readonly time: number
  /** The instance that it is about: `app_1`. */
  readonly app: string
  readonly level: LogLevel
  readonly text: string
  /** Where in the app's code: `file:///app/main.mjs:12:5`. */
  readonly at?: string
}

const LINES_MAX = 1000 // of a desktop; a reader that comes late finds the last ones

/** Warnings about markup, errors, refused permissions and what apps print, of all apps of a desktop. */
export class DeveloperLog {
  readonly #now: () => number
  readonly #onLine: ((line: DeveloperLine) => void) | undefined
  readonly #lines: DeveloperLine[] = []
  #nextNumber = 1

  constructor(now: () => number, onLine?: (line: DeveloperLine) => void) {
    this.#now = now
    this.#onLine = onLine
  }

  add(line: Pick<DeveloperLine, 'app' | 'level' | 'text' | 'at'>): void {
    const added = { number: this.#nextNumber++, time: this.#now(), ...line }
    this.#lines.push(added)
    if (this.#lines.length > LINES_MAX) this.#lines.shift()
    this.#onLine?.(added)
  }

  /** The lines from a number on. */
  read(from = 1): DeveloperLine[] {
    return this.#lines.filter((line) => line.number >= from)
  }
}
