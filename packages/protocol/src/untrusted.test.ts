import { expect, test } from 'vitest'
import { z } from 'zod'
import { OPERATIONS, untrusted, type OperationDefinition } from './index.ts'

interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly untrusted?: boolean
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | boolean
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
}

/** The fields of a result that any text fits into and that are not marked. A schema that takes everything is one. */
function unmarkedTexts(schema: JsonSchema, at: string): string[] {
  const {
    type,
    untrusted,
    anyOf = [],
    oneOf = [],
    items,
    properties = {},
    additionalProperties: others,
  } = schema
  if (untrusted) return []
  const parts = [...anyOf, ...oneOf]
  const isText = [type].flat().includes('string') && schema.enum === undefined && schema.const === undefined
  const isAnything =
    type === undefined && parts.length === 0 && schema.const === undefined && schema.enum === undefined
  return [
    ...(isText || isAnything ? [at] : []),
    ...Object.entries(properties).flatMap(([key, part]) => unmarkedTexts(part, `${at}.${key}`)),
    ...parts.flatMap((part) => unmarkedTexts(part, at)),
    ...(items === undefined ? [] : unmarkedTexts(items, `${at}[]`)),
    ...(typeof others === 'object' ? unmarkedTexts(others, `${at}.*`) : []),
  ]
}
/**
 * The texts of results that no program and no page chooses, by the end of their path: words of ours, what the system reports,
 * or what callers have given. A new field is marked with untrusted(), or gets its reason here.
 */
const OURS: Readonly<Record<string, readonly string[]>> = {
  ids: [
    'session',
    'previous_session',
    'block_id',
    'active_block_id',
    'session_id',
    'active_session_id',
    'shell_id',
  ],
  'words of ours': [
    'kind',
    'condition',
    'ended_by',
    'signal',
    'waits_in',
    'format',
    'theme',
    'step',
    'code',
    'operation',
  ],
  'sentences of ours': [
    'unsandboxed',
    'problem',
    'live',
    'replay',
    'message',
    'shell',
    'snippet',
    'install[]',
    'engine.note',
  ],
  'times, versions, digests': [
    'time',
    'created_at',
    'ended_at',
    'started_at',
    'registered_at',
    'version',
    'sha256',
    'screen_hash',
    'code_points[]',
  ],
  'paths that we or a caller have chosen': [
    'path',
    'file',
    'folder',
    'home',
    'registry',
    'socket',
    'damaged_copy',
    'damaged_copies[]',
  ],
  'given by callers': ['name', 'conversation', 'actor', 'actor_label', 'kept[]'],
  'of a session, given by the caller that made it': [
    'create',
    'inspect',
    'destroy',
    'list.sessions[]',
  ].flatMap((at) => [`session.${at}.command[]`, `session.${at}.cwd`]),
  'a picture': ['png_b64'],
  'results of steps, whose fields are marked in their own operations': ['*'],
}

test('every text of a result is marked as untrusted or known to be ours', () => {
  const ours = Object.values(OURS).flat()
  const found = Object.entries<OperationDefinition>(OPERATIONS).flatMap(([name, { result }]) =>
    unmarkedTexts(z.toJSONSchema(result) as JsonSchema, name),
  )
  const isNamed = (at: string, key: string) => `.${at}`.endsWith(`.${key}`)
  expect(found.filter((at) => !ours.some((key) => isNamed(at, key)))).toEqual([])
  // Nothing is listed that is no longer there.
  expect(ours.filter((key) => !found.some((at) => isNamed(at, key)))).toEqual([])
})

test('a text that is not marked is found, wherever it is', () => {
  const result = z.object({
    said: untrusted(z.string().nullable()),
    choice: z.enum(['a', 'b']),
    plain: z.string().nullable(),
    deep: z.array(
      z.object({ either: z.union([z.literal('x'), z.string()]), marked: untrusted(z.array(z.string())) }),
    ),
    any: z.record(z.string(), z.unknown()),
  })
  expect(unmarkedTexts(z.toJSONSchema(result) as JsonSchema, 'op')).toEqual([
    'op.plain',
    'op.deep[].either',
    'op.any.*',
  ])
})
