import type { AgentParams } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { changedLines, frameAnsi, frameLines } from '../../../kinds/web/frame-text.ts'
import { CELL_HEIGHT_PX, CELL_WIDTH_PX, type WebFrame } from '../../../kinds/web/web-frame.ts'
import { dialogFields, safeText } from '../../../kinds/web/page-words.ts'
import type { PageDetails, WebPage } from '../../../kinds/web/web-page.ts'

/** Frames that a `since` may name: an agent asks for the changes since what it saw last. */
const FRAMES_KEPT_MAX = 32
/** How long a snapshot waits for what only the page knows (scroll, focus); past this it tells what was known last. */
const DETAILS_TIMEOUT_MS = 250

const NO_DETAILS: PageDetails = { scroll: { x: 0, y: 0, width: 0, height: 0 }, focus: null, caret: null }

/** Draws the cells of a frame, as a terminal would show them. */
export type DrawPng = (frame: WebFrame) => Uint8Array

/** Answers `snapshot` from the frame that is in memory: a page that hangs still shows what it showed. */
export class AgentSnapshots {
  readonly #page: WebPage
  readonly #drawPng: DrawPng
  readonly #kept = new Map<number, WebFrame>()
  #details: PageDetails = NO_DETAILS
  #reading: Promise<PageDetails> | null = null
  #count = 0
  #exportMs = 0

  constructor(page: WebPage, drawPng: DrawPng) {
    this.#page = page
    this.#drawPng = drawPng
  }

  async frame(): Promise<WebFrame> {
    const frame = await this.#page.look()
    if (frame !== null) return frame
    throw new OpError('snapshot_unavailable', 'the page has not been painted yet; try again in a moment')
  }

  async take({ format = 'text', include_meta, trim, since }: AgentParams<'snapshot'>): Promise<object> {
    const frame = await this.frame()
    const { cols, rows } = frame.grid
    const startMs = performance.now()
    const before = since === undefined ? undefined : this.#kept.get(since)
    const isComparable = before !== undefined && before.grid.cols === cols && before.grid.rows === rows
    const content =
      isComparable && format === 'text'
        ? { since, changed: changedLines(before, frame) }
        : this.#content(frame, format, trim ?? false)
    this.#count++
    this.#exportMs += performance.now() - startMs
    this.#keep(frame)
    const meta = include_meta ? { meta: await this.#meta(frame) } : {}
    return { width: cols, height: rows, seq: frame.ordinal, ...content, ...meta }
  }

  #content(frame: WebFrame, format: 'text' | 'ansi' | 'png', trim: boolean): object {
    switch (format) {
      case 'text':
        return { lines: frameLines(frame, trim) }
      case 'ansi':
        return { lines: frameAnsi(frame) }
      case 'png':
        return { png_b64: Buffer.from(this.#drawPng(frame)).toString('base64') }
      default:
        return format satisfies never
    }
  }

  dialog(): object | null {
    return dialogFields(this.#page.dialog)
  }

  metrics(): object {
    const meanMs = this.#count === 0 ? 0 : this.#exportMs / this.#count
    return { count: this.#count, export_mean_ms: Math.round(meanMs * 1000) / 1000 }
  }

  #keep(frame: WebFrame): void {
    this.#kept.set(frame.ordinal, frame)
    for (const ordinal of this.#kept.keys()) {
      if (this.#kept.size <= FRAMES_KEPT_MAX) break
      this.#kept.delete(ordinal)
    }
  }

  async #meta(frame: WebFrame): Promise<object> {
    const { scroll, focus, caret } = await this.#readDetails()
    const { state } = this.#page
    const cursor = caret ?? focus?.cell ?? { row: 0, col: 0 }
    return {
      cursor: { x: cursor.col, y: cursor.row },
      url: state.url,
      title: safeText(state.title),
      dpi: frame.scale,
      scale: { width: CELL_WIDTH_PX / frame.scale, height: CELL_HEIGHT_PX / frame.scale },
      nav: { can_go_back: state.canGoBack, can_go_forward: state.canGoForward },
      loading: state.loading,
      scroll,
      focus: focus === null ? null : { ...focus, name: safeText(focus.name) },
      caret,
      dialog: this.dialog(),
    }
  }

  /** One question to the page serves everybody who asks meanwhile. */
  async #readDetails(): Promise<PageDetails> {
    if (this.#page.dialog !== null) return this.#details
    this.#reading ??= this.#page
      .details()
      .then((details) => (this.#details = details))
      .catch(() => this.#details) // a page that hangs is told of by its events
      .finally(() => (this.#reading = null))
    const late = new Promise<PageDetails>((resolve) => {
      setTimeout(() => resolve(this.#details), DETAILS_TIMEOUT_MS).unref()
    })
    return Promise.race([this.#reading, late])
  }
}
