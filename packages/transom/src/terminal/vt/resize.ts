import { reflow, resizeWithoutReflow, type TrackedPlace } from './reflow.ts'
import { sizeReport } from './size-report.ts'
import { defaultTabs, type TerminalState } from './terminal-state.ts'

/** Gives the terminal another size. Margins are reset, and tab stops of new columns are the default ones. */
export function resizeTerminal(state: TerminalState, cols: number, rows: number): void {
  if (cols === state.cols && rows === state.rows) return
  const { isAlt, saved, history } = state
  const cursor: TrackedPlace = { x: state.x, y: state.y, pendingWrap: state.pendingWrap }
  // While the alternate screen is shown, the main screen's cursor is the one that was saved at the switch.
  const mainPlaces = isAlt ? [saved.main] : [cursor, saved.main]
  state.main = reflow(state.main, history, cols, rows, mainPlaces)
  state.alt = resizeWithoutReflow(state.alt, cols, rows, isAlt ? cursor : null)
  state.screen = isAlt ? state.alt : state.main
  for (const place of [saved.main, saved.alt]) {
    place.x = Math.min(place.x, cols - 1)
    place.y = Math.min(place.y, rows - 1)
  }
  const tabs = defaultTabs(cols)
  tabs.set(state.tabs.subarray(0, Math.min(cols, state.tabs.length)))
  state.tabs = tabs
  state.cols = cols
  state.rows = rows
  state.x = Math.min(cols - 1, cursor.x)
  state.y = Math.min(rows - 1, cursor.y)
  state.pendingWrap = cursor.pendingWrap
  state.resetMargins()
  if (state.modes.sizeReports) state.answer(sizeReport(state))
}
