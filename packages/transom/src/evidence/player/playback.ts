import type { Tape, TapeHead } from './tape.ts'

const SPEED_MAX = 64
const SPEED_MIN = 1 / 8
const SKIP_MS = 5000

export type PlayerCommand =
  | 'toggle'
  | 'step'
  | 'step_back'
  | 'forward'
  | 'back'
  | 'next_chapter'
  | 'previous_chapter'
  | 'faster'
  | 'slower'
  | 'start'
  | 'end'
  | 'quit'
  | { readonly percent: number }

/** Plays a tape: what is shown when, and what the viewer wants instead. Time comes from its caller. */
export class Playback {
  readonly #tape: Tape
  readonly #head: TapeHead
  #positionMs = 0
  speed: number
  playing: boolean

  constructor(tape: Tape, head: TapeHead, options: { speed: number; playing: boolean }) {
    this.#tape = tape
    this.#head = head
    this.speed = options.speed
    this.playing = options.playing
  }

  get positionMs(): number {
    return this.#positionMs
  }

  get place(): number {
    return this.#head.place
  }

  /** Goes on by so much real time; returns after how much more there is something to play, or null for never. */
  async advance(elapsedMs: number): Promise<number | null> {
    if (!this.playing) return null
    this.#positionMs = Math.min(this.#positionMs + elapsedMs * this.speed, this.#tape.durationMs)
    await this.#head.moveTo(this.#tape.placeAt(this.#positionMs))
    const nextMs = this.#tape.nextMs(this.#head.place)
    if (nextMs !== null) return (nextMs - this.#positionMs) / this.speed
    this.playing = await this.#tape.extend() // a session that goes on may have more by now
    return this.playing ? 0 : null
  }

  async seek(place: number): Promise<void> {
    await this.#head.moveTo(place)
    this.#positionMs = this.#tape.timeOf(this.#head.place)
  }

  /** Does what the viewer asked for. */
  async command(command: PlayerCommand): Promise<void> {
    const { place } = this.#head
    if (typeof command === 'object') return this.#seekTime((this.#tape.durationMs * command.percent) / 100)
    switch (command) {
      case 'toggle':
        return this.#toggle()
      case 'step':
      case 'step_back':
        this.playing = false
        return this.seek(this.#tape.visibleFrom(place, command === 'step' ? 1 : -1))
      case 'forward':
        return this.#seekTime(this.#positionMs + SKIP_MS)
      case 'back':
        return this.#seekTime(this.#positionMs - SKIP_MS)
      case 'next_chapter':
      case 'previous_chapter':
        return this.#seekChapter(command === 'next_chapter')
      case 'faster':
        this.speed = Math.min(SPEED_MAX, this.speed * 2)
        return
      case 'slower':
        this.speed = Math.max(SPEED_MIN, this.speed / 2)
        return
      case 'start':
        return this.seek(1)
      case 'end':
        await this.#tape.extend()
        return this.seek(this.#tape.count)
      case 'quit':
        return
      default:
        return command satisfies never
    }
  }

  async #toggle(): Promise<void> {
    this.playing = !this.playing
    if (this.playing && this.place === this.#tape.count && !(await this.#tape.extend())) await this.seek(1)
  }

  async #seekTime(atMs: number): Promise<void> {
    this.#positionMs = Math.min(Math.max(0, atMs), this.#tape.durationMs)
    await this.#head.moveTo(this.#tape.placeAt(this.#positionMs))
  }

  async #seekChapter(next: boolean): Promise<void> {
    const seq = this.#tape.seqOf(this.place)
    const chapters = this.#tape.chapters
    const found = next ? chapters.find((it) => it.seq > seq) : chapters.findLast((it) => it.seq < seq)
    this.playing = false
    if (found !== undefined) await this.seek(this.#tape.placeOfSeq(found.seq))
  }
}
