import {
  CLUSTER_BASE,
  DEFAULT_STYLE,
  EMPTY_CELL,
  Grid,
  RGB_COLOR,
  WIDE_SPACER,
  createGridTables,
  type InternedGridTables,
} from '@transom/grid'
import type { DecodedFrame } from './frame-decoding.ts'
import { CELL_GRAPHIC, type WebFrame } from './web-frame.ts'

/** Past this many colour pairs or clusters the tables are begun anew: a video has new ones in every frame. */
const TABLE_ENTRIES_MAX = 1 << 15

/** Makes frames of decoded pictures. Neighbouring ones share their tables, so that they can be compared cell by cell. */
export class WebFrames {
  #tables: InternedGridTables = createGridTables()
  /** Style ids by foreground and background. */
  #styleIds = new Map<number, number>()

  /** The frame that comes after `before`; that one, when nothing has changed. */
  frameOf(decoded: DecodedFrame, scale: number, before: WebFrame | null): WebFrame {
    const { kinds, originX, originY } = decoded
    const frame: WebFrame = { grid: this.#gridOf(decoded), kinds, originX, originY, scale }
    return before !== null && sameFrame(before, frame) ? before : frame
  }

  #gridOf(frame: DecodedFrame): Grid {
    if (this.#tables.styles.size > TABLE_ENTRIES_MAX || this.#tables.clusters.size > TABLE_ENTRIES_MAX) {
      this.#tables = createGridTables()
      this.#styleIds = new Map()
    }
    const grid = new Grid(frame.cols, frame.rows, this.#tables, 'painted')
    for (let index = 0; index < frame.codes.length; index++) {
      const code = frame.codes[index] ?? EMPTY_CELL
      grid.codes[index] = code >= CLUSTER_BASE && code !== WIDE_SPACER ? this.#clusterCode(frame, code) : code
      const bg = frame.bg[index] ?? 0
      // Invisible differences must not make two frames differ.
      const fg = code === EMPTY_CELL ? bg : (frame.fg[index] ?? 0)
      grid.styleIds[index] = this.#styleId(fg, bg)
    }
    return grid
  }

  #clusterCode(frame: DecodedFrame, code: number): number {
    return CLUSTER_BASE + this.#tables.clusters.idOf(frame.clusters[code - CLUSTER_BASE] ?? '')
  }

  #styleId(fg: number, bg: number): number {
    const key = fg * 0x100_0000 + bg
    let id = this.#styleIds.get(key)
    if (id === undefined) {
      id = this.#tables.styles.idOf({ ...DEFAULT_STYLE, fg: fg | RGB_COLOR, bg: bg | RGB_COLOR })
      this.#styleIds.set(key, id)
    }
    return id
  }
}

/** Whether two frames show the same. */
function sameFrame(a: WebFrame, b: WebFrame): boolean {
  return (
    a.grid.cols === b.grid.cols &&
    a.grid.rows === b.grid.rows &&
    a.scale === b.scale &&
    a.grid.tables === b.grid.tables &&
    isSame(a.grid.codes, b.grid.codes) &&
    isSame(a.grid.styleIds, b.grid.styleIds) &&
    isSame(a.kinds, b.kinds) &&
    isSame(a.originX, b.originX) &&
    isSame(a.originY, b.originY)
  )
}

/** The Grid with the text alone: where graphics are, cells are empty. */
export function textGrid({ grid, kinds }: WebFrame): Grid {
  const text = grid.clone()
  for (let index = 0; index < kinds.length; index++) {
    if (kinds[index] === CELL_GRAPHIC) text.codes[index] = EMPTY_CELL
  }
  return text
}

type Cells = Uint32Array | Uint8Array | Int16Array

function isSame(a: Cells, b: Cells): boolean {
  return Buffer.compare(bytesOf(a), bytesOf(b)) === 0
}

function bytesOf({ buffer, byteOffset, byteLength }: Cells): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}
