/** The Recursive Dogfood Proof: a session records a script that makes a session and brings back proof of it. */
import { execFile } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect } from 'vitest'
import type { Result } from '@transom/protocol'
import { needs } from './support/needs.ts'
import { CLI, FIXTURES, TestHome } from './support/test-home.ts'

let outer: TestHome

beforeAll(() => {
  outer = new TestHome()
})

afterAll(async () => outer.close())

needs('vim', 'unzip')('an outer session records how an inner one was made, driven and exported', async () => {
  const [proof, bin] = ['proof', 'bin'].map((name) => path.join(outer.root, name)) as [string, string]
  fs.mkdirSync(proof)
  fs.mkdirSync(bin)
  fs.symlinkSync(CLI, path.join(bin, 'transom'))
  const env = {
    TRANSOM_HOME: path.join(outer.root, 'inner-home'),
    PATH: `${bin}:${path.dirname(process.execPath)}:${process.env['PATH']}`,
  }
  const set = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  const size = ['--cols', '100', '--rows', '40']
  const id = await outer.ok(
    'create',
    '--name',
    'outer',
    ...size,
    ...set,
    '--',
    `${FIXTURES}/dogfood.sh`,
    proof,
  )
  await outer.ok('wait', id, '--exit', '--timeout', '60000')
  await outer.ok('assert', id, '--exit-code', '0', '--text', 'the proof is there')

  // What the inner session left is whole, and says what was done.
  expect(fs.readFileSync(path.join(proof, 'proof.txt'), 'utf8')).toBe('written by the inner session\n')
  await promisify(execFile)('unzip', ['-q', 'inner.zip'], { cwd: proof })
  const bundle = path.join(proof, 'inner')
  await promisify(execFile)('sha256sum', ['-c', '--quiet', 'SHA256SUMS'], { cwd: bundle })
  const info = JSON.parse(fs.readFileSync(path.join(bundle, 'session.json'), 'utf8')) as { exit: unknown }
  expect(info.exit).toEqual({ code: 0, signal: null })
  const kinds = fs.readdirSync(path.join(bundle, 'artifacts')).map((name) => name.split(/[-.]/)[0])
  expect(kinds.toSorted()).toEqual(['manifest', 'screenshot', 'snapshot'])
  for (const name of ['inner.png', 'inner.gif'])
    expect(fs.statSync(path.join(proof, name)).size).toBeGreaterThan(500)

  // And the outer one has recorded it: the inner session's screen is on the outer one's.
  const cast = await outer.ok('export', 'outer')
  expect(cast).toContain('written by the inner session')
  const { lines } = await outer.json<Result<'session.snapshot'>>('snapshot', 'outer')
  const text = lines.map((line) => line.text).join('\n')
  expect(text).toMatch(/^ok +12 {2}assert --exit-code 0 /m)
  expect(text).toMatch(/artifacts, \d+ bytes: all as they were captured/)
})
