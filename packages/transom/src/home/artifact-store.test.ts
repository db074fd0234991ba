import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ArtifactStore } from './artifact-store.ts'

const DIST = fileURLToPath(new URL('../../dist', import.meta.url))
const signal = new AbortController().signal

let folder: string
let store: ArtifactStore

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-artifacts-'))
  store = new ArtifactStore(folder, () => 0)
})

afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

const picture = (seq: number) => ({ kind: 'screenshot' as const, format: 'png', seq })

describe('an artifact store', () => {
  test('lists what was added, in order, with its digest', async () => {
    await store.add(picture(3), Buffer.from('abc'))
    await store.add({ kind: 'recording', format: 'cast', seq: 9, fromSeq: 2 }, Buffer.from('xyz'))
    const sha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    const time = '1970-01-01T00:00:00.000Z'
    expect(store.read()).toEqual([
      {
        id: 1,
        ...picture(3),
        from_seq: null,
        file: 'screenshot-3-ba7816bf8f01.png',
        sha256,
        bytes: 3,
        time,
        pinned: false,
      },
      expect.objectContaining({ id: 2, kind: 'recording', seq: 9, from_seq: 2, bytes: 3 }),
    ])
    expect(fs.readFileSync(path.join(store.folder, 'screenshot-3-ba7816bf8f01.png'), 'utf8')).toBe('abc')
    expect(fs.statSync(path.join(store.folder, 'manifest.json')).mode & 0o777).toBe(0o600)
  })

  test('stores an identical capture once', async () => {
    const first = await store.add(picture(3), Buffer.from('abc'))
    expect(await store.add(picture(3), Buffer.from('abc'))).toEqual(first)
    const later = await store.add(picture(5), Buffer.from('abc'))
    expect(later).toMatchObject({ id: 2, seq: 5, file: first.file })
    expect(fs.readdirSync(store.folder).filter((file) => file.endsWith('.png'))).toEqual([first.file])
  })

  test('brings a lost file back when the same is captured again', async () => {
    const first = await store.add(picture(3), Buffer.from('abc'))
    fs.rmSync(store.pathOf(first))
    await store.add(picture(3), Buffer.from('abc'))
    expect(await store.verify(signal)).toEqual([])
    expect(store.read()).toHaveLength(1)
  })

  test('finds missing, changed and unlisted files', async () => {
    const kept = await store.add(picture(1), Buffer.from('one'))
    const lost = await store.add(picture(2), Buffer.from('two'))
    fs.appendFileSync(store.pathOf(kept), '!')
    fs.rmSync(store.pathOf(lost))
    fs.writeFileSync(path.join(store.folder, 'stranger'), '')
    expect(await store.verify(signal)).toEqual([
      { file: kept.file, problem: 'changed' },
      { file: lost.file, problem: 'missing' },
      { file: 'stranger', problem: 'not_listed' },
    ])
  })

  test('pins one artifact or all, and says when there is none', async () => {
    await expect(store.pin(null, true)).rejects.toMatchObject({ code: 'artifact_not_found' })
    await store.add(picture(1), Buffer.from('one'))
    await store.add(picture(2), Buffer.from('two'))
    expect((await store.pin(2, true)).map(({ pinned }) => pinned)).toEqual([false, true])
    expect((await store.pin(null, false)).map(({ pinned }) => pinned)).toEqual([false, false])
    await expect(store.pin(3, true)).rejects.toMatchObject({ code: 'artifact_not_found' })
  })

  test('does not overwrite a manifest that it cannot read', async () => {
    await store.add(picture(1), Buffer.from('one'))
    fs.writeFileSync(path.join(store.folder, 'manifest.json'), '{"version":')
    await expect(store.add(picture(2), Buffer.from('two'))).rejects.toMatchObject({
      code: 'artifact_damaged',
    })
    expect(fs.readFileSync(path.join(store.folder, 'manifest.json'), 'utf8')).toBe('{"version":')
    expect(fs.readdirSync(store.folder).filter((file) => file.endsWith('.tmp'))).toEqual([])
  })

  test('does not recreate the folder of a removed session', async () => {
    fs.rmSync(folder, { recursive: true })
    await expect(store.add(picture(1), Buffer.from('one'))).rejects.toMatchObject({ code: 'io_error' })
    expect(fs.existsSync(folder)).toBe(false)
  })

  test('loses no entry when several processes add at once', async () => {
    const script = path.join(DIST, `.artifact-writer-${process.pid}.mjs`)
    const source = `import { ArtifactStore } from ${JSON.stringify(fileURLToPath(new URL('artifact-store.ts', import.meta.url)))}
      const [folder, name] = process.argv.slice(2)
      const store = new ArtifactStore(folder, Date.now)
      const add = (seq) => store.add({ kind: 'snapshot', format: 'json', seq }, Buffer.from(name + seq))
      await Promise.all(Array.from({ length: 10 }, (_, index) => add(index + 1)))`
    await build({
      stdin: { contents: source, resolveDir: DIST },
      bundle: true,
      platform: 'node',
      format: 'esm',
      external: ['koffi'],
      outfile: script,
      logLevel: 'silent',
    })
    try {
      await Promise.all(['a', 'b', 'c'].map((name) => runToEnd([script, folder, name])))
    } finally {
      fs.rmSync(script)
    }
    expect(store.read().map(({ id }) => id)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1))
    expect(await store.verify(signal)).toEqual([])
  })
})

async function runToEnd(args: string[]): Promise<void> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const code = await new Promise((resolve) => child.on('close', resolve))
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}`)
}
