/** What a session answered live, its log answers later: recorded from real full-screen programs under random keys. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { Client } from '@transom/client'
import type { Result } from '@transom/protocol'
import { needs } from './support/needs.ts'
import { TestHome } from './support/test-home.ts'

type Snapshot = Result<'session.snapshot'>

const SNAPSHOTS_EACH = process.env['TRANSOM_FULL'] === '1' ? 200 : 40

let home: TestHome
let client: Client
let folder: string

beforeAll(async () => {
  home = new TestHome()
  folder = path.join(home.root, 'files')
  fs.mkdirSync(folder)
  for (let index = 0; index < 60; index++)
    fs.writeFileSync(path.join(folder, `file-${index}`), `line ${index}\n`.repeat(index))
  fs.writeFileSync(
    path.join(folder, 'long'),
    Array.from({ length: 500 }, (_, row) => `${row} ${'x'.repeat(row % 120)}`).join('\n'),
  )
  await home.startHost()
  client = await home.connect()
})

afterAll(async () => {
  client.close()
  await home.close()
})

/** A fixed sequence that looks random, so that a failure can be repeated. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (state * 1103515245 + 12345) & 0x7fffffff
    yield state / 0x7fffffff
  }
}

const PROGRAMS: [name: string, command: string[], keys: string[]][] = [
  [
    'vim',
    ['vim', '-u', 'NONE', '-N', 'long'],
    ['j', 'k', 'Ctrl+D', 'Ctrl+U', 'G', 'g', 'w', 'x', 'u', 'o', 'Escape', 'p', '/', 'n'],
  ],
  ['htop', ['htop', '-d', '1'], ['Down', 'Up', 'PageDown', 'F5', 'Left', 'Right', 'Home', 'End', 't', 'H']],
  ['less', ['less', 'long'], ['Down', 'Up', 'Space', 'b', 'G', 'g', 'Right', 'Left', 'd']],
  [
    'mc',
    ['mc', '--nosubshell', '.', '.'],
    ['Down', 'Up', 'Tab', 'PageDown', 'PageUp', 'Insert', 'F3', 'Escape', 'End'],
  ],
  [
    'dialog',
    [
      'dialog',
      '--menu',
      'Choose',
      '20',
      '60',
      '12',
      ...Array.from({ length: 30 }, (_, tag) => [`${tag}`, `item ${tag}`]).flat(),
    ],
    ['Down', 'Up', 'PageDown', 'Tab', 'End', 'Home'],
  ],
]

describe('replay equals live', () => {
  for (const [name, command, keys] of PROGRAMS) {
    needs(name)(`for ${SNAPSHOTS_EACH} moments of ${name}`, async () => {
      const { session } = await client.call('session.create', {
        command,
        cwd: folder,
        cols: 90,
        rows: 30,
        base_env: { ...(process.env as Record<string, string>), HOME: home.root },
      })
      await client.call('session.wait', { session, screen_stable_ms: 100, any: true, idle_ms: 2000 })
      const random = numbers(name.length * 7919)
      const next = (count: number) => Math.floor(random.next().value * count)
      const seen: Snapshot[] = []
      while (seen.length < SNAPSHOTS_EACH) {
        const key = keys[next(keys.length)] ?? 'Down'
        if (next(12) === 0)
          await client.call('session.resize', { session, cols: 60 + next(60), rows: 15 + next(30) })
        else await client.call('session.keys', { session, keys: [key] })
        // Sometimes in the middle of a redraw, sometimes after it.
        if (next(2) === 0) await client.call('session.wait', { session, idle_ms: next(20), timeout_ms: 5000 })
        seen.push(await client.call('session.snapshot', { session, cells: true, scrollback: true }))
      }
      await client.call('session.destroy', { session })
      for (const live of seen) {
        const offline = await client.call('session.snapshot', {
          session,
          cells: true,
          scrollback: true,
          at_seq: live.seq,
        })
        expect(offline).toEqual(live)
      }
    })
  }
})
