/** What a program prints, or a log holds, to make others wait. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeRecordHeader } from '../../packages/transom/src/log/record.ts'
import { readLog } from '../support/log-contents.ts'
import { TestHome } from '../support/test-home.ts'

let home: TestHome
let other: string

beforeAll(async () => {
  home = new TestHome()
  other = await home.ok('create', '--', 'sh', '-c', 'echo beside; cat')
  await home.ok('wait', other, '--text', 'beside')
})

afterAll(async () => {
  await home.close()
})

describe('a program that prints a short sequence with a long effect', () => {
  test.each([
    ['a scroll by four million rows', '\\033[4000000S'],
    ['a scroll by all rows that there are', '\\033[2147483647S\\033[2147483647T'],
    ['a character 80 million times', 'A\\033[80000000b'],
    ['a character two thousand million times', 'A\\033[2147483647b'],
    [
      'lines and characters inserted and deleted',
      '\\033[2147483647L\\033[2147483647M\\033[2147483647@\\033[2147483647P',
    ],
    ['tabs without an end', '\\033[2147483647I\\033[2147483647Z'],
  ])('%s', async (_name, sequence) => {
    const id = await home.ok('create', '--', 'sh', '-c', `printf '${sequence}'; echo; echo done`)
    const [beside] = await Promise.all([home.ok('snapshot', other), home.ok('wait', id, '--exit')])
    expect(beside).toContain('beside')
    expect(await home.ok('snapshot', id)).toContain('done')
    // All that was ever on the screen: a screenful or two, whatever was asked for.
    const text = await home.ok('log', 'export', id, '--format', 'text')
    expect(text.length).toBeLessThan(10_000)
  })
})

test('a flood of such sequences on the largest screen leaves others their turn', async () => {
  const script = `i=0; while [ $i -lt 300 ]; do printf 'A\\033[1000000b'; i=$((i+1)); done; echo done`
  const id = await home.ok('create', '--cols', '1000', '--rows', '1000', '--', 'sh', '-c', script)
  expect(await home.ok('snapshot', other)).toContain('beside')
  await home.ok('wait', id, '--text', 'done')
  const file = path.join(home.root, 'flood.txt')
  await home.ok('log', 'export', id, '--format', 'text', '--out', file)
  expect(fs.statSync(file).size).toBeLessThan(4_000_000) // ten rows for each
})

test.each([
  ['the alignment pattern', '\\033#8'],
  ['attributes of a rectangle', '\\033[1;1;999;999;1;4\\044r'],
  ['line feeds between side margins', '\\033[?69h\\033[2;999s\\033[1000;2H\\n\\n\\n\\n\\n\\n\\n\\n'],
])('a read that is full of %s is cut into turns on the largest screen', async (_name, sequence) => {
  const script = `i=0; s=; while [ $i -lt 200 ]; do s="$s${sequence}"; i=$((i+1)); done; read go; printf "$s"; echo; echo done`
  const id = await home.ok('create', '--cols', '1000', '--rows', '1000', '--', 'sh', '-c', script)
  const client = await home.connect()
  const flood = client.call('session.wait', { session: id, text: 'done', timeout_ms: 60_000 })
  const over = new AbortController()
  const end = () => over.abort()
  void flood.then(end, end)
  await client.call('session.type', { session: id, text: '\n' })
  let answered = 0
  for (; !over.signal.aborted; answered++) await client.call('session.snapshot', { session: other })
  expect((await flood).matched).toBe(true)
  expect(answered).toBeGreaterThan(20) // 200 sequences were read at once
  client.close()
})

describe('a log with a time that no clock shows', () => {
  async function withTimes(times: (last: number) => readonly number[]): Promise<string> {
    const id = await home.ok('create', '--', 'sh', '-c', 'echo hello')
    await home.ok('wait', id, '--exit')
    await home.ok('destroy', id)
    const log = home.logPath(id)
    const { seq = 0, time: lastTime = 0 } = (await readLog(log)).at(-1) ?? {}
    const payload = Buffer.from('later')
    for (const [index, time] of times(lastTime).entries()) {
      const header = encodeRecordHeader({ seq: seq + index + 1, time, typeNumber: 2, payload })
      fs.appendFileSync(log, Buffer.concat([header, payload]))
    }
    return id
  }

  test.each(['cast', 'gif', 'png', 'html'])('is damaged: it is not exported as %s', async (format) => {
    const id = await withTimes((last) => [1e300, last])
    const { code, stderr } = await home.run(['export', id, '--out', `${format}.${format}`])
    expect([code, stderr]).toEqual([65, expect.stringContaining('damaged')])
  })

  test('but far from the others makes no animation, unless its pauses are cut', async () => {
    const id = await withTimes((last) => [last + 1000 * 365 * 24 * 60 * 60 * 1000])
    const { code, stderr } = await home.run(['export', id, '--out', 'late.gif'])
    expect([code, stderr]).toEqual([64, expect.stringMatching(/longer than a day.*--idle-limit/)])
    await home.ok('export', id, '--out', 'late.gif', '--idle-limit', '1s')
    expect(fs.statSync(path.join(home.root, 'late.gif')).size).toBeGreaterThan(100)
  })
})

test('a picture of 1000 × 1000 cells at scale 3 is refused, and says how it can be drawn', async () => {
  const id = await home.ok('create', '--cols', '1000', '--rows', '1000', '--', 'cat')
  const { code, stderr } = await home.run(['screenshot', id, '--scale', '3'])
  expect([code, stderr]).toEqual([64, expect.stringMatching(/27048 × 54048 pixels.*--crop-rows.*--format/)])
  expect(await home.ok('snapshot', other)).toContain('beside')
})
