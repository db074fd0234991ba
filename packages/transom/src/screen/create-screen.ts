import type { SessionKind } from '@transom/protocol'
import { VtEmulator } from '../terminal/vt/vt-emulator.ts'
import type { Screen } from './screen.ts'
import { TerminalScreen } from './terminal-screen.ts'
import { WebScreen } from './web-screen.ts'

/** The screen of a session at its beginning. */
export function createScreen({
  kind,
  cols,
  rows,
}: {
  kind: SessionKind
  cols: number
  rows: number
}): Screen {
  switch (kind) {
    case 'terminal':
      return new TerminalScreen(new VtEmulator(cols, rows))
    case 'web':
      return new WebScreen(cols, rows)
    default:
      return kind satisfies never
  }
}
