import { eventRecord } from '../../log/event-record.ts'
import type { LogRecord } from '../../log/record.ts'

/** A place in a recording that people may want to go to. */
export interface Chapter {
  readonly kind: 'mark' | 'block'
  readonly label: string
  readonly seq: number
  /** In the recording, from its start. */
  readonly atMs: number
  /** How a block ended; null for a mark, and for a block that has not. */
  exitCode: number | null
}

const LABEL_CHARS_MAX = 200 // a list of places; a pasted program is no label

/** Collects the marks and blocks of a session as its records go by. */
export class Chapters {
  readonly list: Chapter[] = []
  readonly #open = new Map<unknown, Chapter>()

  /** The chapter that begins with this record, or null. */
  take(record: LogRecord, atMs: number): Chapter | null {
    const { type, fields = {} } = eventRecord(record)
    const { seq } = record
    if (type === 'mark')
      return this.#add({ kind: 'mark', label: labelOf(fields['label']), seq, atMs, exitCode: null })
    if (type === 'block_begin') {
      const label = labelOf(fields['command']) || `block ${JSON.stringify(fields['ordinal'] ?? seq)}`
      const chapter = this.#add({ kind: 'block', label, seq, atMs, exitCode: null })
      this.#open.set(fields['block'], chapter)
      return chapter
    }
    if (type === 'block_end') {
      const begun = this.#open.get(fields['block'])
      const code = fields['exit_code']
      if (begun !== undefined && typeof code === 'number') begun.exitCode = code
    }
    return null
  }

  #add(chapter: Chapter): Chapter {
    this.list.push(chapter)
    return chapter
  }
}

function labelOf(value: unknown): string {
  return typeof value === 'string' ? value.trim().replaceAll(/\s+/g, ' ').slice(0, LABEL_CHARS_MAX) : ''
}
