import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { platform, platformOf } from './current-platform.ts'
import { darwin } from './darwin.ts'

const ROOT = path.join(import.meta.dirname, '../../../..')
let folder: string

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(ROOT, 'node_modules', '.platform-')) // where koffi is found
})

afterAll(() => fs.rmSync(folder, { recursive: true }))

/** Records each call of a function of fs, and each module that is asked for, beside the program itself. */
const WATCH = `
import fs from 'node:fs'
import Module, { syncBuiltinESMExports } from 'node:module'
const seen = []
const program = process.argv[2]
for (const owner of [fs, fs.promises]) for (const [name, call] of Object.entries(owner)) {
  if (typeof call !== 'function' || /^[A-Z_]/.test(name)) continue
  owner[name] = function (...args) {
    if (!String(args[0]).includes(program)) seen.push(name + ' ' + String(args[0]))
    return Reflect.apply(call, this, args)
  }
}
const load = Module._load
Module._load = function (name, ...rest) { seen.push('load ' + name); return Reflect.apply(load, this, [name, ...rest]) }
syncBuiltinESMExports()
const { platform } = await import(program)
platform().lacks
const atImport = [...seen]
try { platform().terminalAttributes(0) } catch {}
platform().listProcesses()
process.stdout.write(JSON.stringify({ atImport, later: seen.slice(atImport.length) }))
`

test('importing it loads nothing native and touches no file; the first call does', async () => {
  const program = path.join(folder, 'platform.mjs')
  await build({
    entryPoints: [path.join(import.meta.dirname, 'current-platform.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['koffi'],
    logLevel: 'error',
  })
  const watch = path.join(folder, 'watch.mjs')
  fs.writeFileSync(watch, WATCH)
  const seen = JSON.parse(execFileSync(process.execPath, [watch, program], { encoding: 'utf8' })) as {
    atImport: string[]
    later: string[]
  }
  expect(seen.atImport).toEqual([])
  expect(seen.later).toContain('load koffi')
  expect(seen.later).toContain('readdirSync /proc')
})

test('each system has its implementation, and an unknown one has none', () => {
  expect([platformOf('linux')?.name, platformOf('darwin')?.name, platformOf('win32')]).toEqual([
    'linux',
    'darwin',
    null,
  ])
  expect(platform().name).toBe(process.platform)
})

test('what macOS lacks does nothing, or returns that nothing is known', async () => {
  expect(darwin.listProcesses()).toBeNull()
  expect(darwin.withProcessMark(1n, { program: 'true', argv: [], env: {} }, () => 'forked')).toBe('forked')
  expect([
    darwin.processFacts(1),
    darwin.programName(1),
    darwin.programFile(1),
    darwin.processMark(1),
  ]).toEqual([null, null, null, null])
  expect([darwin.programArguments(1), darwin.ownChildren()]).toEqual([[], []])
  expect(darwin.terminalWait(1, 0)).toEqual({ blocked: null, shown: false })
  expect(await darwin.loopbackPeerUid({ peerPort: 1, ownPort: 2 })).toBeNull()
})
