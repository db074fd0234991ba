import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Home } from '../home/home.ts'
import { createEvents, tryLockEvents } from '../home/session-events.ts'
import { COMPRESSED_FORMAT_VERSION, decodeFileHeader } from '../log/record.ts'
import { LogCompression } from './log-compression.ts'

let folder: string
let home: Home

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-compression-'))
  home = Home.open(path.join(folder, 'home'))
})

afterEach(() => fs.rmSync(folder, { recursive: true }))

async function writeLog(session: string): Promise<void> {
  home.createSessionFolder(session)
  const store = createEvents(home, session, { now: () => 0 })
  for (let index = 0; index < 40; index++) store.append('output', Buffer.alloc(64 << 10, index))
  await store.close()
}

const isCompressed = (session: string) =>
  decodeFileHeader(fs.readFileSync(home.events(session).path)) === COMPRESSED_FORMAT_VERSION

/** A compression, and a promise of as many logs done. */
function compression(count: number) {
  const saved: number[] = []
  let onAll = () => {}
  const all = new Promise<void>((resolve) => (onAll = resolve))
  const made = new LogCompression(home, (bytes) => {
    saved.push(bytes)
    if (saved.length === count) onAll()
  })
  return { made, saved, all }
}

test('logs are compressed one after the other, and a missing one is passed over', async () => {
  await writeLog('one')
  await writeLog('two')
  const { made, saved, all } = compression(3)
  for (const session of ['one', 'gone', 'two']) made.add(session)
  expect(made.busy).toBe(true)
  await all
  expect(made.busy).toBe(false)
  expect([isCompressed('one'), isCompressed('two')]).toEqual([true, true])
  expect(saved.map((bytes) => bytes > 2_000_000)).toEqual([true, false, true])
})

test('compression gives the lock to what needs it, and goes on afterwards', async () => {
  await writeLog('one')
  const { made, all } = compression(1)
  made.add('one')
  await made.pausedWhile(async () => {
    const lock = tryLockEvents(home, 'one')
    expect(lock).not.toBeNull()
    lock?.release()
    expect(fs.readdirSync(home.sessionFolder('one')).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })
  await all
  expect(isCompressed('one')).toBe(true)
})

test('compression that is closed leaves the log as it was', async () => {
  await writeLog('one')
  const before = fs.readFileSync(home.events('one').path)
  const { made } = compression(1)
  made.add('one')
  await made.close()
  made.add('one')
  expect(fs.readFileSync(home.events('one').path).equals(before)).toBe(true)
})
