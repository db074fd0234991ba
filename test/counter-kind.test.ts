/** A kind of session that stands in a folder of its own is one of the product's: nothing else had to be changed. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shellFiles } from '../scripts/shell-files.mjs'
import { CLI, TestHome } from './support/test-home.ts'

let folder: string
let home: TestHome

beforeAll(async () => {
  // Within the project, where the native parts are found.
  folder = fs.mkdtempSync(path.join(import.meta.dirname, '..', 'node_modules', '.counter-kind-'))
  fs.cpSync(path.dirname(CLI), folder, { recursive: true })
  const shared = { bundle: true, platform: 'node', logLevel: 'error' } as const
  const plugins = [shellFiles]
  const source = path.join(import.meta.dirname, 'counter-kind')
  await build({
    ...shared,
    plugins,
    entryPoints: [path.join(source, 'host.ts')],
    outfile: path.join(folder, 'host.mjs'),
    format: 'esm',
    external: ['koffi', '@lydell/node-pty'],
  })
  await build({
    ...shared,
    plugins,
    entryPoints: [path.join(source, 'recorder.ts')],
    outfile: path.join(folder, 'recorder.cjs'),
    format: 'cjs',
  })
  home = new TestHome()
})

afterAll(async () => {
  await home.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

/** What the CLI prints, with a host that runs counters. */
async function transom(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await home.run(args, { program: path.join(folder, 'cli.cjs') })
  if (code !== 0) throw new Error(`transom ${args.join(' ')} exited with ${code}: ${stderr}`)
  return stdout.trimEnd()
}

test('a counter is created, typed to, waited for, looked at, replayed, exported, listed and collected', async () => {
  const id = await transom('create', '--kind', 'counter', '--name', 'c')
  await transom('type', 'c', '+++')
  expect(await transom('wait', 'c', '--text', 'count: 3', '--after-input')).toContain('count: 3')
  expect(await transom('snapshot', 'c')).toBe('count: 3')
  const { seq } = JSON.parse(await transom('snapshot', 'c', '--json')) as { seq: number }
  await transom('type', 'c', '+--')
  expect(await transom('snapshot', 'c')).toBe('count: 2')
  expect(await transom('snapshot', 'c', '--at-seq', String(seq))).toBe('count: 3')
  expect(JSON.parse(await transom('diff', 'c', '--since', String(seq), '--json'))).toMatchObject({
    changed: [{ row: 0, line: { text: 'count: 2' } }],
  })
  expect(await transom('list')).toContain('counter')
  expect(await transom('inspect', 'c')).toContain(id)

  const picture = path.join(home.root, 'counter.png')
  await transom('screenshot', 'c', '-o', picture)
  expect(fs.readFileSync(picture).subarray(1, 4).toString()).toBe('PNG')
  const cast = path.join(home.root, 'counter.cast')
  await transom('export', 'c', '--format', 'asciicast-v2', '--out', cast)
  expect(fs.readFileSync(cast, 'utf8')).toContain('count: 2')
  expect(await transom('log', 'export', 'c')).toBe('0\n1\n2\n3\n4\n3\n2')

  await transom('destroy', 'c')
  expect(await transom('snapshot', 'c')).toBe('count: 2')
  expect(await transom('log', 'verify', 'c')).toMatch(/missing +0/)
  expect(await transom('gc', '--older-than', '0s')).toContain(id)
  expect(await transom('list', '--all')).not.toContain(id)
})

test('what a counter cannot do is refused by the name of the capability', async () => {
  const client = await home.connect()
  const { session } = await client.call('session.create', { kind: 'counter' })
  const run = client.call('session.run', { session, command: ['ls'] })
  await expect(run).rejects.toMatchObject({
    code: 'wrong_kind',
    details: { kind: 'counter', wanted: 'blocks' },
  })
  await expect(client.call('session.create', { kind: 'counter', url: 'http://a/' })).rejects.toMatchObject({
    code: 'usage',
    details: { parameters: ['url'] },
  })
  await expect(client.call('session.create', { kind: 'abacus' })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('there are: counter'),
  })
  client.close()
})
