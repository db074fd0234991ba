import { afterEach, beforeEach, expect, test } from 'vitest'
import { TestHome } from './support/test-home.ts'

let home: TestHome

beforeEach(() => {
  home = new TestHome()
})

afterEach(async () => {
  await home.close()
})

test('a session runs a command, waits for what it prints and shows it', async () => {
  const id = await home.ok('create', '--name', 'work', '--', 'sh')
  expect(id).toMatch(/^[a-z0-9]{12}$/)
  await home.ok('wait', 'work', '--text', '$') // typed before the prompt, the prompt would stand before the answer
  await home.ok('type', 'work', 'echo $((6*7))', '--enter')
  expect(await home.ok('wait', 'work', '--text', '42', '--after-input')).toBe('42')
  expect(await home.ok('snapshot', 'work')).toContain('$ echo $((6*7))\n42\n$')
  const list = await home.ok('list')
  expect(list.split('\n')[0]).toMatch(/^ID /)
  expect(list.split('\n')[1]).toMatch(new RegExp(`^${id} +work +running`))
  await home.ok('destroy', 'work')
  expect(await home.ok('list')).not.toContain(id)
  expect(await home.ok('list', '--all')).toContain(id)
})

test('an ended session still shows its last screen', async () => {
  const id = await home.ok('create', '--', 'sh', '-c', 'echo bye; exit 3')
  await home.ok('wait', id, '--exit')
  expect(await home.ok('snapshot', id)).toBe('bye')
  expect(await home.json('inspect', id)).toMatchObject({ status: 'exited', exit: { code: 3, signal: null } })
})
