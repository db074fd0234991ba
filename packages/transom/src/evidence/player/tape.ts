import { EVENT_TYPE_NUMBERS } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import type { LogRecord } from '../../log/record.ts'
import { Chapters, type Chapter } from '../recordings/chapters.ts'
import { Timeline } from '../recordings/timeline.ts'
import type { SessionLog } from '../../session/session-log.ts'
import { SessionReplay } from '../replay/session-replay.ts'
import type { Projection } from '../../session/projection.ts'

const VISIBLE_TYPES: readonly number[] = [
  EVENT_TYPE_NUMBERS.output,
  EVENT_TYPE_NUMBERS.block_begin,
  EVENT_TYPE_NUMBERS.resize,
  EVENT_TYPE_NUMBERS.web_frame,
]

/** A log made ready for moving about in: when each record is played. */
export class Tape {
  readonly log: SessionLog
  readonly #chapters = new Chapters()
  readonly #idleLimitMs: number | null
  readonly #seqs: number[] = []
  readonly #atMs: number[] = []
  readonly #times: number[] = []
  readonly #visible: boolean[] = []
  #timeline: Timeline | null = null

  private constructor(log: SessionLog, idleLimitMs: number | null) {
    this.log = log
    this.#idleLimitMs = idleLimitMs
  }

  static async open(log: SessionLog, idleLimitMs: number | null): Promise<Tape> {
    const tape = new Tape(log, idleLimitMs)
    await tape.extend()
    if (tape.count > 0) return tape
    const { path } = log.events
    throw new OpError('log_corrupt', `${path} has no records`, { path })
  }

  /** How many records there are. A place on the tape is a number of records that have been played. */
  get count(): number {
    return this.#seqs.length
  }

  get durationMs(): number {
    return this.#atMs.at(-1) ?? 0
  }

  get chapters(): readonly Chapter[] {
    return this.#chapters.list
  }

  /** Reads what has been appended since; returns whether there was anything. */
  async extend(): Promise<boolean> {
    const before = this.count
    await this.log.events.fold([{ seq: this.seqOf(before), apply: (record) => this.#take(record) }])
    return this.count > before
  }

  /** When the record after a place is played; null at the end. */
  nextMs(place: number): number | null {
    return this.#atMs[place] ?? null
  }

  /** When the last record before a place was played. */
  timeOf(place: number): number {
    return this.#atMs[place - 1] ?? 0
  }

  seqOf(place: number): number {
    return this.#seqs[place - 1] ?? 0
  }

  /** The place where everything up to a time has been played. */
  placeAt(atMs: number): number {
    return countUpTo(this.#atMs, atMs)
  }

  placeOfSeq(seq: number): number {
    return countUpTo(this.#seqs, seq)
  }

  /** By the clock on the wall, in milliseconds since 1970. */
  placeOfTime(timeMs: number): number {
    return countUpTo(this.#times, timeMs)
  }

  /** The nearest place before or after this one where something else may be seen. */
  visibleFrom(place: number, direction: 1 | -1): number {
    for (let at = place + direction; at > 0 && at <= this.count; at += direction)
      if (this.#visible[at - 1]) return at
    return direction === 1 ? this.count : Math.min(1, this.count)
  }

  #take(record: LogRecord): void {
    this.#timeline ??= new Timeline({ speed: 1, idleLimitMs: this.#idleLimitMs }, record.time)
    const atMs = this.#timeline.at(record.time)
    this.#seqs.push(record.seq)
    this.#atMs.push(atMs)
    this.#times.push(record.time)
    this.#visible.push(VISIBLE_TYPES.includes(record.typeNumber))
    this.#chapters.take(record, atMs)
  }
}

/** The screen at a place of a tape. Going forward plays what lies between; going back begins at a checkpoint, or anew. */
export class TapeHead {
  readonly #tape: Tape
  #replay: SessionReplay
  #place = 0

  constructor(tape: Tape) {
    this.#tape = tape
    this.#replay = new SessionReplay(tape.log)
  }

  get place(): number {
    return this.#place
  }

  get screen(): Projection {
    return this.#replay.screen
  }

  async moveTo(place: number): Promise<void> {
    const wanted = Math.min(Math.max(1, place), this.#tape.count) // the first record gives the size
    if (wanted === this.#place) return
    if (wanted < this.#place) this.#replay = new SessionReplay(this.#tape.log)
    await this.#tape.log.events.fold([this.#replay], { to: this.#tape.seqOf(wanted) })
    this.#place = this.#tape.placeOfSeq(this.#replay.seq)
  }
}

/** How many of the values, which never fall, are at most this. */
function countUpTo(values: readonly number[], limit: number): number {
  let [low, high] = [0, values.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((values[middle] ?? 0) <= limit) low = middle + 1
    else high = middle
  }
  return low
}
