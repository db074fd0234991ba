/** What was captured is kept, can be checked, and keeps its session from being collected. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Result } from '@transom/protocol'
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
  expect(await home.ok('artifacts', 'verify', id)).toMatch(/^1 artifacts, \d+ bytes: all as/)
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

test('what is not there is said so', async () => {
  const id = await home.ok('create', '--', 'cat')
  const { code, stderr } = await home.run(['artifacts', 'pin', id, '--id', '7'])
  expect([code, stderr]).toEqual([66, expect.stringContaining('no artifact 7')])
})
