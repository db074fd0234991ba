import { z } from 'zod'
import type { McpTool, OperationDefinition } from '@transom/protocol'
import { parameterNames, stepDefinitions, stepParameterNames } from './tool-params.ts'
import { WAIT_MS_MAX, type Tool } from './tool-table.ts'

type Schema = Record<string, unknown>

/** What the cursor of a page leads to. */
const CURSORS: Readonly<Record<NonNullable<McpTool['paged']>, string>> = {
  screen: 'the lines that it left out, from there on',
  sessions: 'the sessions that it left out',
  links: 'the links that follow',
  blocks: 'the blocks before those',
}

/** The arguments of a tool: the operation's parameters, without those that the caller of a tool cannot choose. */
export function inputSchema({ definition, tool: { paged, renamed = {} } }: Tool): Schema {
  const { properties: all, required = [] } = schemaOf(definition)
  const names = parameterNames(definition)
  const properties = Object.fromEntries(names.map((name) => [renamed[name] ?? name, all[name] ?? {}]))
  for (const property of Object.values(properties))
    if (isSchema(property['items'])) delete property['items']['description'] // the list has one
  // Nearly every tool has it, and create_session and list_sessions say what it is.
  if (properties['session'] !== undefined) properties['session'] = { type: 'string' }
  const timeout = properties['timeout_ms']
  if (timeout !== undefined) properties['timeout_ms'] = { ...timeout, maximum: WAIT_MS_MAX }
  if (properties['steps'] !== undefined) properties['steps'] = { ...properties['steps'], items: stepSchema() }
  if (paged !== undefined)
    properties['cursor'] = {
      type: 'string',
      description: `The cursor of an earlier answer: ${CURSORS[paged]}.`,
    }
  return { type: 'object', properties, ...requiring(required.map((name) => renamed[name] ?? name)) }
}

/** What each step takes. The tools of the same operations describe it. */
function stepSchema(): Schema {
  const anyOf = [...stepDefinitions()].map(([step, definition]) => {
    const { properties, required = [] } = schemaOf(definition)
    const names = stepParameterNames(definition)
    return {
      properties: {
        step: { const: step },
        ...Object.fromEntries(names.map((name) => [name, undescribed(properties[name] ?? {})])),
      },
      required: ['step', ...required.filter((name) => names.includes(name))],
    }
  })
  return { type: 'object', anyOf }
}

function requiring(names: readonly string[]): Schema {
  return names.length === 0 ? {} : { required: names }
}

/** What kind of value it is, and no more. */
function undescribed({ type, enum: values, items, anyOf }: Schema): Schema {
  if (values !== undefined) return { enum: values }
  if (Array.isArray(anyOf)) {
    const types = anyOf.filter(isSchema).flatMap((one) => one['type'] ?? [])
    return types.length === anyOf.length ? { type: types } : { anyOf }
  }
  return isSchema(items) ? { type, items: undescribed(items) } : { type }
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null
}

function schemaOf({ params }: OperationDefinition): {
  readonly properties: Record<string, Schema>
  readonly required?: readonly string[]
} {
  return cleaned(z.toJSONSchema(params, { io: 'input' }), false) as ReturnType<typeof schemaOf> // of an object
}

/** Noise to a model: what the operation table says of a field to other surfaces, and limits that a host checks. */
const LEFT_OUT = new Set([
  '$schema',
  'placeholder',
  'from',
  'flag',
  'parse',
  'readable',
  'secretWith',
  'hidden',
  'touches',
  'tool',
  'completes',
  'untrusted',
  'pattern',
  'propertyNames',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'maxProperties',
  'additionalProperties',
])

function cleaned(value: unknown, isMap: boolean): unknown {
  if (Array.isArray(value)) return value.map((part) => cleaned(part, false))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) => {
      const isNoise =
        LEFT_OUT.has(key) ||
        part === -Number.MAX_SAFE_INTEGER ||
        (key === 'maximum' && Number(part) > WAIT_MS_MAX) || // more than a call waits, or than a model counts
        (key === 'minimum' && part === 0)
      return isNoise && !isMap ? [] : [[key, cleaned(part, key === 'properties' && !isMap)]]
    }),
  )
}
