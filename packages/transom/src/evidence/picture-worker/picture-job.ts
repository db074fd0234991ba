/** What crosses between the host and the thread that draws: plain values, copied. */
import type { CursorState } from '@transom/protocol'
import type { WireError } from '@transom/protocol/errors'
import { CLUSTER_BASE, EMPTY_CELL, Grid, WIDE_SPACER, createGridTables, type Style } from '@transom/grid'
import type { CellRange, PictureView } from '../pictures/rasterizer.ts'

/** A Frame without its tables, which grow with the session: only the styles and clusters that it shows. */
export interface PackedView {
  readonly cols: number
  readonly rows: number
  readonly codes: Uint32Array<ArrayBuffer>
  readonly styleIds: Uint32Array<ArrayBuffer>
  readonly styles: readonly Style[]
  readonly clusters: readonly string[]
  readonly cursor: CursorState
  readonly title: string
}

export interface PictureJob {
  readonly view: PackedView
  readonly format: 'png' | 'svg' | 'html'
  readonly theme: 'dark' | 'light'
  /** A file of colours, which goes before the theme. */
  readonly scheme: string | null
  readonly scale: number
  readonly padding: number
  readonly showCursor: boolean
  readonly window: { readonly title: string } | null
  readonly crop: CellRange | null
  /** The line below an HTML page. */
  readonly caption: string
  /** The file to write, which must not be there. */
  readonly out: string
}

export interface DrawnPicture {
  readonly width: number | null
  readonly height: number | null
  readonly theme: string
  readonly missing: { readonly codePoints: readonly string[]; readonly install: readonly string[] } | null
}

export interface JobMessage {
  readonly id: number
  readonly job: PictureJob
}

export type AnswerMessage =
  { readonly id: number; readonly drawn: DrawnPicture } | { readonly id: number; readonly error: WireError }

/** What the thread is started with: open files, which stay what they were when an upgrade replaces them on disk. */
export interface WorkerStart {
  /** Of the glyphs at scale 1, 2 and 3. */
  readonly glyphFiles: readonly number[]
  /** Where optional packages are looked for: from the program's own place upwards. */
  readonly program: string
}

export function packView({ grid, cursor, title = '' }: PictureView): PackedView {
  const styles: Style[] = []
  const clusters: string[] = []
  const styleNumbers = new Map<number, number>()
  const clusterNumbers = new Map<number, number>()
  const styleIds = grid.styleIds.map((id) =>
    numberOf(id, styleNumbers, () => styles.push(grid.tables.styles.valueOf(id))),
  )
  const codes = grid.codes.map((code) => {
    if (code < CLUSTER_BASE || code === WIDE_SPACER) return code
    const id = code - CLUSTER_BASE
    return CLUSTER_BASE + numberOf(id, clusterNumbers, () => clusters.push(grid.tables.clusters.valueOf(id)))
  })
  return { cols: grid.cols, rows: grid.rows, codes, styleIds, styles, clusters, cursor, title }
}

export function unpackView({
  cols,
  rows,
  codes,
  styleIds,
  styles,
  clusters,
  cursor,
  title,
}: PackedView): PictureView {
  const tables = createGridTables()
  const styleOf = styles.map((style) => tables.styles.idOf(style))
  const clusterOf = clusters.map((cluster) => tables.clusters.idOf(cluster))
  const grid = new Grid(cols, rows, tables)
  for (let index = 0; index < cols * rows; index++) {
    const code = codes[index] ?? EMPTY_CELL
    const isCluster = code >= CLUSTER_BASE && code !== WIDE_SPACER
    grid.codes[index] = isCluster ? CLUSTER_BASE + (clusterOf[code - CLUSTER_BASE] ?? 0) : code
    grid.styleIds[index] = styleOf[styleIds[index] ?? 0] ?? 0
  }
  return { grid, cursor, title }
}

function numberOf(id: number, numbers: Map<number, number>, add: () => number): number {
  let number = numbers.get(id)
  if (number === undefined) numbers.set(id, (number = add() - 1))
  return number
}
