import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Result } from '@transom/protocol'
import { TestHome } from './support/test-home.ts'

type Snapshot = Result<'session.snapshot'>
type Failure = { error: { code: string; message: string; details: Record<string, unknown> } }

let home: TestHome
let live: string
let ended: string

beforeAll(async () => {
  home = new TestHome()
  live = await home.ok('create', '--name', 'live', '--cols', '40', '--rows', '10', '--', 'cat')
  await home.ok('type', live, 'first', '--enter')
  await home.ok('wait', live, '--regex', 'first\nfirst')
  await home.ok('mark', live, 'one line')
  await home.ok('type', live, 'second', '--enter')
  await home.ok('wait', live, '--regex', 'second\nsecond')
  ended = await home.ok('create', '--', 'sh', '-c', 'printf "\\033[1mlast\\033[0m words\\n"; exit 4')
  await home.ok('wait', ended, '--exit')
})

afterAll(async () => {
  await home.close()
})

describe('the past of a session', () => {
  test('can be looked at by mark, by seq and by time', async () => {
    expect(await home.ok('snapshot', live, '--at-mark', 'one line')).toBe('first\nfirst')
    const marked = await home.json<Snapshot>('snapshot', live, '--at-mark', 'one line')
    expect(await home.ok('snapshot', live, '--at-seq', String(marked.seq))).toBe('first\nfirst')
    expect(await home.ok('snapshot', live, '--at-time', new Date().toISOString())).toBe(
      'first\nfirst\nsecond\nsecond',
    )
  })

  test('that never was is told by what was asked for', async () => {
    for (const [flag, value] of [
      ['--at-mark', 'nope'],
      ['--at-seq', '9999'],
      ['--at-time', '1999-01-01'],
    ] as const) {
      const { code, stderr } = await home.run(['snapshot', live, flag, value])
      expect([code, stderr]).toEqual([
        66,
        expect.stringMatching(/no mark "nope"|no record 9999|nothing from before 1999/),
      ])
    }
    expect((await home.run(['snapshot', live, '--at-time', 'yesterday'])).code).toBe(64)
    expect((await home.run(['snapshot', live, '--at-seq', '1', '--at-mark', 'one line'])).code).toBe(64)
  })

  test('differs from now in the rows that changed, by seq and by hash', async () => {
    const marked = await home.json<Snapshot>('snapshot', live, '--at-mark', 'one line')
    const expected = ['  2  second', '  3  second'].join('\n')
    expect(await home.ok('diff', live, '--since', String(marked.seq))).toBe(expected)
    expect(await home.ok('diff', live, '--since', marked.screen_hash)).toBe(expected)
    const now = await home.json<Snapshot>('snapshot', live)
    expect(await home.ok('diff', live, '--since', now.screen_hash)).toBe('')
    expect((await home.run(['diff', live, '--since', '0'.repeat(32)])).code).toBe(66)
    expect((await home.run(['diff', live, '--since', 'soon'])).code).toBe(64)
  })
})

describe('an ended session', () => {
  test('answers as it did live', async () => {
    const snapshot = await home.json<Snapshot>('snapshot', ended, '--cells')
    expect(snapshot.lines[0]).toEqual({
      text: 'last words',
      wrapped: false,
      cells: [
        { col: 0, width: 4, text: 'last', bold: true },
        { col: 4, width: 6, text: ' words' },
      ],
    })
    expect(await home.ok('wait', ended, '--text', 'words')).toBe('last words')
    await home.ok('wait', ended, '--exit')
    await home.ok('wait', ended, '--cursor', '1,0')
  })

  test('cannot prove how long its screen has been stable, and says so', async () => {
    const { error } = await home.json<Failure>('wait', ended, '--screen-stable-ms', '10')
    expect(error).toMatchObject({
      code: 'session_ended',
      message: expect.stringContaining('cannot be proven'),
    })
    expect(error.details['snapshot']).toMatchObject({ screen_hash: expect.any(String) })
  })

  test('takes no input', async () => {
    for (const command of [
      ['type', ended, 'x'],
      ['keys', ended, 'Enter'],
      ['paste', ended, 'x'],
      ['signal', ended, 'INT'],
      ['mark', ended, 'x'],
      ['resize', ended, '--cols', '90'],
    ]) {
      expect((await home.run(command)).code).toBe(69)
    }
  })
})

test('a snapshot keeps to its budget and marks what it left out', async () => {
  const id = await home.ok('create', '--', 'sh', '-c', 'seq 1000 1020; sleep 100')
  await home.ok('wait', id, '--text', '1020')
  const text = await home.ok('snapshot', id, '--max-chars', '60')
  expect(text.length).toBeLessThan(80)
  expect(text).toMatch(/^1000\n[^]*\n\[…\]\n[^]*1020$/)
  const { lines } = await home.json<Snapshot>('snapshot', id, '--max-chars', '60')
  expect(lines.filter(({ omitted }) => omitted)).toHaveLength(10)
})
