import { describe, expect, it } from 'vitest'
import { AotuiError } from '../contract/aotui-error.ts'
import type { OperationInfo } from '../contract/fragment.ts'
import { parseArgsAttribute, typeText } from './args-schema.ts'
import { parseContexts } from './context-parser.ts'
import { declaredArgs, givenFromDsl, givenFromJson, mapArgs } from './map-args.ts'

function operation(args: unknown, itemType?: string): OperationInfo {
  const base = { id: 'go', label: '', ...(itemType === undefined ? {} : { itemType }) }
  if (args === undefined) return base
  const parsed = parseArgsAttribute(JSON.stringify(args))
  if ('problem' in parsed) throw new Error(parsed.problem)
  return { ...base, args: parsed.args }
}

const resolve = (ref: string, type: string | undefined) => ({ ref, type })

function map(args: unknown, dsl: string, itemType?: string): Record<string, unknown> {
  const info = operation(args, itemType)
  const [context] = parseContexts(`<context>execute go ${dsl}</context>`)
  return mapArgs(info, givenFromDsl(context?.command.args ?? [], declaredArgs(info)), resolve)
}

function refused(work: () => unknown): AotuiError {
  try {
    work()
  } catch (error) {
    if (error instanceof AotuiError) return error
    throw error
  }
  throw new Error('expected to be refused')
}

describe('arguments are mapped by the schema', () => {
  it('as the spec shows: --content "Hi" and a flag', () => {
    expect(map({ content: 'string', urgent: 'boolean?' }, '--content "Hi" --urgent')).toEqual({
      content: 'Hi',
      urgent: true,
    })
    expect(map({ content: 'string', urgent: 'boolean?' }, '--content Hi --no-urgent')).toEqual({
      content: 'Hi',
      urgent: false,
    })
  })

  it('by type', () => {
    const schema = {
      n: 'number',
      i: 'integer',
      b: 'boolean',
      mood: 'happy|sad',
      tags: 'string[]',
      'extra?': 'any',
    }
    expect(map(schema, '--n 1.5 --i -3 --b false --mood sad --tags a --tags b')).toEqual({
      n: 1.5,
      i: -3,
      b: false,
      mood: 'sad',
      tags: ['a', 'b'],
    })
    expect(map({ tags: 'string[]' }, `--tags '["x","y"]'`)).toEqual({ tags: ['x', 'y'] })
    expect(map({ text: 'string' }, '--text 5')).toEqual({ text: '5' })
  })

  it('by JSON Schema, with the constraints that it checks', () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string', maxLength: 3, short: 'n' },
        size: { type: 'integer', minimum: 1, maximum: 9 },
        at: {
          type: 'object',
          properties: { x: { type: 'number' } },
          required: ['x'],
          additionalProperties: false,
        },
        kind: { enum: ['a', 1, null] },
      },
      required: ['name'],
    }
    expect(map(schema, `-n abc --size 3 --at '{"x":1}' --kind 1`)).toEqual({
      name: 'abc',
      size: 3,
      at: { x: 1 },
      kind: 1,
    })
    for (const dsl of [
      '--name abcd',
      '--name a --size 0',
      '--name a --size 10',
      `--name a --at '{}'`,
      `--name a --at '{"x":1,"y":2}'`,
      '--name a --kind b',
      '',
    ]) {
      expect(refused(() => map(schema, dsl)).code).toBe('E_INVALID_CMD')
    }
    expect(
      parseArgsAttribute('{"type":"object","properties":{"a":{"type":"string","pattern":"x"}}}'),
    ).toMatchObject({
      warnings: ['the runtime does not check "pattern"; the app must'],
    })
  })

  it('and refuses what is unknown, missing, doubled or of another type, with what was expected', () => {
    const schema = { content: 'string', n: 'integer?' }
    for (const dsl of [
      '--content a --other b',
      '',
      '--content a --content b',
      '--content',
      '--content a --n x',
      '--content a --n 1.5',
      '--content a -c b',
    ]) {
      expect(refused(() => map(schema, dsl)).code).toBe('E_INVALID_CMD')
    }
    expect(refused(() => map(schema, '--n 1')).data['expected']).toEqual({
      content: 'string',
      'n?': 'integer',
    })
  })

  it('names like __proto__ stay arguments', () => {
    const args = mapArgs(
      operation(undefined),
      givenFromJson(JSON.parse('{"__proto__":{"x":1}}') as Record<string, unknown>),
      resolve,
    )
    expect(Object.hasOwn(args, '__proto__')).toBe(true)
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })
})

describe('refs', () => {
  it('are resolved where the schema says item, and where there is no schema and no quote', () => {
    expect(map({ one: 'thing' }, '--one things[0]')).toEqual({ one: { ref: 'things[0]', type: 'thing' } })
    expect(map({ all: 'thing[]' }, '--all things[0] --all item:things~2[1]')).toEqual({
      all: [
        { ref: 'things[0]', type: 'thing' },
        { ref: 'item:things~2[1]', type: 'thing' },
      ],
    })
    expect(map(undefined, '--x things[0] --y "things[0]" --z entity:title')).toEqual({
      x: { ref: 'things[0]', type: undefined },
      y: 'things[0]',
      z: { ref: 'entity:title', type: undefined },
    })
    expect(map({ text: 'string' }, '--text things[0]')).toEqual({ text: 'things[0]' })
  })

  it('an operation inside items takes its item, unless it declares one itself', () => {
    expect(map(undefined, '--item things[2]', 'thing')).toEqual({ item: { ref: 'things[2]', type: 'thing' } })
    expect(refused(() => map(undefined, '', 'thing')).data['expected']).toEqual({ item: 'item:thing' })
    expect(map({ which: 'thing' }, '--which things[2]', 'thing')).toEqual({
      which: { ref: 'things[2]', type: 'thing' },
    })
  })
})

it('a schema that cannot be read is named', () => {
  for (const text of [
    'not json',
    '[]',
    '{"a":1}',
    '{"a b":"string"}',
    '{"a":"b c"}',
    '{"a":{"type":["x"]}}',
    '{"a":{"enum":[{}]}}',
  ]) {
    expect(parseArgsAttribute(text)).toHaveProperty('problem')
  }
  const parsed = parseArgsAttribute(
    '{"a":"(x|y)[]","b":{"type":"object","properties":{"c":{"type":"string"}}}}',
  )
  expect('args' in parsed && Object.values(parsed.args).map((spec) => typeText(spec.type))).toEqual([
    '(x|y)[]',
    '{c?: string}',
  ])
})
