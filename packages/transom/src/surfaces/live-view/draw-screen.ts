import type { ShownScreen } from '@transom/client'
import { RGB_COLOR } from '@transom/grid'
import type { StyledRun } from '@transom/protocol'
import type { Canvas, Rect, StyleChange } from '@transom/tui'

/** Draws what a session shows into a rectangle of a person's terminal, from its upper left corner, clipped. */
export function drawScreen(canvas: Canvas, at: Rect, { lines }: Pick<ShownScreen, 'lines'>): void {
  lines.slice(0, at.rows).forEach(({ cells = [] }, index) => {
    for (const run of cells) {
      const cols = Math.min(run.width, at.cols - run.col)
      canvas.text({ row: at.row + index, col: at.col + run.col, rows: 1, cols }, run.text, styleOf(run))
    }
  })
}

const FLAGS = [
  'bold',
  'dim',
  'italic',
  'blink',
  'inverse',
  'invisible',
  'strikethrough',
  'overline',
] as const satisfies (keyof StyledRun & keyof StyleChange)[]

function styleOf(run: StyledRun): StyleChange {
  const style: { -readonly [K in keyof StyleChange]: StyleChange[K] } = {}
  if (run.fg !== undefined) style.fg = colorOf(run.fg)
  if (run.bg !== undefined) style.bg = colorOf(run.bg)
  if (run.underline !== undefined) style.underline = run.underline
  if (run.underline_color !== undefined) style.underlineColor = colorOf(run.underline_color)
  for (const flag of FLAGS) if (run[flag]) style[flag] = true
  if (run.link !== undefined) style.link = run.link
  return style
}

function colorOf(color: number | string): number {
  return typeof color === 'number' ? color : RGB_COLOR | Number.parseInt(color.slice(1), 16)
}
