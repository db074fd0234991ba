/** The engine that the row `terminal-engine` measures, and what it is compared with. */
export { VtEmulator } from '../../packages/transom/src/terminal/vt/vt-emulator.ts'
export { XtermOracle } from '../../test/support/xterm-oracle.ts'
export { loadGhostty } from './ghostty-terminal.ts'
