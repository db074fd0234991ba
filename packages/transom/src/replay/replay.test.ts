import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EventLog } from '../log/event-log.ts'
import { styledRuns } from '../grid/styled-runs.ts'
import type { Screen } from '../screen/screen.ts'
import { TerminalScreen } from '../screen/terminal-screen.ts'
import type { TerminalEvent } from '../terminal/emulator.ts'
import { VtEmulator } from '../terminal/vt/vt-emulator.ts'
import { replayLog } from './replay.ts'

const events = fc.array(
  fc.oneof(
    fc
      .oneof(
        fc.string({ maxLength: 60 }),
        fc.constantFrom(
          '\r\n\r\n',
          '\x1b[2J\x1b[H',
          '\x1b[?1049h',
          '\x1b[?1049l',
          '\x1b[?2026h',
          '\x1b[?2026l',
          '漢\x1b[31m',
        ),
      )
      .map((text): TerminalEvent => ({ type: 'output', bytes: Buffer.from(text) })),
    fc
      .uint8Array({ maxLength: 20 })
      .map((bytes): TerminalEvent => ({ type: 'output', bytes: Buffer.from(bytes) })),
    fc
      .tuple(fc.integer({ min: 2, max: 60 }), fc.integer({ min: 1, max: 20 }))
      .map(([cols, rows]): TerminalEvent => ({ type: 'resize', cols, rows })),
    fc.constant<TerminalEvent>({ type: 'sync_release' }),
    fc.constant<TerminalEvent>({ type: 'other' }),
  ),
  { maxLength: 40 },
)

test('a replay to any seq equals the live screen at that seq', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-replay-'))
  const file = path.join(folder, 'events.log')
  try {
    await fc.assert(
      fc.asyncProperty(events, fc.nat(), async (history, pick) => {
        fs.rmSync(file, { force: true })
        const log = EventLog.create(file, () => 0)
        const live = new TerminalScreen(new VtEmulator(30, 8))
        const created = { session: 'test', command: ['x'], cwd: '/', cols: 30, rows: 8 }
        live.apply(log.appendFact('created', created), { type: 'other' })
        const seen = [show(live)]
        for (const event of history) {
          live.apply(append(log, event), event)
          seen.push(show(live))
        }
        await log.close()
        const seq = (pick % seen.length) + 1
        expect(show((await replayLog(file, { seq })).screen)).toEqual(seen[seq - 1])
        expect(show((await replayLog(file)).screen)).toEqual(seen.at(-1))
      }),
      { numRuns: 100 },
    )
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
})

function append(log: EventLog, event: TerminalEvent): number {
  switch (event.type) {
    case 'output':
      return log.append('output', event.bytes)
    case 'resize':
      return log.appendFact('resize', { cols: event.cols, rows: event.rows })
    case 'sync_release':
      return log.appendFact('sync_release', {})
    case 'other':
      return log.append('answer', Buffer.from('\x1b[0n'))
    default:
      return event satisfies never
  }
}

function show(screen: Screen) {
  const { grid, cursor, title, bells, firstLine } = screen.frame()
  const rows = Array.from({ length: grid.rows }, (_, row) => [styledRuns(grid, row), grid.isWrapped(row)])
  return {
    seq: screen.seq,
    rows,
    cursor,
    title,
    bells,
    firstLine,
    modes: screen.modes(),
    text: screen.canonical().text,
  }
}
