/**
 * Event Logs whose checksums are right and whose records say what no writer of ours says, as in a Home that was copied
 * from somewhere. Reading one may fail, but never as a bug of ours.
 */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '@transom/client'
import { EVENT_TYPE_NUMBERS, type EventType } from '@transom/protocol'
import { toWireError } from '@transom/protocol/errors'
import {
  encodeFileHeader,
  encodeRecordHeader,
  type LogRecord,
} from '../../packages/transom/src/log/record.ts'
import { readLog } from '../support/log-contents.ts'
import { FIXTURES, TestHome } from '../support/test-home.ts'

const FORMER_SESSIONS = path.join(FIXTURES, 'former-home', 'sessions')
const SHELL = 'vgyvmp6nxqyr' // with blocks and a mark
const PAGE = '32zc5m852vhg'
const WILD_VALUES = [null, -1, 1e9, 1e300, '\u001b]0;x\u0007', [], { toString: 1 }]
/** What a bug, or a mistake of this test, is reported as. */
const NEVER = new Set(['internal', 'usage', 'unknown_operation'])

type Reader = readonly [operation: string, params: Readonly<Record<string, unknown>>]
const QUICK_READERS: readonly Reader[] = [
  ['session.inspect', {}],
  ['session.snapshot', { scrollback: true }],
  ['session.snapshot', { at_mark: 'm' }],
  ['session.wait', { text: 'no such text', timeout_ms: 0 }],
  ['session.diff', { since: '1' }],
  ['log.verify', {}],
  ['log.export', { format: 'text' }],
]
const SHELL_READERS: readonly Reader[] = [
  ['pty.blocks', {}],
  ['pty.read', { block: 1 }],
]
const RECORDERS: readonly Reader[] = [
  ['session.export', { format: 'asciicast-v2' }],
  ['session.export', { format: 'html' }],
  ['session.export', { format: 'gif' }],
  ['artifacts.bundle', {}],
]

let home: TestHome
let client: Client
let planted = 0

beforeAll(async () => {
  home = new TestHome()
  await home.startHost()
  client = await home.connect()
})

afterAll(async () => {
  client.close()
  await home.close()
})

/** Makes a session whose log has these records; returns its id. */
function plant(former: string, records: readonly LogRecord[]): string {
  const session = `planted${++planted}`
  const folder = path.join(home.path, 'sessions', session)
  fs.mkdirSync(folder, { mode: 0o700 })
  const text = fs.readFileSync(path.join(FORMER_SESSIONS, former, 'manifest.json'), 'utf8')
  const manifest = { ...(JSON.parse(text) as object), session, name: null }
  fs.writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify(manifest))
  const bytes = records.flatMap((record) => [encodeRecordHeader(record), record.payload])
  fs.writeFileSync(path.join(folder, 'events.log'), Buffer.concat([encodeFileHeader(), ...bytes]))
  return session
}

/** How each reader takes it: a code of the error table, or `ok`. */
async function readBy(readers: readonly Reader[], session: string): Promise<string[]> {
  const outcomes: string[] = []
  for (const [operation, params] of readers) {
    const out = /export|bundle/.test(operation)
      ? { out: path.join(home.root, `${session}-${outcomes.length}`) }
      : {}
    const target = operation.startsWith('pty.') ? { conversation_id: session } : { session }
    const outcome = await client.request(operation, { ...target, ...params, ...out }).then(
      () => 'ok',
      (error: unknown) => {
        const { code, message } = toWireError(error)
        return NEVER.has(code) ? `${operation}: ${code}: ${message}` : code
      },
    )
    outcomes.push(outcome)
  }
  return outcomes
}

const bugsIn = (outcomes: readonly string[]) => outcomes.filter((outcome) => outcome.includes(' '))

async function formerLog(former: string): Promise<LogRecord[]> {
  return readLog(path.join(FORMER_SESSIONS, former, 'events.log'))
}

/** The records with the first one of a type changed; the fields of it are given to make the change of. */
function changed(
  records: readonly LogRecord[],
  type: EventType,
  payload: (fields: Record<string, unknown>) => unknown,
): LogRecord[] {
  const at = records.findIndex(({ typeNumber }) => typeNumber === EVENT_TYPE_NUMBERS[type])
  const fields = JSON.parse(Buffer.from(records[at]?.payload ?? []).toString()) as Record<string, unknown>
  const bytes = Buffer.from(JSON.stringify(payload(fields)))
  return records.map((record, index) => (index === at ? { ...record, payload: bytes } : record))
}

function filled(
  fields: Record<string, unknown>,
  value: (known: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, known]) => [name, value(known)]))
}

test('unchanged, the logs are read', async () => {
  const readers = [...QUICK_READERS, ...SHELL_READERS, ...RECORDERS]
  const outcomes = await readBy(readers, plant(SHELL, await formerLog(SHELL)))
  expect(outcomes.filter((outcome) => outcome !== 'ok')).toEqual(['moment_not_found', 'session_ended'])
})

describe.each([
  [SHELL, ['created', 'input', 'mark', 'status', 'exit', 'block_begin', 'block_end', 'prompt']],
  [PAGE, ['created', 'web_navigation', 'web_title']],
] as const)('in the log of %s', (former, types) => {
  test.each(types)('no content of a record of type %s is taken for a bug', async (type) => {
    const records = await formerLog(former)
    const readers = former === SHELL ? [...QUICK_READERS, ...SHELL_READERS] : QUICK_READERS
    const contents: ((fields: Record<string, unknown>) => unknown)[] = [
      () => null,
      () => ({}),
      ...WILD_VALUES.map((value) => (fields: Record<string, unknown>) => filled(fields, () => value)),
      ...WILD_VALUES.map((value) => (fields: Record<string, unknown>) => {
        const numbers = (known: unknown) => (typeof known === 'number' ? value : known)
        return filled(fields, numbers)
      }),
    ]
    for (const content of contents) {
      const log = changed(records, type, content)
      expect(bugsIn(await readBy(readers, plant(former, log)))).toEqual([])
    }
  })
})

test.each([
  ['cols', 1e9],
  ['rows', -1],
  ['scrollback', 1e15],
] as const)('a session that began with %s = %d is damaged', async (name, value) => {
  const log = changed(await formerLog(SHELL), 'created', (fields) => ({ ...fields, [name]: value }))
  const outcomes = await readBy([...QUICK_READERS, ...RECORDERS], plant(SHELL, log))
  expect(bugsIn(outcomes)).toEqual([])
  expect(outcomes).toContain('log_corrupt')
})

test.each([1e300, -1e300, Number.NaN, Number.POSITIVE_INFINITY])(
  'a record of time %d is damaged, and at the end is left out',
  async (time) => {
    const [first, ...others] = await formerLog(SHELL)
    const last = others.pop()
    if (first === undefined || last === undefined) throw new Error('the log is empty')
    const begun = await readBy(QUICK_READERS, plant(SHELL, [{ ...first, time }, ...others, last]))
    expect([bugsIn(begun), begun.includes('log_corrupt')]).toEqual([[], true])
    const ended = plant(SHELL, [first, ...others, { ...last, time }])
    expect(bugsIn(await readBy([...QUICK_READERS, ...RECORDERS], ended))).toEqual([])
  },
)

test('a pause of 200,000 years is no reason to draw pictures for ever', async () => {
  const records = await formerLog(SHELL)
  const log = records.map((record, index) =>
    index === records.length - 1 ? { ...record, time: 8.64e15 } : record,
  )
  const refused = expect.stringContaining('usage: this recording lasts longer than a day') as unknown
  expect(bugsIn(await readBy(RECORDERS, plant(SHELL, log)))).toEqual([refused])
})
