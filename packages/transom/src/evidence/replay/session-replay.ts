import { EVENT_TYPE_NUMBERS, exitRecord, type CreatedEvent, type ExitRecord } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import type { FoldTarget } from '../../log/fold.ts'
import type { LogRecord } from '../../log/record.ts'
import { createdOf, factOf } from '../../log/facts.ts'
import type { KindViews } from '../../session/kind-registry.ts'
import type { Projection } from '../../session/projection.ts'
import { SESSION_CHECKPOINTS, decodeCheckpoint, encodeCheckpoint } from '../../session/session-checkpoint.ts'
import type { SessionLog } from '../../session/session-log.ts'

/** What a session showed, from its Event Log, record after record. Equal to the live screen at every seq. */
export class SessionReplay implements FoldTarget {
  readonly checkpoints = SESSION_CHECKPOINTS
  /** Names the log in errors. */
  readonly #path: string
  readonly #kinds: KindViews
  #created: CreatedEvent | null = null
  #screen: Projection | null = null
  #seq = 0
  #exit: ExitRecord | null = null
  #lastOutputSeq = 0

  constructor({ events, kinds }: SessionLog) {
    this.#path = events.path
    this.#kinds = kinds
  }

  /** The last record that it knows. */
  get seq(): number {
    return this.#seq
  }

  get screen(): Projection {
    if (this.#screen === null) throw this.#hasNoRecords()
    return this.#screen
  }

  get created(): CreatedEvent {
    if (this.#created === null) throw this.#hasNoRecords()
    return this.#created
  }

  get exit(): ExitRecord | null {
    return this.#exit
  }

  get lastOutputSeq(): number {
    return this.#lastOutputSeq
  }

  apply(record: LogRecord): void {
    this.note(record)
    this.screen.apply(record)
  }

  /** Takes a record without showing it. The screen is of no use afterwards. */
  note(record: LogRecord): void {
    this.#created ??= createdOf(record, this.#path)
    this.#screen ??= this.#kinds.project(this.#created)
    this.#seq = record.seq
    const { shows } = this.#kinds.get(this.#created.kind)
    if (record.typeNumber === EVENT_TYPE_NUMBERS[shows]) this.#lastOutputSeq = record.seq
    if (record.typeNumber === EVENT_TYPE_NUMBERS.exit) this.#exit = factOf(record, exitRecord)
  }

  checkpoint(): Uint8Array | null {
    const screen = this.#screen?.checkpoint() ?? null
    const head = { seq: this.#seq, exit: this.#exit, last_output_seq: this.#lastOutputSeq }
    return screen === null ? null : encodeCheckpoint(head, screen)
  }

  restore(first: LogRecord, checkpoint: Uint8Array): boolean {
    const created = createdOf(first, this.#path)
    const { head, projection } = decodeCheckpoint(checkpoint)
    const screen = this.#kinds.restore(created, projection)
    if (screen === null) return false
    this.#created = created
    this.#screen = screen
    this.#seq = head.seq
    this.#exit = head.exit
    this.#lastOutputSeq = head.last_output_seq
    return true
  }

  #hasNoRecords(): OpError {
    return new OpError('log_corrupt', `${this.#path} has no records`, { path: this.#path })
  }
}
