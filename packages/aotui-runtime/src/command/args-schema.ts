import type { ArgSpec, ArgSpecs, ArgType } from '../contract/fragment.ts'
import {
  ARG_DEPTH_MAX,
  ARG_NAME_PATTERN,
  ARGS_CHARS_MAX,
  ARGS_MAX,
  DESCRIPTION_CHARS_MAX,
  ENUM_CHARS_MAX,
  ENUM_VALUES_MAX,
  ID_PATTERN,
} from '../contract/limits.ts'

/**
 * The `args` attribute of an operation: either a map of short types,
 * `{"content": "string", "to": "user[]", "mood": "happy|sad", "urgent?": "boolean"}`, or a JSON Schema of an object.
 * A name that is no built-in type is the type of a list's items: the argument takes a ref.
 */
export interface ParsedArgs {
  readonly args: ArgSpecs
  /** What the runtime does not check and the app has to. */
  readonly warnings: readonly string[]
}

export function parseArgsAttribute(text: string): ParsedArgs | { problem: string } {
  if (text.length > ARGS_CHARS_MAX) return { problem: `args is longer than ${ARGS_CHARS_MAX} characters` }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { problem: 'args is not JSON' }
  }
  if (!isRecord(json)) return { problem: 'args must be an object' }
  try {
    const warnings: string[] = []
    const isJsonSchema =
      json['type'] === 'object' && (isRecord(json['properties']) || json['properties'] === undefined)
    const args = isJsonSchema ? fieldsOfSchema(json, warnings) : fieldsOfMap(json, warnings)
    requireBounded(args, 0)
    return { args, warnings }
  } catch (error) {
    if (error instanceof SchemaProblem) return { problem: error.message }
    throw error
  }
}

/** The type as the agent reads it; `parseTypeText` reads it back. */
export function typeText(
  type: ArgType,
  refText: (itemType: string) => string = (itemType) => `item:${itemType}`,
): string {
  switch (type.kind) {
    case 'any':
    case 'string':
    case 'boolean':
      return type.kind
    case 'number':
      return type.integer ? 'integer' : 'number'
    case 'enum':
      return type.values.map(String).join('|')
    case 'item':
      return refText(type.itemType)
    case 'array':
      return type.element.kind === 'enum'
        ? `(${typeText(type.element)})[]`
        : `${typeText(type.element, refText)}[]`
    case 'object':
      return `{${Object.entries(type.fields)
        .map(([name, spec]) => `${name}${spec.optional ? '?' : ''}: ${typeText(spec.type, refText)}`)
        .join(', ')}}`
    default:
      return type satisfies never
  }
}

class SchemaProblem extends Error {}

/** What the desktop would refuse is refused here, where the author can be told. */
function requireBounded(specs: ArgSpecs, depth: number): void {
  if (Object.keys(specs).length > ARGS_MAX)
    throw new SchemaProblem(`args has more than ${ARGS_MAX} entries in one object`)
  for (const { type } of Object.values(specs)) requireBoundedType(type, depth)
}

function requireBoundedType(type: ArgType, depth: number): void {
  if (depth > ARG_DEPTH_MAX) throw new SchemaProblem(`args is nested deeper than ${ARG_DEPTH_MAX}`)
  if (type.kind === 'array') requireBoundedType(type.element, depth + 1)
  if (type.kind === 'object') requireBounded(type.fields, depth + 1)
  if (type.kind !== 'enum') return
  if (type.values.length > ENUM_VALUES_MAX)
    throw new SchemaProblem(`an enum has more than ${ENUM_VALUES_MAX} values`)
  if (type.values.some((value) => typeof value === 'string' && value.length > ENUM_CHARS_MAX))
    throw new SchemaProblem(`an enum value is longer than ${ENUM_CHARS_MAX} characters`)
}

function fieldsOfMap(json: Record<string, unknown>, warnings: string[]): ArgSpecs {
  const specs: Record<string, ArgSpec> = {}
  for (const [written, value] of Object.entries(json)) {
    const name = written.replace(/\?$/, '')
    requireName(name)
    const optional = name !== written
    if (typeof value === 'string') {
      const bare = value.trim().replace(/\?$/, '')
      specs[name] = { type: parseTypeText(bare), optional: optional || bare !== value.trim() }
    } else if (isRecord(value)) {
      specs[name] = specOfSchema(value, optional || value['optional'] === true, warnings)
    } else {
      throw new SchemaProblem(`args.${name} must be a type such as "string" or a JSON Schema`)
    }
  }
  return specs
}

function parseTypeText(text: string): ArgType {
  const bare = text.trim()
  if (bare.endsWith('[]')) {
    if (bare.endsWith('[]'.repeat(ARG_DEPTH_MAX + 1)))
      throw new SchemaProblem(`a type is nested deeper than ${ARG_DEPTH_MAX}`)
    const inner = bare.slice(0, -2).replace(/^\((.*)\)$/, '$1')
    return { kind: 'array', element: parseTypeText(inner) }
  }
  if (bare.includes('|'))
    return { kind: 'enum', values: bare.split('|').map((part) => part.trim().replaceAll(/^['"]|['"]$/g, '')) }
  switch (bare) {
    case 'any':
    case 'string':
    case 'boolean':
      return { kind: bare }
    case 'number':
      return { kind: 'number', integer: false }
    case 'integer':
      return { kind: 'number', integer: true }
    case 'object':
      return { kind: 'object', fields: {}, open: true }
    default: {
      const itemType = bare.replace(/^(?:item|entity):/, '')
      if (!ID_PATTERN.test(itemType)) throw new SchemaProblem(`"${text}" is not a type`)
      return { kind: 'item', itemType }
    }
  }
}

const ANNOTATIONS = new Set([
  'title',
  'description',
  'default',
  'examples',
  'format',
  '$comment',
  '$schema',
  '$id',
  'short',
  'optional',
  'deprecated',
])
const CHECKED = new Set([
  'type',
  'enum',
  'const',
  'items',
  'properties',
  'required',
  'additionalProperties',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
])

function fieldsOfSchema(schema: Record<string, unknown>, warnings: string[]): ArgSpecs {
  noteUnchecked(schema, warnings)
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const specs: Record<string, ArgSpec> = {}
  for (const [name, value] of Object.entries(isRecord(schema['properties']) ? schema['properties'] : {})) {
    requireName(name)
    if (!isRecord(value)) throw new SchemaProblem(`properties.${name} must be a schema`)
    specs[name] = specOfSchema(value, !required.includes(name), warnings)
  }
  return specs
}

function specOfSchema(schema: Record<string, unknown>, optional: boolean, warnings: string[]): ArgSpec {
  const { short, description } = schema
  if (short !== undefined && (typeof short !== 'string' || !/^[A-Za-z]$/.test(short))) {
    throw new SchemaProblem('short must be one letter')
  }
  return {
    type: typeOfSchema(schema, warnings),
    optional,
    ...(short === undefined ? {} : { short }),
    ...(typeof description === 'string' ? { description: description.slice(0, DESCRIPTION_CHARS_MAX) } : {}),
  }
}

function typeOfSchema(schema: Record<string, unknown>, warnings: string[]): ArgType {
  noteUnchecked(schema, warnings)
  if ('const' in schema) return { kind: 'enum', values: [scalar(schema['const'])] }
  if (Array.isArray(schema['enum'])) return { kind: 'enum', values: schema['enum'].map(scalar) }
  switch (schema['type']) {
    case 'string':
      return { kind: 'string', ...bounds(schema, 'minLength', 'maxLength', 'lengthMin', 'lengthMax') }
    case 'number':
    case 'integer':
      return {
        kind: 'number',
        integer: schema['type'] === 'integer',
        ...bounds(schema, 'minimum', 'maximum', 'min', 'max'),
      }
    case 'array': {
      const element: ArgType = isRecord(schema['items'])
        ? typeOfSchema(schema['items'], warnings)
        : { kind: 'any' }
      return { kind: 'array', element, ...bounds(schema, 'minItems', 'maxItems', 'countMin', 'countMax') }
    }
    case 'object':
      return {
        kind: 'object',
        fields: fieldsOfSchema(schema, warnings),
        open: schema['additionalProperties'] !== false,
      }
    case undefined:
      return { kind: 'any' }
    default:
      if (typeof schema['type'] === 'string') return parseTypeText(schema['type'])
      throw new SchemaProblem('type must be a single name')
  }
}

function bounds(
  schema: Record<string, unknown>,
  min: string,
  max: string,
  minName: string,
  maxName: string,
): Record<string, number> {
  const found: Record<string, number> = {}
  for (const [key, name] of [
    [min, minName],
    [max, maxName],
  ] as const) {
    const value = schema[key]
    if (value === undefined) continue
    if (typeof value !== 'number') throw new SchemaProblem(`${key} must be a number`)
    found[name] = value
  }
  return found
}

function noteUnchecked(schema: Record<string, unknown>, warnings: string[]): void {
  for (const key of Object.keys(schema)) {
    if (!ANNOTATIONS.has(key) && !CHECKED.has(key))
      warnings.push(`the runtime does not check "${key}"; the app must`)
  }
}

function scalar(value: unknown): string | number | boolean | null {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value
  throw new SchemaProblem('enum values must be text, numbers, true, false or null')
}

function requireName(name: string): void {
  if (!ARG_NAME_PATTERN.test(name))
    throw new SchemaProblem(`"${name.slice(0, 60)}" is not a name of an argument`)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
