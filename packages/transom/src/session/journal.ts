import { EVENT_TYPE_NUMBERS, type EventType, type Fact, type FactType } from '@transom/protocol'
import { Changes } from '../lib/changes.ts'
import type { EventStore } from '../log/event-store.ts'
import type { LogRecord } from '../log/record.ts'
import { DiskWrites } from './disk-writes.ts'
import type { Projection } from './projection.ts'
import { SESSION_CHECKPOINTS, encodeCheckpoint } from './session-checkpoint.ts'

export interface JournalOptions {
  readonly log: EventStore
  readonly projection: Projection
  /** The session's clock. */
  readonly now: () => number
  /** Called for every record after it was applied to the projection. */
  readonly onRecord: (record: LogRecord) => void
  /** Called when the disk begins or stops refusing writes. */
  readonly onStall: (stalled: boolean) => void
  /** Called with the error of a delayed write. */
  readonly onFailure: (error: unknown) => void
}

export interface AppendOptions {
  /** The content of the payload, if it is a fact. */
  readonly fact?: unknown
  /** Whether it shows something: what the source printed or painted. */
  readonly isOutput?: boolean
  /** Called once it is recorded and applied, before it is announced. */
  readonly onRecorded?: (() => void) | undefined
}

/** The one way of an event: into the log, then to the projection, then to those that wait. */
export class Journal {
  readonly log: EventStore
  readonly projection: Projection
  readonly changes = new Changes()
  readonly #now: () => number
  readonly #onRecord: (record: LogRecord) => void
  readonly #writes: DiskWrites
  lastOutputSeq = 0
  lastOutputMs: number
  lastInputSeq = 0
  lastInputMs: number

  constructor(options: JournalOptions) {
    this.log = options.log
    this.projection = options.projection
    this.#now = options.now
    this.#onRecord = options.onRecord
    this.#writes = new DiskWrites(options.onStall, options.onFailure)
    this.lastOutputMs = this.lastInputMs = options.now()
  }

  /** Whether the disk refuses a write. */
  get stalled(): boolean {
    return this.#writes.stalled
  }

  /** Records an event. Kept in order with the others, and retried while the disk is full. */
  append(type: EventType, payload: Uint8Array, options: AppendOptions = {}): void {
    let seq = 0
    this.#writes.write(
      () => (seq = this.log.append(type, payload)),
      () => {
        this.#apply(seq, type, payload, options.fact)
        options.onRecorded?.()
        if (options.isOutput) {
          this.lastOutputSeq = seq
          this.lastOutputMs = this.#now()
        }
        this.changes.announce()
        if (options.isOutput) this.log.offerCheckpoint(SESSION_CHECKPOINTS, () => this.#checkpoint())
      },
    )
  }

  appendFact<T extends FactType>(type: T, fact: Fact<T>, onRecorded?: () => void): void {
    this.append(type, encodeFact(fact), { fact, onRecorded })
  }

  /** Records a fact at once; throws if the disk refuses. Returns its seq. It is not announced. */
  commit<T extends FactType>(type: T, fact: Fact<T>): number {
    const payload = encodeFact(fact)
    const seq = this.log.append(type, payload)
    this.#apply(seq, type, payload, fact)
    return seq
  }

  /** An input that was committed is on its way. */
  entered(seq: number): void {
    this.lastInputSeq = seq
    this.lastInputMs = this.#now()
    this.changes.announce()
  }

  /** Makes another write to the disk, after those before it. */
  write(write: () => void): void {
    this.#writes.write(write)
  }

  /** Runs once everything before it is on disk. */
  after(run: () => void): void {
    this.#writes.after(run)
  }

  /** Gives up what waits for the disk, and closes the log. */
  async close(): Promise<void> {
    this.#writes.close()
    await this.log.close()
  }

  /** Before the exit, when the source still shows something. */
  #checkpoint(): Uint8Array | null {
    const projection = this.projection.checkpoint()
    const head = { seq: this.log.seq, exit: null, last_output_seq: this.lastOutputSeq }
    return projection === null ? null : encodeCheckpoint(head, projection)
  }

  #apply(seq: number, type: EventType, payload: Uint8Array, fact: unknown): void {
    const record = { seq, time: this.log.time, typeNumber: EVENT_TYPE_NUMBERS[type], payload, fact }
    this.projection.apply(record)
    this.#onRecord(record)
  }
}

function encodeFact(fact: object): Buffer {
  return Buffer.from(JSON.stringify(fact))
}
