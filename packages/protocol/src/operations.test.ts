import * as fs from 'node:fs'
import { expect, test } from 'vitest'
import { OPERATIONS, mcpTools, type OperationDefinition } from './index.ts'

const operations = Object.entries<OperationDefinition>(OPERATIONS)

test('an operation is in a file that is named after its family', () => {
  const folder = new URL('./operations/', import.meta.url)
  const wrong = fs.readdirSync(folder).flatMap((file) => {
    const [family] = file.split(/[-.]/)
    const text = fs.readFileSync(new URL(file, folder), 'utf8')
    const names = [...text.matchAll(/^  '([a-z]+)\.[a-z_]+':/gm)].map(([, name]) => name)
    return names.filter((name) => name !== family).map((name) => `${file} has ${name}`)
  })
  expect(wrong).toEqual([])
})

test('an operation that needs a capability names the session that must have it', () => {
  const needing = operations.filter(([, { needs }]) => needs !== undefined)
  expect(needing.length).toBeGreaterThan(10)
  for (const [name, { params, errors }] of needing) {
    const { session, conversation_id } = params.shape
    expect([name, session ?? conversation_id]).toEqual([name, expect.anything()])
    expect([name, errors]).toEqual([name, expect.arrayContaining(['wrong_kind'])])
  }
})

test('no two operations have the same command or the same tool', () => {
  const commands = operations.flatMap(([, { cli }]) => (cli === null ? [] : [cli.command]))
  const tools = operations.flatMap(([, it]) => mcpTools(it).map(({ set, name }) => `${set} ${name}`))
  expect(new Set(commands).size).toBe(commands.length)
  expect(new Set(tools).size).toBe(tools.length)
})
