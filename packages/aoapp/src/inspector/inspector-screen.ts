import { textCells, type Style } from '@transom/grid'
import { Canvas, TextField, type Cursor, type Rect, type TerminalEvent } from '@transom/tui'
import type { InspectorRecord, PanelLine } from './inspector-panels.ts'

const PANELS = ['Markdown', 'Changes', 'Log', 'Console', 'Processes'] as const
type Panel = (typeof PANELS)[number]

/** These grow at their end, and are looked at there. */
const GROWING: ReadonlySet<Panel> = new Set<Panel>(['Log', 'Console'])

const TONES: Readonly<Record<NonNullable<PanelLine['tone']>, Partial<Style>>> = {
  added: { fg: 2 },
  removed: { fg: 1 },
  warning: { fg: 3 },
  error: { fg: 1 },
  heading: { bold: true },
  quiet: { dim: true },
}

const HISTORY_MAX = 200
const WHEEL_ROWS = 3

export interface InspectorActions {
  /** Runs a line of the command DSL. */
  run(command: string): void
  quit(): void
}

/** What a person sees and does: panels, a search, and a command line. Knows neither terminal nor desktop. */
export class InspectorScreen {
  readonly #canvas = new Canvas(80, 24)
  readonly #record: InspectorRecord
  readonly #actions: InspectorActions
  readonly #scroll = new Map<Panel, number>()
  readonly #history: string[] = []
  #historyAt = 0
  #panel: Panel = 'Markdown'
  #command = new TextField()
  /** While something is looked for; the match that is shown. */
  #search: { readonly field: TextField; at: number } | undefined
  #status = 'Tab: next panel   Ctrl+F: search   PageUp, PageDown: scroll   Ctrl+C: quit'

  constructor(record: InspectorRecord, actions: InspectorActions) {
    this.#record = record
    this.#actions = actions
  }

  say(status: string): void {
    this.#status = status
  }

  handle(event: TerminalEvent): void {
    if (event.type === 'end' || (event.type === 'key' && event.name === 'Ctrl+c')) return this.#actions.quit()
    if (event.type === 'mouse') {
      if (event.action === 'wheel') this.#move(event.wheelRows * WHEEL_ROWS)
      return
    }
    if (event.type === 'key' && this.#handleKey(event.name)) return
    const field = this.#search?.field ?? this.#command
    if (field.handle(event) && this.#search !== undefined) this.#search.at = 0
  }

  /** Draws into so many cells; returns the Grid and where the cursor stands. */
  draw(cols: number, rows: number): { grid: Canvas['grid']; cursor: Cursor } {
    const canvas = this.#canvas
    canvas.begin(cols, rows)
    this.#drawTabs({ row: 0, col: 0, rows: 1, cols })
    const body = { row: 1, col: 0, rows: Math.max(0, rows - 3), cols }
    this.#drawPanel(body)
    canvas.statusLine({ row: rows - 2, col: 0, rows: 1, cols }, ` ${this.#status}`)
    const line = { row: rows - 1, col: 0, rows: 1, cols }
    const field = this.#search?.field ?? this.#command
    const prompt = this.#search === undefined ? '> ' : 'search: '
    const { text, cursorCol } = field.view(Math.max(1, cols - prompt.length))
    canvas.text(line, prompt + text)
    const cursor = {
      row: rows - 1,
      col: prompt.length + cursorCol,
      visible: true,
      shape: 'bar',
      blink: false,
    } as const
    return { grid: canvas.grid, cursor }
  }

  #handleKey(name: string): boolean {
    const panel = PANELS[Number(/^F([1-5])$/.exec(name)?.[1]) - 1]
    if (panel !== undefined) this.#panel = panel
    else if (name === 'Tab' || name === 'Shift+Tab') this.#turn(name === 'Tab' ? 1 : -1)
    else if (name === 'PageUp' || name === 'PageDown')
      this.#move((name === 'PageUp' ? -1 : 1) * this.#pageRows)
    else if (name === 'Ctrl+Home') this.#scroll.set(this.#panel, 0)
    else if (name === 'Ctrl+End') this.#scroll.delete(this.#panel)
    else if (name === 'Ctrl+f' && this.#search === undefined) this.#search = { field: new TextField(), at: 0 }
    else if (name === 'Escape') this.#search = undefined
    else if (name === 'Enter') this.#enter()
    else if ((name === 'Up' || name === 'Down') && this.#search === undefined)
      this.#recall(name === 'Up' ? -1 : 1)
    else return false
    return true
  }

  #turn(by: number): void {
    const next = (PANELS.indexOf(this.#panel) + by + PANELS.length) % PANELS.length
    this.#panel = PANELS[next] ?? 'Markdown'
  }

  /** In a search, goes to the next match; otherwise runs the command. */
  #enter(): void {
    if (this.#search !== undefined) {
      this.#search.at++
      return
    }
    const command = this.#command.text.trim()
    this.#command = new TextField()
    if (command === '') return
    this.#history.push(command)
    if (this.#history.length > HISTORY_MAX) this.#history.shift()
    this.#historyAt = this.#history.length
    this.#actions.run(command)
  }

  #recall(by: number): void {
    this.#historyAt = Math.max(0, Math.min(this.#historyAt + by, this.#history.length))
    this.#command = new TextField(this.#history[this.#historyAt] ?? '')
  }

  #pageRows = 1
  #top = 0
  #topMax = 0

  #move(rows: number): void {
    const top = Math.max(0, Math.min(this.#top + rows, this.#topMax))
    // At the end of what grows it stays at the end.
    if (top === this.#topMax && GROWING.has(this.#panel)) this.#scroll.delete(this.#panel)
    else this.#scroll.set(this.#panel, top)
  }

  #drawTabs(at: Rect): void {
    let col = 1
    for (const [index, name] of PANELS.entries()) {
      const style = name === this.#panel ? { inverse: true } : {}
      col +=
        this.#canvas.text(
          { ...at, col, cols: Math.max(0, at.cols - col) },
          ` F${index + 1} ${name} `,
          style,
        ) + 1
    }
  }

  #drawPanel(at: Rect): void {
    const lines = this.#lines().flatMap(({ text, tone }) =>
      wrap(text, at.cols).map((part) => ({ text: part, tone })),
    )
    this.#pageRows = Math.max(1, at.rows)
    this.#topMax = Math.max(0, lines.length - at.rows)
    const end = GROWING.has(this.#panel) ? this.#topMax : 0
    this.#top = Math.min(this.#scroll.get(this.#panel) ?? end, this.#topMax)
    const wanted = this.#search?.field.text.toLowerCase() ?? ''
    const matches =
      wanted === ''
        ? []
        : lines.flatMap(({ text }, row) => (text.toLowerCase().includes(wanted) ? [row] : []))
    const match = matches[(this.#search?.at ?? 0) % Math.max(1, matches.length)]
    if (match !== undefined) this.#scroll.set(this.#panel, (this.#top = Math.min(match, this.#topMax)))
    if (wanted !== '')
      this.#status = `${matches.length} lines hold "${wanted}"; Enter: the next one, Escape: leave`
    for (const [index, { text, tone }] of lines.slice(this.#top, this.#top + at.rows).entries()) {
      const isMatch = matches.includes(this.#top + index)
      const style = { ...(tone === undefined ? {} : TONES[tone]), ...(isMatch ? { inverse: true } : {}) }
      this.#canvas.text({ ...at, row: at.row + index, rows: 1 }, text, style)
    }
  }

  #lines(): readonly PanelLine[] {
    switch (this.#panel) {
      case 'Markdown':
        return this.#record.markdown()
      case 'Changes':
        return this.#record.changes()
      case 'Log':
        return this.#record.log()
      case 'Console':
        return this.#record.console()
      case 'Processes':
        return this.#record.processes()
      default:
        return this.#panel satisfies never
    }
  }
}

/** A line in as many pieces as its columns need. */
function wrap(text: string, cols: number): string[] {
  const pieces: string[] = []
  let [piece, width] = ['', 0]
  for (const cell of textCells(text)) {
    if (width + cell.width > cols && piece !== '') {
      pieces.push(piece)
      ;[piece, width] = ['', 0]
    }
    piece += cell.text
    width += cell.width
  }
  return [...pieces, piece]
}
