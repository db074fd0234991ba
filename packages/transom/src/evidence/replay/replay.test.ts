import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EVENT_TYPE_NUMBERS, createdEvent, type EventType } from '@transom/protocol'
import type { LogRecord } from '../../log/record.ts'
import { EventStore } from '../../log/event-store.ts'
import { StoredEvents } from '../../log/stored-events.ts'
import { styledRuns } from '../../session/styled-runs.ts'
import { TERMINAL_VIEW } from '../../kinds/terminal/terminal-view.ts'
import { TerminalProjection } from '../../kinds/terminal/terminal-projection.ts'
import { KindViews } from '../../session/kind-registry.ts'
import { encodeCheckpoint } from '../../session/session-checkpoint.ts'
import type { Projection } from '../../session/projection.ts'
import type { TerminalEvent } from '../../terminal/emulator.ts'
import { VtEmulator } from '../../terminal/vt/vt-emulator.ts'
import { findFrame, replayLog } from './replay.ts'

const KINDS = new KindViews([TERMINAL_VIEW])

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
  try {
    await fc.assert(
      fc.asyncProperty(events, fc.nat(), async (history, pick) => {
        fs.rmSync(folder, { recursive: true })
        fs.mkdirSync(folder)
        const log = EventStore.create(folder, { now: () => 0, segmentBytesMax: 500 })
        const live = new TerminalProjection(new VtEmulator(30, 8))
        const created = { session: 'test', command: ['x'], cwd: '/', cols: 30, rows: 8 }
        live.apply(recordOf(log, 'created', Buffer.from(JSON.stringify(created))))
        const seen = [show(live)]
        for (const event of history) {
          live.apply(append(log, event))
          seen.push(show(live))
        }
        const restored = TERMINAL_VIEW.restore(createdEvent.parse(created), live.checkpoint())
        expect(restored === null ? null : show(restored)).toEqual(seen.at(-1))
        await log.close()
        const seq = (pick % seen.length) + 1
        expect(show((await replayLog(logAt(folder), { seq })).screen)).toEqual(seen[seq - 1])
        expect(show((await replayLog(logAt(folder))).screen)).toEqual(seen.at(-1))
        const text = seen[seq - 1]?.text ?? ''
        const { found, last, passes } = await findText(folder, text)
        expect(found?.seq).toBe(seen.findLast((it) => it.text === text)?.seq)
        expect(show(last)).toEqual(seen.at(-1))
        expect(passes).toBe(1)
      }),
      { numRuns: 100 },
    )
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
})

/** When a screen last had this text, and over how many passes of the log that was found. */
async function findText(folder: string, text: string) {
  const log = logAt(folder)
  const { events } = log
  let passes = 0
  const batches = events.batches.bind(events)
  const counted: typeof batches = (...range) => {
    passes++
    return batches(...range)
  }
  Object.assign(events, { batches: counted })
  const { signal } = new AbortController()
  return { ...(await findFrame(log, (screen) => screen.canonical().text === text, { signal })), passes }
}

test('a frame is found backwards from checkpoint to checkpoint, the last one of several', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-find-'))
  try {
    const log = EventStore.create(folder, { now: () => 0 })
    const created = { session: 'test', command: ['x'], cwd: '/', cols: 30, rows: 8 }
    log.appendFact('created', created)
    const shown = ['a', 'b', 'a', 'c', 'c', 'd']
    const pass = async () => replayLog(logAt(folder))
    for (const text of shown) {
      log.append('output', Buffer.from(`\x1b[2J\x1b[H${text}`))
      const { screen, lastOutputSeq, lastSeq } = await pass()
      const head = { seq: lastSeq, exit: null, last_output_seq: lastOutputSeq }
      await log.writeCheckpoint(
        'screen',
        log.seq,
        encodeCheckpoint(head, screen.checkpoint() ?? new Uint8Array()),
      )
    }
    await log.close()
    const found = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(async (text) => findText(folder, text)))
    expect(found.map((it) => it.found?.seq)).toEqual([4, 3, 6, 7, undefined])
    expect(found.every(({ last }) => last.seq === 7)).toBe(true)
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
})

function logAt(folder: string) {
  return { events: StoredEvents.at(folder), kinds: KINDS }
}

function append(log: EventStore, event: TerminalEvent): LogRecord {
  switch (event.type) {
    case 'output':
      return recordOf(log, 'output', event.bytes)
    case 'resize':
      return recordOf(log, 'resize', Buffer.from(JSON.stringify({ cols: event.cols, rows: event.rows })))
    case 'sync_release':
      return recordOf(log, 'sync_release', Buffer.from('{}'))
    case 'other':
      return recordOf(log, 'answer', Buffer.from('\x1b[0n'))
    default:
      return event satisfies never
  }
}

function recordOf(log: EventStore, type: EventType, payload: Uint8Array): LogRecord {
  return { seq: log.append(type, payload), time: 0, typeNumber: EVENT_TYPE_NUMBERS[type], payload }
}

function show(screen: Projection) {
  const { grid, cursor, title, bells, firstLine } = screen.frame()
  const rows = Array.from({ length: grid.rows }, (_, row) => [styledRuns(grid, row), grid.isWrapped(row)])
  return {
    seq: screen.seq,
    rows,
    cursor,
    title,
    bells,
    firstLine,
    modes: screen.views.modes?.(),
    text: screen.canonical().text,
  }
}
