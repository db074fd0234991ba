import * as fs from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
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

interface JsonSchema {
  readonly type?: string
  readonly pattern?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | false
  readonly propertyNames?: JsonSchema
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly maxLength?: number
  readonly maxItems?: number
  readonly maxProperties?: number
}

/** The fields of a schema that any amount of data fits into. */
function unboundedFields(schema: JsonSchema, at: string): string[] {
  const { type, anyOf = [], oneOf = [], items, properties = {}, additionalProperties: others } = schema
  return [
    ...(type === 'string' && !isBoundedString(schema) ? [`${at}: a string`] : []),
    ...(type === 'array' && schema.maxItems === undefined ? [`${at}: a list`] : []),
    ...(others && schema.maxProperties === undefined ? [`${at}: a record`] : []),
    ...Object.entries(properties).flatMap(([key, part]) => unboundedFields(part, `${at}.${key}`)),
    ...[...anyOf, ...oneOf].flatMap((part) => unboundedFields(part, at)),
    ...(items === undefined ? [] : unboundedFields(items, `${at}[]`)),
    ...(others ? unboundedFields(others, `${at}.*`) : []),
  ]
}

function isBoundedString({ maxLength, enum: values, const: value, pattern }: JsonSchema): boolean {
  if (maxLength !== undefined || values !== undefined || value !== undefined) return true
  const repeats = pattern?.replaceAll(/\\.|\[[^\]]*\]/g, '').match(/[*+]|\{\d+,\}/)
  return pattern !== undefined && /^\^.*\$$/.test(pattern) && repeats === null
}

test('no parameter takes a text, a list or a record of any size', () => {
  const unbounded = operations.flatMap(([name, { params }]) =>
    unboundedFields(z.toJSONSchema(params, { io: 'input' }) as JsonSchema, name),
  )
  expect(unbounded).toEqual([])
})

test('a parameter without a bound is found, wherever it is', () => {
  const params = z.object({
    bounded: z.string().regex(/^[a-z*]{1,5}$/),
    text: z.string().regex(/^a+$/).optional(),
    either: z.union([z.literal('last'), z.array(z.int())]),
    deep: z.object({ record: z.record(z.string(), z.string().max(1)) }),
  })
  expect(unboundedFields(z.toJSONSchema(params) as JsonSchema, 'op')).toEqual([
    'op.text: a string',
    'op.either: a list',
    'op.deep.record: a record',
  ])
})
