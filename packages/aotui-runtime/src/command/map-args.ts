import { AotuiError } from '../contract/aotui-error.ts'
import type { ArgSpec, ArgSpecs, ArgType, OperationInfo } from '../contract/fragment.ts'
import { typeText } from './args-schema.ts'
import type { DslArg } from './dsl-parser.ts'

/** A value that the agent gave: from the text with its quoting, or from a Command object as JSON. */
export type GivenValue =
  | { kind: 'text'; text: string; quoted: boolean }
  | { kind: 'json'; value: unknown }
  | { kind: 'flag'; on: boolean }
export type GivenArgs = ReadonlyMap<string, readonly GivenValue[]>

/** Turns a ref into the data that the agent saw; throws when it means nothing. */
export type ResolveRef = (ref: string, itemType: string | undefined) => unknown

const REF = /^(?:item:)?[A-Za-z_][\w.-]*(?:~\d+)?\[\d+\]$|^entity:[A-Za-z_][\w.-]*$/

export function isRef(text: string): boolean {
  return REF.test(text)
}

/** The name of the argument that an operation declared inside items gets. */
export const ITEM_ARG = 'item'

/** The arguments as declared, with the item's own when the operation sits inside items. */
export function declaredArgs(operation: OperationInfo): ArgSpecs | undefined {
  const { args, itemType } = operation
  if (itemType === undefined) return args
  const takesItem = Object.values(args ?? {}).some(
    (spec) => spec.type.kind === 'item' && spec.type.itemType === itemType,
  )
  if (takesItem) return args
  return { [ITEM_ARG]: { type: { kind: 'item', itemType }, optional: false }, ...args }
}

export function givenFromDsl(args: readonly DslArg[], specs: ArgSpecs | undefined): GivenArgs {
  const given = new Map<string, GivenValue[]>()
  for (const arg of args) {
    let name = arg.short ? longName(arg, specs) : arg.name
    let value: GivenValue =
      arg.value === undefined ? { kind: 'flag', on: true } : { kind: 'text', ...arg.value }
    if (arg.value === undefined && name.startsWith('no-') && specs?.[name] === undefined) {
      name = name.slice(3)
      value = { kind: 'flag', on: false }
    }
    const before = given.get(name)
    if (before === undefined) given.set(name, [value])
    else before.push(value)
  }
  return given
}

export function givenFromJson(args: Readonly<Record<string, unknown>>): GivenArgs {
  return new Map(Object.entries(args).map(([name, value]) => [name, [{ kind: 'json', value }]]))
}

export function mapArgs(
  operation: OperationInfo,
  given: GivenArgs,
  resolve: ResolveRef,
): Record<string, unknown> {
  const specs = declaredArgs(operation)
  // Without declared arguments whatever was given is passed on; an item's own argument stays required.
  const open = operation.args === undefined
  const mapped: Record<string, unknown> = {}
  for (const [name, values] of given) {
    const spec = specs !== undefined && Object.hasOwn(specs, name) ? specs[name] : undefined
    if (spec === undefined && !open) throw refuse(operation, name, 'is not an argument of the operation')
    define(mapped, name, mapOne({ operation, name, resolve }, spec?.type ?? { kind: 'any' }, values))
  }
  for (const [name, spec] of Object.entries(specs ?? {})) {
    if (!spec.optional && !given.has(name)) throw refuse(operation, name, 'is missing')
  }
  return mapped
}

interface Where {
  operation: OperationInfo
  name: string
  resolve: ResolveRef
}

function mapOne(where: Where, type: ArgType, values: readonly GivenValue[]): unknown {
  if (type.kind === 'array') {
    const parts = values.flatMap(spreadArray)
    checkRange(where, parts.length, type.countMin, type.countMax, 'entries')
    return parts.map((value) => convert(where, type.element, value))
  }
  const [first] = values
  if (values.length === 1 && first !== undefined) return convert(where, type, first)
  if (type.kind === 'any') return values.map((value) => convert(where, type, value))
  throw refuse(where.operation, where.name, `takes one value and was given ${values.length}`)
}

function spreadArray(value: GivenValue): GivenValue[] {
  if (value.kind === 'json' && Array.isArray(value.value))
    return value.value.map((entry: unknown) => ({ kind: 'json', value: entry }))
  const json = value.kind === 'text' && value.text.startsWith('[') ? parseJson(value.text) : undefined
  if (Array.isArray(json)) return json.map((entry: unknown) => ({ kind: 'json', value: entry }))
  return [value]
}

function convert(where: Where, type: ArgType, given: GivenValue): unknown {
  const { operation, name } = where
  const raw = given.kind === 'text' ? given.text : given.kind === 'flag' ? given.on : given.value
  const wrong = () => refuse(operation, name, `must be ${typeText(type)}, not ${show(raw)}`)
  switch (type.kind) {
    case 'any':
      return convertUntyped(where, given, raw)
    case 'string':
      if (typeof raw !== 'string') throw wrong()
      checkRange(where, raw.length, type.lengthMin, type.lengthMax, 'characters')
      return raw
    case 'boolean':
      if (raw === true || raw === 'true') return true
      if (raw === false || raw === 'false') return false
      throw wrong()
    case 'number': {
      const number = typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : raw
      if (
        typeof number !== 'number' ||
        !Number.isFinite(number) ||
        (type.integer && !Number.isInteger(number))
      )
        throw wrong()
      checkRange(where, number, type.min, type.max, '')
      return number
    }
    case 'enum': {
      const index = type.values.findIndex(
        (value) => value === raw || (given.kind === 'text' && String(value) === raw),
      )
      if (index < 0) throw wrong()
      return type.values[index]
    }
    case 'item':
      // A quoted value is a literal, and a literal is no item: passing it on would let text stand for data.
      if (typeof raw !== 'string' || !isRef(raw) || (given.kind === 'text' && given.quoted)) throw wrong()
      return where.resolve(raw, type.itemType)
    case 'array':
      return mapOne(where, type, [given])
    case 'object':
      return convertObject(where, type, given.kind === 'text' ? parseJson(given.text) : raw)
    default:
      return type satisfies never
  }
}

/** An unquoted ref is resolved or refused, never handed to the app as text. */
function convertUntyped({ resolve }: Where, given: GivenValue, raw: unknown): unknown {
  if (typeof raw === 'string' && isRef(raw) && !(given.kind === 'text' && given.quoted))
    return resolve(raw, undefined)
  return raw
}

function convertObject(where: Where, type: ArgType & { kind: 'object' }, json: unknown): unknown {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw refuse(where.operation, where.name, `must be a JSON object ${typeText(type)}`)
  }
  const result: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(json)) {
    const spec: ArgSpec | undefined = Object.hasOwn(type.fields, key) ? type.fields[key] : undefined
    if (spec === undefined && !type.open)
      throw refuse(where.operation, `${where.name}.${key}`, 'is not a known field')
    const inner = { ...where, name: `${where.name}.${key}` }
    define(result, key, spec === undefined ? value : mapOne(inner, spec.type, [{ kind: 'json', value }]))
  }
  for (const [key, spec] of Object.entries(type.fields)) {
    if (!spec.optional && !Object.hasOwn(result, key))
      throw refuse(where.operation, `${where.name}.${key}`, 'is missing')
  }
  return result
}

/** Plain assignment would let an argument called `__proto__` change the object's prototype. */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
}

function checkRange(
  where: Where,
  value: number,
  min: number | undefined,
  max: number | undefined,
  unit: string,
): void {
  const of = unit === '' ? '' : ` ${unit}`
  if (min !== undefined && value < min)
    throw refuse(where.operation, where.name, `must be at least ${min}${of}`)
  if (max !== undefined && value > max)
    throw refuse(where.operation, where.name, `must be at most ${max}${of}`)
}

function longName(arg: DslArg, specs: ArgSpecs | undefined): string {
  const found = Object.entries(specs ?? {}).find(([, spec]) => spec.short === arg.name)
  if (found === undefined) {
    throw new AotuiError(
      'E_INVALID_CMD',
      `-${arg.name} is not declared by the operation; write --name value`,
      { reason: 'unknown_short' },
    )
  }
  return found[0]
}

function refuse(operation: OperationInfo, name: string, problem: string): AotuiError {
  const specs = declaredArgs(operation)
  const expected = Object.fromEntries(
    Object.entries(specs ?? {}).map(([key, spec]) => [spec.optional ? `${key}?` : key, typeText(spec.type)]),
  )
  const list = Object.entries(expected).map(([key, type]) => `${key}: ${type}`)
  return new AotuiError(
    'E_INVALID_CMD',
    `--${name} ${problem}; ${operation.id} takes ${list.length === 0 ? 'no declared arguments' : list.join(', ')}`,
    { reason: 'bad_argument', argument: name, operation: operation.id, expected },
  )
}

function show(value: unknown): string {
  const text = typeof value === 'string' ? `"${value}"` : (JSON.stringify(value) ?? String(value))
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
