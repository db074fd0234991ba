import { describe, expect, expectTypeOf, it } from 'vitest'
import { argsAttribute, type ArgsOf } from './argument-types.ts'
import { defineItem } from './item-type.ts'

const note = defineItem('note', (one: { id: string; text: string }) => ({
  key: one.id,
  value: { id: one.id },
}))

const SPECS = {
  text: 'string',
  count: 'integer',
  'urgent?': 'boolean',
  mood: 'happy|sad|so so',
  tags: 'string[]',
  moods: '(happy|sad)[]?',
  anything: 'any',
  note,
  others: [note],
  size: { type: 'number', minimum: 1 },
  unit: { enum: ['cm', 'in'], optional: true },
  parts: { type: 'array', items: { type: 'string' } },
} as const

describe('the arguments of an operation', () => {
  it('have the types that they declare', () => {
    expectTypeOf<ArgsOf<typeof SPECS>>().toEqualTypeOf<{
      readonly text: string
      readonly count: number
      readonly urgent?: boolean | undefined
      readonly mood: 'happy' | 'sad' | 'so so'
      readonly tags: readonly string[]
      readonly moods?: readonly ('happy' | 'sad')[] | undefined
      readonly anything: unknown
      readonly note: { id: string }
      readonly others: readonly { id: string }[]
      readonly size: number
      readonly unit?: 'cm' | 'in' | undefined
      readonly parts: readonly string[]
    }>()
  })

  it('are written as the runtime reads them', () => {
    expect(JSON.parse(argsAttribute(SPECS))).toEqual({ ...SPECS, note: 'note', others: 'note[]' })
  })
})
