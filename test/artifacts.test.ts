/** What was captured is kept, can be checked, and keeps its session from being collected. */
import { execFile } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Result } from '@transom/protocol'
import { needs } from './support/needs.ts'
import { TestHome } from './support/test-home.ts'

let home: TestHome

beforeAll(() => {
  home = new TestHome()
})

afterAll(async () => home.close())

const list = async (session: string) => home.json<Result<'artifacts.list'>>('artifacts', 'list', session)

test('a Snapshot Artifact holds exactly the result that was returned, and a plain snapshot keeps nothing', async () => {
  const id = await home.ok('create', '--', 'sh', '-c', 'printf "hello \\033[31mred\\033[m"; cat')
  await home.ok('wait', id, '--text', 'red')
  await home.ok('snapshot', id)
  expect((await list(id)).artifacts).toEqual([])
  const folder = path.join(home.path, 'sessions', id, 'artifacts')
  expect(fs.existsSync(folder)).toBe(false)
  const result = await home.json('snapshot', id, '--cells', '--save')
  const again = await home.json('snapshot', id, '--cells', '--save')
  expect(again).toEqual(result)
  const { artifacts } = await list(id)
  expect(artifacts).toMatchObject([{ id: 1, kind: 'snapshot', format: 'json', seq: result['seq'] }])
  const file = path.join(folder, artifacts[0]?.file ?? '')
  expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toEqual(result)
  expect(await home.ok('artifacts', 'verify', id)).toMatch(/^1 artifact, \d+ bytes: all as/)
  fs.appendFileSync(file, ' ')
  const { code, stderr } = await home.run(['artifacts', 'verify', id])
  expect([code, stderr]).toEqual([65, expect.stringContaining('is changed')])
})

test('gc keeps a session with a pinned artifact until the pin is off or it is forced', async () => {
  const [kept, forced] = await Promise.all(
    ['kept', 'forced'].map(async (name) => {
      const id = await home.ok('create', '--name', name, '--', 'echo', 'done')
      await home.ok('wait', id, '--exit')
      await home.ok('snapshot', id, '--save') // of an ended session
      await home.ok('artifacts', 'pin', id)
      return id
    }),
  )
  const gc = async (...flags: string[]) => home.json<Result<'session.gc'>>('gc', ...flags)
  const ids = ({ sessions }: Result<'session.gc'>) => sessions.map(({ session }) => session)
  const first = await gc()
  expect(ids(first)).not.toEqual(expect.arrayContaining([kept]))
  expect(first.kept.toSorted()).toEqual([kept, forced].toSorted((a = '', b = '') => a.localeCompare(b)))
  expect(await home.ok('artifacts', 'list', 'kept')).toMatch(/pinned/)
  await home.ok('artifacts', 'unpin', 'kept', '--id', '1')
  expect(ids(await gc())).toEqual([kept])
  expect(ids(await gc('--force'))).toEqual([forced])
})

needs('unzip')('a bundle is one folder or zip that can be read and checked by itself', async () => {
  const id = await home.ok('create', '--name', 'bundled', '--', 'sh', '-c', 'echo "a <b> & c"; cat')
  await home.ok('wait', id, '--text', '& c')
  await home.ok('mark', id, 'printed')
  await home.ok('snapshot', id, '--save')
  await home.ok('export', id, '--format', 'gif', '--save')
  const folder = path.join(home.root, 'review')
  expect(await home.ok('artifacts', 'bundle', id, '--out', folder)).toBe(folder) // of a live session
  const run = async (command: string, cwd = folder) =>
    (await promisify(execFile)('sh', ['-c', command], { cwd })).stdout
  expect(await run('sha256sum -c --quiet SHA256SUMS && find . -type f | sort')).toMatch(
    /^\.\/SHA256SUMS\n\.\/artifacts\/manifest\.json\n\.\/artifacts\/recording-\S+\.gif\n\.\/artifacts\/snapshot-\S+\.json\n\.\/index\.html\n\.\/recording\.cast\n\.\/recording\.html\n\.\/session\.json\n\.\/transcript\.txt\n$/,
  )
  expect(fs.readFileSync(path.join(folder, 'transcript.txt'), 'utf8')).toBe('a <b> & c\n')
  expect(fs.readFileSync(path.join(folder, 'index.html'), 'utf8')).toContain('<pre>a &lt;b&gt; &amp; c</pre>')
  const zip = path.join(home.root, 'review.zip')
  const { files } = await home.json<Result<'artifacts.bundle'>>('artifacts', 'bundle', id, '--out', zip)
  expect(files).toBe(9)
  const unpacked = path.join(home.root, 'unpacked')
  await run(`unzip -q ${zip} -d ${unpacked}`, home.root)
  expect(await run('sha256sum -c --quiet SHA256SUMS', path.join(unpacked, 'review'))).toBe('')
  for (const out of [folder, zip])
    expect((await home.run(['artifacts', 'bundle', id, '--out', out])).code).toBe(65)
  expect((await home.run(['artifacts', 'bundle', id, '--out', zip, '--force'])).code).toBe(0)
  const file = path.join(home.root, 'file')
  fs.writeFileSync(file, 'to be replaced')
  expect(await home.ok('artifacts', 'bundle', id, '--out', file, '--force')).toBe(file)
  expect(fs.readdirSync(file)).toContain('SHA256SUMS')
  const { artifacts, folder: stored } = await list(id)
  fs.appendFileSync(path.join(stored, artifacts[0]?.file ?? ''), ' ')
  const changed = await home.run(['artifacts', 'bundle', id, '--out', path.join(home.root, 'third')])
  expect([changed.code, changed.stderr]).toEqual([65, expect.stringContaining('has changed since')])
  expect(fs.readdirSync(home.root).filter((name) => /third|\.tmp$/.test(name))).toEqual([])
})

test('what is not there is said so', async () => {
  const id = await home.ok('create', '--', 'cat')
  const { code, stderr } = await home.run(['artifacts', 'pin', id, '--id', '7'])
  expect([code, stderr]).toEqual([66, expect.stringContaining('no artifact 7')])
})
