/** What the program teaches agents about itself must be true of this version. */
import * as fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { OPERATIONS, type OperationDefinition } from '@transom/protocol'
import { TestHome } from './support/test-home.ts'

let home: TestHome

beforeAll(() => {
  home = new TestHome()
})

afterAll(async () => {
  await home.close()
})

test('every skill is listed and printed, and no other', async () => {
  const folder = fileURLToPath(new URL('../packages/transom/skills', import.meta.url))
  const { skills } = await home.json<{ skills: { skill: string }[] }>('skills', 'list')
  expect(skills.map(({ skill }) => `${skill}.md`).toSorted()).toEqual(fs.readdirSync(folder).toSorted())
  for (const { skill } of skills) expect(await home.ok('skills', 'get', skill)).toMatch(/^# /)
  const missing = await home.run(['skills', 'get', 'nothing'])
  expect([missing.code, missing.stderr]).toEqual([64, expect.stringContaining('shell, tui, repl, setup')])
})

test('skills speak of tools and steps that there are', async () => {
  const tools = new Set(Object.values<OperationDefinition>(OPERATIONS).flatMap(({ mcp }) => mcp?.name ?? []))
  for (const skill of ['shell', 'tui', 'repl']) {
    const text = await home.ok('skills', 'get', skill)
    const named = [...text.matchAll(/`([a-z]+_[a-z_]+)`/g)].map((match) => match[1] ?? '')
    const parameters = new Set(['after_input', 'after_seq', 'screen_stable_ms'])
    expect([skill, named.filter((name) => !tools.has(name) && !parameters.has(name))]).toEqual([skill, []])
  }
})
