import { DEFAULT_COLOR, RGB_COLOR, WIDE_SPACER, type Grid, type Style } from '@transom/grid'
import { Unicode11Addon } from '@xterm/addon-unicode11'
import { Terminal, type IBufferCell } from '@xterm/headless'

/** The parts of @xterm/headless that its public API does not reach: it writes only when a timer fires. */
interface Internals {
  readonly _inputHandler: { parse(bytes: Uint8Array): unknown }
}

/** @xterm/headless, to compare with. */
export class XtermOracle {
  readonly #terminal: Terminal
  readonly #internals: Internals

  constructor(cols: number, rows: number) {
    this.#terminal = new Terminal({ cols, rows, scrollback: 1000, allowProposedApi: true, logLevel: 'off' })
    this.#terminal.loadAddon(new Unicode11Addon())
    this.#terminal.unicode.activeVersion = '11'
    this.#internals = (this.#terminal as unknown as { _core: Internals })._core
  }

  write(bytes: Uint8Array): void {
    this.#internals._inputHandler.parse(bytes)
  }

  /** Where the cursor is; in the last column it waits for a wrap when `pending`. */
  cursor(): { col: number; row: number; pending: boolean } {
    const { cursorX, cursorY } = this.#terminal.buffer.active
    const pending = cursorX === this.#terminal.cols
    return { col: pending ? cursorX - 1 : cursorX, row: cursorY, pending }
  }

  /** Each row's cells: the text, and how it looks. */
  rows(): string[][] {
    const { active } = this.#terminal.buffer
    return Array.from({ length: this.#terminal.rows }, (_, row) => {
      const line = active.getLine(active.baseY + row)
      return Array.from({ length: this.#terminal.cols }, (__, col) => {
        const cell = line?.getCell(col)
        return cell === undefined ? '' : cellText(cell)
      })
    })
  }

  /** Whether half of a wide character stands alone, as it does after an insertion between the two. */
  hasHalves(): boolean {
    const { active } = this.#terminal.buffer
    for (let row = 0; row < this.#terminal.rows; row++) {
      const line = active.getLine(active.baseY + row)
      for (let col = 0; col < this.#terminal.cols; col++) {
        const isLeft = line?.getCell(col)?.getWidth() === 2
        const isRight = line?.getCell(col + 1)?.getWidth() === 0
        if (isLeft !== isRight) return true
      }
    }
    return false
  }
}

function cellText(cell: IBufferCell): string {
  const text = cell.getWidth() === 0 ? '' : cell.getChars() || ' '
  const color = (isDefault: boolean, isRgb: boolean, value: number) =>
    isDefault ? 'default' : isRgb ? `#${value.toString(16)}` : `${value}`
  const fg = text === ' ' ? '' : color(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor())
  const bg = color(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor())
  const flags = [cell.isBold(), cell.isItalic(), cell.isUnderline(), cell.isInverse()]
  return `${text} ${fg} ${bg} ${flags.map((flag) => (flag === 0 ? '-' : '+')).join('')}`
}

/** The cells of a Grid as XtermOracle.rows() has them. */
export function gridRows(grid: Grid): string[][] {
  return Array.from({ length: grid.rows }, (_, row) =>
    Array.from({ length: grid.cols }, (__, col) => {
      const at = row * grid.cols + col
      const text = grid.codes[at] === WIDE_SPACER ? '' : grid.textOf(row, col, col + 1)
      return styledText(text, grid.tables.styles.valueOf(grid.styleIds[at] ?? 0))
    }),
  )
}

function styledText(text: string, style: Style): string {
  const color = (value: number) =>
    value === DEFAULT_COLOR
      ? 'default'
      : value & RGB_COLOR
        ? `#${(value & 0xffffff).toString(16)}`
        : `${value}`
  const flags = [style.bold, style.italic, style.underline !== 'none', style.inverse]
  return `${text} ${text === ' ' ? '' : color(style.fg)} ${color(style.bg)} ${flags.map((flag) => (flag ? '+' : '-')).join('')}`
}
