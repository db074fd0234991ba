import type { CreatedEvent } from '@transom/protocol'
import type { LogRecord } from '../../log/record.ts'
import type { Capability } from '../../session/capabilities.ts'
import type { KindView, TextExport } from '../../session/kind.ts'
import { TextHistory } from '../../terminal/text-history.ts'
import { VT_ENGINE } from '../../terminal/vt/checkpoint.ts'
import { VtEmulator } from '../../terminal/vt/vt-emulator.ts'
import { TerminalProjection, terminalBytes, terminalEventOf } from './terminal-projection.ts'

/** What a terminal session is, from its log alone. */
export const TERMINAL_VIEW = {
  name: 'terminal',
  words: 'a terminal',
  capabilities: new Set<Capability>(['tty', 'blocks', 'needs_input']),
  shows: 'output',
  printedBytes: (record: LogRecord) => terminalBytes(record),
  engine: VT_ENGINE,
  project: ({ cols, rows, scrollback }: CreatedEvent) =>
    new TerminalProjection(new VtEmulator(cols, rows, { scrollbackLines: scrollback })),
  restore: (_created: CreatedEvent, checkpoint: Uint8Array) =>
    TerminalProjection.restore(checkpoint, (state) => VtEmulator.restore(state)),
  exportText: (created: CreatedEvent) => historyText(created),
} satisfies KindView

/** Everything that a terminal showed, with what has scrolled off. */
function historyText({ cols, rows }: CreatedEvent): TextExport {
  let pieces: Uint8Array[] = []
  const history = new TextHistory(cols, rows, (text) => pieces.push(Buffer.from(text)))
  const takePieces = () => {
    const taken = pieces
    pieces = []
    return taken
  }
  return {
    take: (record) => {
      history.apply(terminalEventOf(record))
      return takePieces()
    },
    end: () => {
      history.end()
      return takePieces()
    },
  }
}
