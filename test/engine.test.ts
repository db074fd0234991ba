/** What the terminal engine and its checkpoints mean for a session: scrollback, verify, inspect. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Result } from '@transom/protocol'
import { StoredEvents } from '../packages/transom/src/log/stored-events.ts'
import { TestHome } from './support/test-home.ts'
import { until } from './support/until.ts'

let home: TestHome

beforeEach(() => {
  home = new TestHome()
})

afterEach(async () => {
  await home.close()
})

/** A session that runs a script to its end. */
async function run(script: string, ...options: string[]): Promise<string> {
  const id = (await home.ok('create', ...options, '--', 'sh', '-c', script)).trim()
  await home.ok('wait', id, '--exit', '--timeout', '120000')
  return id
}

describe('create --scrollback', () => {
  const lines = 'for i in $(seq 1 200); do echo "line $i"; done'
  const linesAbove = async (id: string) =>
    (await home.json<Result<'session.snapshot'>>('snapshot', id, '--scrollback')).scrollback?.map(
      ({ text }) => text,
    )

  test('keeps as many lines as asked for, live and in a replay', async () => {
    const id = await run(lines, '--rows', '10', '--scrollback', '5')
    expect(await linesAbove(id)).toEqual([187, 188, 189, 190, 191].map((line) => `line ${line}`))
    const none = await run(lines, '--rows', '10', '--scrollback', '0')
    expect(await linesAbove(none)).toEqual([])
    const all = await run(lines, '--rows', '10')
    expect(await linesAbove(all)).toHaveLength(191)
  })

  test('the text of an export has all lines', async () => {
    const id = await run(lines, '--rows', '10', '--scrollback', '5')
    const text = await home.ok('log', 'export', id)
    expect(text.trimEnd().split('\n')).toEqual(Array.from({ length: 200 }, (_, index) => `line ${index + 1}`))
  })

  test('is refused for a page, and past its limit', async () => {
    const page = await home.run(['create', '--web', 'about:blank', '--scrollback', '5', '--json'])
    expect(page.stdout).toContain('"usage"')
    const large = await home.run(['create', '--scrollback', '100001', '--json', '--', 'true'])
    expect(large.stdout).toContain('"usage"')
  })
})

describe('inspect', () => {
  test('says which engine showed a session, and when that was another one', async () => {
    const id = await run('echo hello')
    const { engine } = await home.json<Result<'session.inspect'>>('inspect', id)
    expect(engine).toEqual({
      live: engine?.replay,
      replay: expect.stringMatching(/^vt \d+, Unicode 17$/),
      same: true,
      note: null,
    })
    expect(await home.ok('inspect', id)).toMatch(/engine +vt \d+, Unicode 17\n/)
  })
})

describe('log verify', () => {
  /** Queries in the stream: a live session answers them, a replay does not. */
  const MEGABYTES = "printf '\\033[c\\033[31m'; seq 1 700000; printf '\\033[c'; seq 1 100"

  test('proves that each checkpoint equals a replay', async () => {
    const id = await run(MEGABYTES)
    const { checkpoints } = await home.json<Result<'log.verify'>>('log', 'verify', id)
    expect(checkpoints).toMatchObject({ different: [], unusable: 0 })
    expect(checkpoints.equal).toBeGreaterThanOrEqual(2)
  }, 120_000)

  test('names a checkpoint that does not, and repair removes it', async () => {
    const id = await run(MEGABYTES)
    const events = StoredEvents.at(path.dirname(home.logPath(id)))
    const [seq = 0] = await events.checkpointSeqs('screen')
    const found = await events.readCheckpoint('screen', seq)
    const state = Buffer.from(found?.state ?? [])
    const at = state.indexOf('\n') + 1 + 8 + 60 // a byte of a cell
    state[at] = (state[at] ?? 0) ^ 1
    await events.writeCheckpoint('screen', seq, state)
    const { error } = await home.json<{ error: { code: string; message: string } }>('log', 'verify', id)
    expect(error.code).toBe('log_corrupt')
    expect(error.message).toContain(`checkpoints at seq ${seq} `)
    await home.ok('log', 'repair', id)
    expect(await home.json('log', 'verify', id)).toMatchObject({
      tail: 'none',
      checkpoints: { equal: 0, different: [], unusable: 0 },
    })
  }, 120_000)
})

test('the log of an ended session is compressed, and read as before', async () => {
  const id = await run('seq 1 400000')
  const compressed = () => fs.readFileSync(home.logPath(id)).readUInt32LE(8) === 2
  const first = await home.ok('snapshot', id)
  await home.ok('wait', id, '--exit')
  await until('the log is compressed', compressed)
  expect(await home.ok('snapshot', id)).toBe(first)
  const { bytes, stored_bytes, tail } = await home.json<Result<'log.verify'>>('log', 'verify', id)
  expect([tail, stored_bytes < bytes / 4]).toEqual(['none', true])
  expect((await home.ok('log', 'export', id, '--format', 'raw')).length).toBeGreaterThan(2_000_000)
  await home.ok('gc')
  expect(fs.existsSync(home.logPath(id))).toBe(false)
}, 120_000)
