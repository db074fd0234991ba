/**
 * What a web page showed, exactly: unlike a keyframe also the colours of cells in which nothing is seen, so that a
 * restored screen equals the one that was kept. The length of a JSON text in ASCII, that text, then
 * runs of equal cells, in varints: length, code (of a cluster its place in the JSON), style, kind.
 */
import type { PageView } from '@transom/protocol'
import {
  CLUSTER_BASE,
  DEFAULT_STYLE,
  Grid,
  WIDE_SPACER,
  createGridTables,
  type InternedGridTables,
} from '@transom/grid'
import type { CaretCell } from './cell-runs.ts'
import { ByteReader, ByteWriter } from '../../lib/varint.ts'

const VERSION = 1
const CODE_POINT = 0
const CODE_CLUSTER = 1
const CODE_SPACER = 2

export interface WebState {
  readonly grid: Grid
  readonly kinds: Uint8Array
  readonly caret: CaretCell | null
  readonly page: PageView
  readonly seq: number
}

/** Everything but the cells. */
interface Beside extends Omit<WebState, 'grid' | 'kinds'> {
  readonly version: number
  readonly cols: number
  readonly rows: number
  /** The foreground and background of each style. */
  readonly styles: readonly (readonly [number, number])[]
  readonly clusters: readonly string[]
}

export function encodeWebCheckpoint(state: WebState): Uint8Array {
  const { grid, caret, page, seq } = state
  const { cols, rows, tables } = grid
  const [styles, clusters] = [new Places<number>(), new Places<string>()]
  const cells = encodeCells(state, styles, clusters)
  const styleColors = styles.values.map((id): [number, number] => {
    const { fg, bg } = tables.styles.valueOf(id)
    return [fg, bg]
  })
  const names = clusters.values
  const beside: Beside = {
    version: VERSION,
    cols,
    rows,
    caret,
    page,
    seq,
    styles: styleColors,
    clusters: names,
  }
  const writer = new ByteWriter()
  const text = asciiJson(beside)
  writer.varint(text.length)
  for (let at = 0; at < text.length; at++) writer.byte(text.charCodeAt(at))
  for (const byte of cells) writer.byte(byte)
  return writer.bytes()
}

function encodeCells(
  { grid, kinds }: WebState,
  styles: Places<number>,
  clusters: Places<string>,
): Uint8Array {
  const { codes, styleIds, tables } = grid
  const writer = new ByteWriter()
  const isSame = (one: number, other: number) =>
    codes[one] === codes[other] && styleIds[one] === styleIds[other] && kinds[one] === kinds[other]
  for (let start = 0; start < codes.length;) {
    let end = start + 1
    while (end < codes.length && isSame(start, end)) end++
    writer.varint(end - start)
    const code = codes[start] ?? 0
    if (code === WIDE_SPACER) writer.byte(CODE_SPACER)
    else if (code < CLUSTER_BASE) {
      writer.byte(CODE_POINT)
      writer.varint(code)
    } else {
      writer.byte(CODE_CLUSTER)
      writer.varint(clusters.of(tables.clusters.valueOf(code - CLUSTER_BASE)))
    }
    writer.varint(styles.of(styleIds[start] ?? 0))
    writer.byte(kinds[start] ?? 0)
    start = end
  }
  return writer.bytes()
}

/** Null for the checkpoint of another version. */
export function decodeWebCheckpoint(
  bytes: Uint8Array,
): (WebState & { readonly tables: InternedGridTables }) | null {
  const reader = new ByteReader(bytes)
  const characters = Array.from({ length: reader.varint() }, () => String.fromCharCode(reader.byte()))
  // Written by encodeWebCheckpoint(): the store has checked that not a bit has changed.
  const beside = JSON.parse(characters.join('')) as Beside
  if (beside.version !== VERSION) return null
  const { cols, rows, caret, page, seq } = beside
  const tables = createGridTables()
  const styleIds = beside.styles.map(([fg, bg]) => tables.styles.idOf({ ...DEFAULT_STYLE, fg, bg }))
  const clusterIds = beside.clusters.map((cluster) => tables.clusters.idOf(cluster))
  const grid = new Grid(cols, rows, tables, 'painted')
  const kinds = new Uint8Array(cols * rows)
  for (let start = 0; !reader.atEnd;) {
    const end = start + reader.varint()
    grid.codes.fill(readCode(reader, clusterIds), start, end)
    grid.styleIds.fill(styleIds[reader.varint()] ?? 0, start, end)
    kinds.fill(reader.byte(), start, end)
    start = end
  }
  return { grid, kinds, caret, page, seq, tables }
}

function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function readCode(reader: ByteReader, clusterIds: readonly number[]): number {
  const kind = reader.byte()
  if (kind === CODE_SPACER) return WIDE_SPACER
  const value = reader.varint()
  return kind === CODE_CLUSTER ? CLUSTER_BASE + (clusterIds[value] ?? 0) : value
}

/** Numbers values in the order in which they come. */
class Places<T> {
  readonly values: T[] = []
  readonly #places = new Map<T, number>()

  of(value: T): number {
    const known = this.#places.get(value)
    if (known !== undefined) return known
    this.#places.set(value, this.values.length)
    return this.values.push(value) - 1
  }
}
