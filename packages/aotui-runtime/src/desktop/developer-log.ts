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
  readonly #listeners = new Set<(line: DeveloperLine) => void>()
  readonly #lines: DeveloperLine[] = []
  #nextNumber = 1

  constructor(now: () => number) {
    this.#now = now
  }

  add(line: Pick<DeveloperLine, 'app' | 'level' | 'text' | 'at'>): void {
    const added = { number: this.#nextNumber++, time: this.#now(), ...line }
    this.#lines.push(added)
    if (this.#lines.length > LINES_MAX) this.#lines.shift()
    for (const listener of this.#listeners) listener(added)
  }

  /** The lines from a number on. */
  read(from = 1): DeveloperLine[] {
    return this.#lines.filter((line) => line.number >= from)
  }

  /** Calls back with the lines that there are and each that comes; returns the function that ends this. */
  follow(listener: (line: DeveloperLine) => void): () => void {
    for (const line of this.#lines) listener(line)
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
