import { EVENT_TYPE_NUMBERS, resizeEvent } from '@transom/protocol'
import { paintCursor, paintRows } from '@transom/tui'
import { changedRows } from '@transom/grid'
import { factOf } from '../../log/facts.ts'
import type { Frame } from '../../terminal/emulator.ts'
import { CastLines, type CastVersion } from './asciicast.ts'
import { Chapters } from './chapters.ts'
import type { RangeRead, RecordedEvent, RecordingReader, RecordingStart } from './recorded-events.ts'

/** Takes text in the order of the file; resolves when more may come. */
export type WriteText = (text: string) => Promise<void>

/**
 * Writes an asciicast. From the start of a session on, its output is the program's own. A recording that starts later
 * cannot be: what the program did to the terminal before (margins, modes, a half-printed sequence) is not in it. It is
 * drawn from the Grid instead, as is right in every player.
 */
export class CastRecorder implements RecordingReader {
  readonly chapters = new Chapters()
  readonly #lines: CastLines
  readonly #write: WriteText
  /** The last frame that was drawn; null where the program's own bytes are written. */
  #drawn: Frame | null = null
  #ownBytes: NonNullable<RecordingStart['ownBytes']> = () => null

  get needsScreen(): boolean {
    return this.#drawn !== null
  }

  constructor(version: CastVersion, write: WriteText) {
    this.#lines = new CastLines(version)
    this.#write = write
  }

  async start({ screen, startMs, command, ownBytes }: RecordingStart): Promise<void> {
    const frame = screen.frame()
    const { cols, rows } = frame.grid
    const info = { cols, rows, startMs, title: frame.title, command: command.join(' ') }
    await this.#write(this.#lines.header(info))
    if (ownBytes) {
      this.#ownBytes = ownBytes
      return
    }
    this.#drawn = frame
    await this.#write(this.#lines.text(0, whole(frame)))
  }

  async event(event: RecordedEvent): Promise<void> {
    const { record, atMs } = event
    const chapter = this.chapters.take(record, atMs)
    if (chapter !== null) await this.#write(this.#lines.marker(atMs, chapter.label))
    if (record.typeNumber === EVENT_TYPE_NUMBERS.resize) {
      const { cols, rows } = factOf(record, resizeEvent)
      await this.#write(this.#lines.resize(atMs, cols, rows))
    }
    if (this.#drawn !== null) return this.#draw(this.#drawn, event)
    const bytes = this.#ownBytes(record)
    if (bytes !== null) await this.#write(this.#lines.output(atMs, bytes))
  }

  async end({ durationMs, exitCode }: RangeRead): Promise<void> {
    await this.#write(this.#lines.end(durationMs))
    if (exitCode !== null) await this.#write(this.#lines.exit(durationMs, exitCode))
  }

  async #draw(before: Frame, { screen, atMs }: RecordedEvent): Promise<void> {
    const frame = screen.frame()
    if (frame === before) return
    this.#drawn = frame
    const sameSize = before.grid.cols === frame.grid.cols && before.grid.rows === frame.grid.rows
    const text = sameSize
      ? paintRows(frame.grid, changedRows(before.grid, frame.grid)) + paintCursor(frame.cursor)
      : whole(frame)
    await this.#write(this.#lines.text(atMs, text))
  }
}

/** The whole screen, on a terminal about which nothing is known. */
function whole({ grid, cursor }: Frame): string {
  const rows = Array.from({ length: grid.rows }, (_, row) => row)
  return `\u001bc\u001b[?7l${paintRows(grid, rows)}${paintCursor(cursor)}`
}
