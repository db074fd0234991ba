import type { SessionKind } from '@transom/protocol'
import { XtermEmulator } from '../terminal/xterm-emulator.ts'
import type { Screen } from './screen.ts'
import { TerminalScreen } from './terminal-screen.ts'
import { WebScreen } from './web-screen.ts'

interface ScreenStart {
  readonly kind: SessionKind
  readonly cols: number
  readonly rows: number
}

/** The screen of a session at its beginning, or at a checkpoint: null when that one cannot be used. */
export function createScreen(start: ScreenStart): Screen
export function createScreen(start: ScreenStart, checkpoint: Uint8Array): Screen | null
export function createScreen({ kind, cols, rows }: ScreenStart, checkpoint?: Uint8Array): Screen | null {
  switch (kind) {
    case 'terminal':
      return checkpoint === undefined ? new TerminalScreen(new XtermEmulator(cols, rows)) : null
    case 'web':
      return checkpoint === undefined ? new WebScreen(cols, rows) : WebScreen.restore(checkpoint)
    default:
      return kind satisfies never
  }
}
