import { textGrid } from '../../packages/transom/src/sources/web/frame-grid.ts'
import { CELL_TEXT, type WebFrame } from '../../packages/transom/src/sources/web/web-frame.ts'
import type { TestPage } from './web.ts'

/** What the DOM says is visible: `fixtures/web/truth.js` collects it. */
export interface Truth {
  readonly characters: readonly {
    readonly text: string
    readonly x: number
    readonly y: number
    /** False when it is partly covered or cut off. */
    readonly whole: boolean
  }[]
  readonly texts: readonly { readonly text: string; readonly top: number; readonly bottom: number }[]
}

export interface Comparison {
  readonly expected: number
  readonly right: number
  /** Characters that are partly covered or cut off, and so are no text to anybody. */
  readonly covered: number
  readonly wrong: readonly string[]
}

export async function readTruth(page: TestPage): Promise<Truth> {
  return page.evaluate<Truth>('truth()')
}

/** Counts the characters of the truth that the frame shows where they were painted. */
export function compareWithTruth(frame: WebFrame, truth: Truth): Comparison {
  const grid = textGrid(frame)
  const wrong: string[] = []
  let expected = 0
  let right = 0
  for (const { text, x, y, whole } of truth.characters) {
    if (!whole) continue
    const parts = Array.from(text.normalize('NFC')).filter(
      (it) => !/[\p{Default_Ignorable_Code_Point}\p{Cf}]/u.test(it),
    )
    expected += parts.length
    const seen = textAround(frame, x * frame.scale, y * frame.scale, parts.length * 2)
    const found = parts.filter((part) => seen.includes(part)).length
    right += found
    if (found < parts.length)
      wrong.push(`${JSON.stringify(text)} at ${x.toFixed(1)},${y.toFixed(1)} reads ${JSON.stringify(seen)}`)
  }
  for (const { text, top, bottom } of truth.texts) {
    const length = Array.from(text.replaceAll(/\s/g, '')).length
    const first = Math.max(0, Math.floor((top * frame.scale) / 16) - 1)
    const rows = Array.from(
      { length: Math.ceil((bottom * frame.scale) / 16) + 1 - first },
      (_, at) => first + at,
    )
    const isThere = rows.some((row) => row < grid.rows && squeezed(grid.lineOf(row)).includes(squeezed(text)))
    expected += length
    if (isThere) right += length
    else wrong.push(`${JSON.stringify(text)} in rows ${first}–${rows.at(-1)}`)
  }
  const covered = truth.characters.filter(({ whole }) => !whole).length
  return { expected, right, covered, wrong }
}

function squeezed(text: string): string {
  return text.normalize('NFC').replaceAll(/\s+/g, ' ').trim()
}

/** What is read from the cells that were painted at a point, and for a cluster of several from those beside it. */
function textAround(frame: WebFrame, x: number, y: number, cells: number): string {
  const { grid, kinds, originX, originY } = frame
  for (let index = 0; index < kinds.length; index++) {
    if (kinds[index] !== CELL_TEXT) continue
    const [dx, dy] = [(originX[index] ?? 0) - x, (originY[index] ?? 0) - y]
    if (Math.abs(dx) > 2 || Math.abs(dy) > 3) continue
    const row = Math.floor(index / grid.cols)
    const col = index % grid.cols
    return grid.textOf(row, col, Math.min(grid.cols, col + (cells > 2 ? cells : 1))).normalize('NFC')
  }
  return ''
}
