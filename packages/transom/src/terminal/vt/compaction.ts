/** Drops the styles, clusters and links that no cell has any more. */
import { CLUSTER_BASE, EMPTY_CELL, Grid, WIDE_SPACER } from '@transom/grid'
import { ClusterTable } from './cluster-table.ts'
import { LinkTable } from './link-table.ts'
import type { StyleTable } from './style-table.ts'
import { createPen, type TerminalState } from './terminal-state.ts'

/** A screen of true colour has some thousands of styles; an animated gradient makes as many with every frame. */
const TABLE_ENTRIES_MAX = 50_000

export function needsCompaction(state: TerminalState): boolean {
  return (
    state.styles.size + state.clusters.size + state.links.size >
    TABLE_ENTRIES_MAX + state.compactedEntries * 2
  )
}

/**
 * Gives the terminal new tables with what is in use alone, numbered in the order of the screens' cells. The old ones
 * stay as they are: frames refer to them. Returns a copy of `grid` that refers to the new ones.
 */
export function compactTables(state: TerminalState, grid: Grid | null): Grid | null {
  const renumbering = new Renumbering(state)
  for (const screen of [state.main, state.alt]) {
    for (let row = 0; row < state.rows; row++) {
      const slot = screen.slotOf(row)
      const start = slot * screen.cols
      const end = start + (screen.lengths[slot] ?? 0)
      for (let at = start; at < end; at++) {
        screen.codes[at] = renumbering.codeOf(screen.codes[at] ?? EMPTY_CELL)
        screen.styles[at] = renumbering.styleOf(screen.styles[at] ?? 0)
      }
      screen.touch(slot)
    }
  }
  state.history.renumber(
    (code) => renumbering.codeOf(code),
    (style) => renumbering.styleOf(style),
  )
  for (const pen of [state.pen, state.saved.main.pen, state.saved.alt.pen])
    pen.link = renumbering.linkOf(pen.link)
  if (state.lastGraphic !== 0) state.lastGraphic = renumbering.codeOf(state.lastGraphic)
  state.styles = renumbering.styles
  state.clusters = renumbering.clusters
  state.compactedEntries = state.styles.size + state.clusters.size + state.links.size
  state.penChanged()
  return grid === null ? null : renumberedGrid(grid, renumbering)
}

function renumberedGrid(grid: Grid, renumbering: Renumbering): Grid {
  const { styles, clusters } = renumbering
  const copy = new Grid(grid.cols, grid.rows, { styles, clusters })
  for (let at = 0; at < grid.codes.length; at++) {
    copy.codes[at] = renumbering.codeOf(grid.codes[at] ?? EMPTY_CELL)
    copy.styleIds[at] = renumbering.styleOf(grid.styleIds[at] ?? 0)
  }
  copy.wrapped.set(grid.wrapped)
  return copy
}

class Renumbering {
  readonly styles: StyleTable
  readonly clusters = new ClusterTable()
  readonly #oldStyles: StyleTable
  readonly #oldClusters: ClusterTable
  readonly #oldLinks: LinkTable
  readonly #links: LinkTable
  readonly #styleIds: Int32Array
  readonly #pen = createPen()

  constructor(state: TerminalState) {
    this.#oldStyles = state.styles
    this.#oldClusters = state.clusters
    this.#oldLinks = state.links
    this.#links = state.links = new LinkTable()
    this.styles = state.createStyles()
    this.#styleIds = new Int32Array(state.styles.size).fill(-1)
  }

  codeOf(code: number): number {
    if (code < CLUSTER_BASE || code === WIDE_SPACER) return code
    return this.clusters.intern(this.#oldClusters.valueOf(code - CLUSTER_BASE))
  }

  styleOf(id: number): number {
    const known = this.#styleIds[id] ?? 0
    if (known >= 0) return known
    this.#oldStyles.read(id, this.#pen)
    this.#pen.link = this.linkOf(this.#pen.link)
    return (this.#styleIds[id] = this.styles.idOf(this.#pen))
  }

  linkOf(link: number): number {
    return link === 0 ? 0 : this.#links.intern(this.#oldLinks.idOf(link), this.#oldLinks.uriOf(link))
  }
}
