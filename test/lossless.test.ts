import { randomBytes, randomInt } from 'node:crypto'
import * as fs from 'node:fs'
import * as path from 'node:path'
import type { Client } from '@transom/client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { StoredEvents } from '../packages/transom/src/log/stored-events.ts'
import { replayLog } from '../packages/transom/src/evidence/replay/replay.ts'
import { knownKinds } from '../packages/transom/src/main/kinds.ts'
import { takeSnapshot } from '../packages/transom/src/session/snapshot.ts'
import { loggedOutput } from './support/log-contents.ts'
import { needs } from './support/needs.ts'
import { FIXTURES, TestHome } from './support/test-home.ts'

const FULL = process.env['TRANSOM_FULL'] === '1'
const AT_ONCE = 20
/** Rounds of twenty programs for each size: a slice in every run, 400 runs on request. */
const ROUNDS = FULL ? 400 / AT_ONCE : 1

let home: TestHome
let client: Client

beforeEach(async () => {
  home = new TestHome()
  await home.startHost()
  client = await home.connect()
})

afterEach(async () => {
  client.close()
  await home.close()
})

function logOf(session: string) {
  return { events: StoredEvents.at(path.dirname(home.logPath(session))), kinds: knownKinds() }
}

/** A program that prints about `bytes` bytes and exits, and what it prints as its terminal passes it on. */
function printer(run: number, bytes: number): { command: string[]; expected: Buffer } {
  const line = (number: number) =>
    `run ${run} line ${String(number).padStart(7, '0')} abcdefghijklmnopqrstuvwxyz`
  const lines = Math.ceil(bytes / (line(0).length + 1))
  const text = Array.from({ length: lines }, (_, index) => `${line(index + 1)}\r\n`).join('')
  return {
    command: ['seq', '-f', `run ${run} line %07g abcdefghijklmnopqrstuvwxyz`, String(lines)],
    expected: Buffer.from(text),
  }
}

test.each([
  ['20 KB', 20_000],
  ['200 KB', 200_000],
  ['1 MB', 1_000_000],
])(
  `${AT_ONCE} programs at once that print %s and exit have every byte in their logs`,
  { timeout: 60_000 * ROUNDS },
  async (_, bytes) => {
    const short: string[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const runs = Array.from({ length: AT_ONCE }, (__, index) => printer(round * AT_ONCE + index, bytes))
      const sessions = await Promise.all(
        runs.map(async ({ command }) => client.call('session.create', { command })),
      )
      await Promise.all(
        sessions.map(async ({ session }) =>
          client.call('session.wait', { session, exit: true, timeout_ms: 60_000 }),
        ),
      )
      for (const [index, { session }] of sessions.entries()) {
        const logged = await loggedOutput(home.logPath(session))
        const { expected } = runs[index] ?? { expected: Buffer.alloc(0) }
        if (!logged.equals(expected)) short.push(`run ${index}: ${logged.length} of ${expected.length} bytes`)
        fs.rmSync(path.dirname(home.logPath(session)), { recursive: true })
      }
    }
    expect(short).toEqual([])
  },
)

test('bytes that are no text are kept as they are', async () => {
  const file = path.join(home.root, 'binary')
  const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
  const broken = Buffer.from('\xc3\x28 \xf0\x9f\x98 \xed\xa0\x80 \xff\xfe \xe6\xbc', 'latin1')
  const content = Buffer.concat([everyByte, broken, randomBytes(300_000), broken])
  fs.writeFileSync(file, content)
  const script = 'stty raw -echo; exec cat "$0"'
  const { session } = await client.call('session.create', { command: ['sh', '-c', script, file] })
  await client.call('session.wait', { session, exit: true })
  expect((await loggedOutput(home.logPath(session))).equals(content)).toBe(true)
})

test('a character that is cut by the end of the program is kept', async () => {
  const { session } = await client.call('session.create', {
    command: ['sh', '-c', String.raw`printf 'whole é, half \303'`],
  })
  await client.call('session.wait', { session, exit: true })
  const logged = await loggedOutput(home.logPath(session))
  expect(logged.toString('latin1')).toBe('whole \xc3\xa9, half \xc3')
})

test('what children print after their parent wrote its last is kept, until the program exits', async () => {
  const script = 'for n in 1 2 3 4 5; do (seq 2000 | sed "s/^/$n /") & done; wait'
  const { session } = await client.call('session.create', { command: ['sh', '-c', script] })
  await client.call('session.wait', { session, exit: true })
  const lines = (await loggedOutput(home.logPath(session))).toString().split('\r\n')
  for (const child of ['1', '2', '3', '4', '5']) {
    const own = lines.filter((line) => line.startsWith(`${child} `))
    expect(own).toEqual(Array.from({ length: 2000 }, (_, index) => `${child} ${index + 1}`))
  }
})

test('a program that stopped its own output and exited has all of it in the log', async () => {
  // ^S is typed while it prints: the terminal holds back the rest, and its end must not be waited for in vain.
  const { session } = await client.call('session.create', {
    command: ['sh', '-c', 'echo first; read line; echo second; exit 3'],
  })
  await client.call('session.wait', { session, text: 'first' })
  await client.call('session.keys', { session, keys: ['Ctrl+S'] })
  await client.call('session.type', { session, text: '\n' })
  const { exit } = await client.call('session.wait', { session, exit: true })
  expect(exit).toEqual({ code: 3, signal: null })
  expect((await loggedOutput(home.logPath(session))).toString()).toContain('second\r\n')
})

test('input of a megabyte reaches a program that reads it', async () => {
  const file = path.join(home.root, 'received')
  const { session } = await client.call('session.create', {
    command: ['sh', '-c', 'stty raw -echo; echo ready; head -c 1000000 >"$0"', file],
  })
  await client.call('session.wait', { session, text: 'ready' })
  const text = Array.from({ length: 100 }, (_, index) => `${String(index).padStart(9, '0')}.`.repeat(1000))
  for (const part of text) {
    await client.call('session.type', { session, text: part })
  }
  await client.call('session.wait', { session, exit: true })
  expect(fs.readFileSync(file, 'utf8')).toBe(text.join(''))
})

test('a session answers while another one floods', async () => {
  const flood = await client.call('session.create', { command: ['yes', 'flooding'] })
  const { session } = await client.call('session.create', { command: ['cat'] })
  await client.call('session.wait', { session: flood.session, text: 'flooding' })
  const seqs: number[] = []
  for (let round = 0; round < 100; round++) {
    await client.call('session.type', { session, text: `${round};` })
    const { match } = await client.call('session.wait', { session, text: `${round};` })
    expect(match?.text).toBe(`${round};`)
    seqs.push((await client.call('session.inspect', { session: flood.session })).seq)
  }
  expect(seqs.at(-1)).toBeGreaterThan(seqs[0] ?? 0) // it still floods
  expect((await loggedOutput(home.logPath(session))).toString()).toBe(
    Array.from({ length: 100 }, (_, round) => `${round};`).join(''),
  )
})

/** Resizes a full-screen program at random, also while it redraws, and compares each state with its replay; returns how many. */
async function resizeRounds(command: string[], sign: string, rounds: number): Promise<number> {
  const { session } = await client.call('session.create', { command, env: { LESS: '' } })
  await client.call('session.wait', { session, text: sign })
  const seen = []
  for (let round = 0; round < rounds; round++) {
    for (let step = randomInt(1, 4); step > 0; step--) {
      await client.call('session.resize', { session, cols: randomInt(2, 140), rows: randomInt(1, 50) })
      seen.push(await client.call('session.snapshot', { session, cells: true, scrollback: true }))
    }
    if (randomInt(2) === 0) await client.call('session.wait', { session, screen_stable_ms: 20 })
    seen.push(await client.call('session.snapshot', { session, cells: true, scrollback: true }))
  }
  for (const live of seen) {
    const { screen } = await replayLog(logOf(session), {
      seq: live.seq,
    })
    const replayed = takeSnapshot(session, screen, { cells: true, scrollback: true })
    expect(JSON.parse(JSON.stringify(replayed))).toEqual(live)
  }
  await client.call('session.destroy', { session })
  // The end of the whole log, as an ended session is shown.
  const end = await client.call('session.snapshot', { session })
  const { screen } = await replayLog(logOf(session))
  expect(end.screen_hash).toBe(takeSnapshot(session, screen).screen_hash)
  return seen.length
}

/** Each of these has twenty rounds in a full run; together they have more than twenty in every run. */
const RESIZE_ROUNDS = FULL ? 20 : 7

needs('vim')('a resize of vim replays exactly', async () => {
  const file = path.join(home.root, 'text')
  fs.writeFileSync(
    file,
    Array.from({ length: 100 }, (_, n) => `${n} ${'lorem ipsum 漢字 é '.repeat(n % 9)}\n`).join(''),
  )
  expect(
    await resizeRounds(['vim', '-N', '-u', 'NONE', '-i', 'NONE', '-n', file], 'lorem ipsum', RESIZE_ROUNDS),
  ).toBeGreaterThan(RESIZE_ROUNDS)
})

needs('less')('a resize of less replays exactly', async () => {
  const file = path.join(home.root, 'text')
  fs.writeFileSync(
    file,
    Array.from({ length: 100 }, (_, n) => `${n} ${'lorem ipsum 漢字 é '.repeat(n % 9)}\n`).join(''),
  )
  expect(await resizeRounds(['less', file], 'lorem ipsum', RESIZE_ROUNDS)).toBeGreaterThan(RESIZE_ROUNDS)
})

test('a resize of a program that fills every cell replays exactly', async () => {
  expect(
    await resizeRounds(['sh', path.join(FIXTURES, 'redraw.sh')], '24x80', RESIZE_ROUNDS),
  ).toBeGreaterThan(RESIZE_ROUNDS)
})

test('a resize of a shell with wrapped lines and scrollback replays exactly', async () => {
  const script = 'for n in $(seq 40); do echo "$n $(seq -s" " 60)"; done; cat'
  expect(await resizeRounds(['sh', '-c', script], '40 1 2 3', RESIZE_ROUNDS)).toBeGreaterThan(RESIZE_ROUNDS)
})
