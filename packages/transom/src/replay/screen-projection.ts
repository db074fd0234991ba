import { EVENT_TYPE_NUMBERS, exitRecord, type CreatedEvent, type ExitRecord } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import type { FoldTarget } from '../log/fold.ts'
import type { LogRecord } from '../log/record.ts'
import { createScreen } from '../screen/create-screen.ts'
import type { Screen } from '../screen/screen.ts'
import { createdOf, factOf, screenEventOf } from './screen-events.ts'

/** The records by which a source shows something. */
const SHOWN_TYPES: readonly number[] = [EVENT_TYPE_NUMBERS.output, EVENT_TYPE_NUMBERS.web_frame]
const LINE_BREAK = 0x0a

/** The screen of a session as its Event Log tells it, record after record. Equal to the live one at every seq. */
export class ScreenProjection implements FoldTarget {
  readonly checkpoints = 'screen'
  /** Names the log in errors. */
  readonly #path: string
  #created: CreatedEvent | null = null
  #screen: Screen | null = null
  #seq = 0
  #exit: ExitRecord | null = null
  #lastOutputSeq = 0

  constructor(path: string) {
    this.#path = path
  }

  /** The last record that it knows. */
  get seq(): number {
    return this.#seq
  }

  get screen(): Screen {
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
    this.screen.apply(record.seq, screenEventOf(record))
    this.screen.takeAnswers() // queries are answered by the live host only
  }

  /** Takes a record without showing it. The screen is of no use afterwards. */
  note(record: LogRecord): void {
    this.#created ??= createdOf(record, this.#path)
    this.#screen ??= createScreen(this.#created)
    this.#seq = record.seq
    if (SHOWN_TYPES.includes(record.typeNumber)) this.#lastOutputSeq = record.seq
    if (record.typeNumber === EVENT_TYPE_NUMBERS.exit) this.#exit = exitRecord.parse(factOf(record))
  }

  /** What is known beside the screen as a line of JSON, then the screen. */
  checkpoint(): Uint8Array | null {
    const screen = this.#screen?.checkpoint() ?? null
    if (screen === null) return null
    const beside = { seq: this.#seq, exit: this.#exit, last_output_seq: this.#lastOutputSeq }
    return Buffer.concat([Buffer.from(`${JSON.stringify(beside)}\n`), screen])
  }

  restore(first: LogRecord, checkpoint: Uint8Array): boolean {
    const created = createdOf(first, this.#path)
    const end = checkpoint.indexOf(LINE_BREAK)
    const screen = createScreen(created, checkpoint.subarray(end + 1))
    if (screen === null) return false
    // Written by checkpoint(): the store has checked that not a bit has changed.
    const beside = JSON.parse(Buffer.from(checkpoint.subarray(0, end)).toString()) as {
      seq: number
      exit: ExitRecord | null
      last_output_seq: number
    }
    this.#created = created
    this.#screen = screen
    this.#seq = beside.seq
    this.#exit = beside.exit
    this.#lastOutputSeq = beside.last_output_seq
    return true
  }

  #hasNoRecords(): OpError {
    return new OpError('log_corrupt', `${this.#path} has no records`, { path: this.#path })
  }
}
