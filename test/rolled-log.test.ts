/** Everything that reads a log works on one of many segments: the segments of this Home are as small as they may be. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '@transom/client'
import type { Result } from '@transom/protocol'
import { TestHome } from './support/test-home.ts'
import { until } from './support/until.ts'

const LINES = 600
let home: TestHome
let client: Client
let session: string

/** A shell that has printed over many segments, with a mark in between. */
beforeAll(async () => {
  home = new TestHome()
  fs.mkdirSync(home.path, { mode: 0o700 })
  fs.writeFileSync(path.join(home.path, 'config.json'), '{"log": {"segment_bytes": 4096}}')
  session = await home.ok('create', '--cols', '60', '--rows', '10', '--', 'bash', '--norc')
  client = await home.connect()
  await prints('first')
  await home.ok('mark', session, 'between')
  await prints('second')
})

afterAll(async () => {
  client.close()
  await home.close()
})

/** Lines with a pause after each hundred, so that they are several records. */
async function prints(word: string): Promise<void> {
  await home.ok('run', session, `for i in {1..${LINES}}; do echo ${word} $i; ((i % 100)) || sleep 0.05; done`)
}

const segments = () =>
  fs.readdirSync(path.dirname(home.logPath(session))).filter((name) => /^events.*\.log$/.test(name))

test('the log has rolled', async () => {
  expect(segments().length).toBeGreaterThan(3)
  expect(await home.json('log', 'verify', session)).toMatchObject({ segments: segments().length, missing: 0 })
})

test('a subscriber gets every record from the first on, and goes on over the next roll', async () => {
  const seqs: number[] = []
  await client.subscribe({ session, to: 'events', after_seq: 0 }, (message) => {
    if (message.type === 'records') seqs.push(...message.records.map(({ seq }) => seq))
  })
  const before = segments().length
  await prints('third')
  expect(segments().length).toBeGreaterThan(before)
  const { seq } = await client.call('session.inspect', { session })
  await until('the last record has come', () => seqs.at(-1) === seq)
  expect(seqs).toEqual(Array.from({ length: seq }, (_, index) => index + 1))
})

test('a wait for output finds what lies many segments back', async () => {
  const wait = async (match: string) =>
    client.call('pty.wait_for', { conversation_id: session, match, from_cursor: 0, timeout_ms: 5000 })
  const [early, late] = [await wait('first 7\r\n'), await wait(`second ${LINES}\r\n`)]
  expect([early.matched, late.matched]).toEqual([true, true])
  expect(late.cursor).toBeGreaterThan(early.cursor + 4096)
})

test('blocks, marks and the past are read from where they lie', async () => {
  const output = await home.ok('block', session, '1')
  expect(output.split('\n').filter((line) => /^first \d+\r?$/.test(line)).length).toBe(LINES)
  const { lines } = await home.json<Result<'session.snapshot'>>('snapshot', session, '--at-mark', 'between')
  expect(lines.map(({ text }) => text).join('\n')).toContain(`first ${LINES}`)
})

test('ended, it shows what it showed, and is exported, recorded and bundled whole', async () => {
  const live = await home.json<Result<'session.snapshot'>>('snapshot', session)
  await home.ok('destroy', session)
  const at = ['--at-seq', String(live.seq)] // what a shell prints at its end comes after it
  const ended = await home.json<Result<'session.snapshot'>>('snapshot', session, ...at)
  expect(ended.screen_hash).toBe(live.screen_hash)
  const text = await home.ok('log', 'export', session, '--format', 'text')
  for (const word of ['first', 'second', 'third'])
    expect(text.split('\n').filter((line) => new RegExp(`^${word} \\d+$`).test(line.trimEnd())).length).toBe(
      LINES,
    )
  const file = (name: string) => path.join(home.root, name)
  await home.ok('export', session, '--out', file('all.cast'))
  expect(fs.readFileSync(file('all.cast'), 'utf8')).toContain(`third ${LINES}`)
  const { frames } = await home.json<Result<'session.export'>>(
    'export',
    session,
    '--out',
    file('all.png'),
    '--fps',
    '2',
  )
  expect(frames).toBeGreaterThan(2)
  await home.ok('artifacts', 'bundle', session, '--out', file('bundle'))
  expect(fs.readFileSync(file('bundle/transcript.txt'), 'utf8')).toContain(`second ${LINES}`)
})
