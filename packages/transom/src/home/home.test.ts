import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Home } from './home.ts'

let folder: string

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-home-'))
})

afterEach(() => {
  fs.rmSync(folder, { recursive: true, force: true })
})

describe('opening a Home that another process is making', () => {
  test('ignores the temporary file of the other process', () => {
    fs.writeFileSync(path.join(folder, 'home.json.4711.tmp'), '')
    expect(Home.open(folder).path).toBe(fs.realpathSync(folder))
  })

  test('refuses a folder with other files', () => {
    fs.writeFileSync(path.join(folder, 'notes.txt'), '')
    expect(() => Home.open(folder)).toThrow('it has other files in it and no home.json')
  })
})

describe('a manifest is read as hostile input', () => {
  const SOUND = {
    kind: 'terminal',
    command: ['cat'],
    cwd: '/',
    cols: 80,
    rows: 24,
    version: 1,
    session: 'abc',
    name: 'work',
    status: 'exited',
    pid: null,
    created_at: '2026-01-01T00:00:00.000Z',
    ended_at: '2026-01-01T00:00:01.000Z',
    exit: { code: 0, signal: null },
    failure: null,
    ended_by: 'exit',
    paused: null,
    process_mark: '4796532759751294980',
    host_socket: '/nowhere',
    host_protocol: 1,
  }

  function readBack(text: string): string[] {
    const home = Home.open(folder)
    fs.mkdirSync(home.sessionFolder('abc'))
    fs.writeFileSync(home.manifestPath('abc'), text)
    return home.readManifests().map(({ session }) => session)
  }

  test('a sound one is taken, with keys that a later version may add', () => {
    expect(readBack(JSON.stringify({ ...SOUND, later: true }))).toEqual(['abc'])
  })

  test.each([
    { session: '../../x' },
    { session: 'another' },
    { name: '\u001b]0;owned\u0007' },
    { name: '\u009b2J' },
    { name: 'x'.repeat(1000) },
    { created_at: '1e300' },
    { created_at: '\u001b[2J' },
    { ended_at: 'tomorrow' },
    { cols: 1e9 },
    { rows: -1 },
    { pid: -1 },
    { process_mark: '9'.repeat(20) },
    { process_mark: '9'.repeat(1e6) },
    { block_base: -5 },
  ])('one with %j is passed over', (change) => {
    expect(readBack(JSON.stringify({ ...SOUND, ...change }))).toEqual([])
  })

  test('so are a link and a pipe', () => {
    const home = Home.open(folder)
    const sound = path.join(folder, 'host.sound')
    fs.writeFileSync(sound, JSON.stringify(SOUND))
    fs.mkdirSync(home.sessionFolder('abc'))
    fs.symlinkSync(sound, home.manifestPath('abc'))
    expect(home.readManifests()).toEqual([])
    fs.rmSync(home.manifestPath('abc'))
    execFileSync('mkfifo', [home.manifestPath('abc')])
    expect(home.readManifests()).toEqual([])
  })
})
