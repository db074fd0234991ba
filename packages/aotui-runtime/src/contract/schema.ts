/**
 * Decoders for data from outside: messages of app processes and saved states. A decoder builds a fresh value that holds
 * only what it names, so nothing of the input object (getters, prototypes, extra keys) gets any further.
 */
export type Schema<T> = (value: unknown) => T

/** What does not fit, and where: `splice.chunks[3].text`. */
export class SchemaError extends Error {
  readonly problem: string
  path = ''

  constructor(problem: string) {
    super(problem)
    this.name = 'SchemaError'
    this.problem = problem
  }

  under(step: string): this {
    this.path = this.path === '' || this.path.startsWith('[') ? step + this.path : `${step}.${this.path}`
    this.message = `${this.path} ${this.problem}`
    return this
  }
}

export interface OptionalField<T> {
  readonly optional: Schema<T>
}

type Fields = Readonly<Record<string, Schema<unknown> | OptionalField<unknown>>>
type Decoded<F extends Fields> = {
  [K in keyof F as F[K] extends OptionalField<unknown> ? never : K]: F[K] extends Schema<infer T> ? T : never
} & {
  [K in keyof F as F[K] extends OptionalField<unknown> ? K : never]?: F[K] extends OptionalField<infer T>
    ? T
    : never
}

/** The field may be missing; it is then missing from the result as well. */
export function optional<T>(schema: Schema<T>): OptionalField<T> {
  return { optional: schema }
}

export function object<F extends Fields>(fields: F): Schema<Decoded<F>> {
  // Every message passes here: the fields are laid out once.
  const entries = Object.entries(fields).map(([name, field]) =>
    typeof field === 'function'
      ? { name, decode: field, isRequired: true }
      : { name, decode: field.optional, isRequired: false },
  )
  return (value) => {
    const input = requireRecord(value)
    const result: Record<string, unknown> = {}
    let at = ''
    try {
      for (const { name, decode, isRequired } of entries) {
        at = name
        const given = Object.hasOwn(input, name) ? input[name] : undefined
        if (given !== undefined || isRequired) result[name] = decode(given)
      }
    } catch (error) {
      throw located(error, at)
    }
    return result as Decoded<F>
  }
}

export function list<T>(element: Schema<T>, countMax: number): Schema<T[]> {
  return (value) => {
    if (!Array.isArray(value)) throw new SchemaError('must be an array')
    if (value.length > countMax) throw new SchemaError(`has more than ${countMax} entries`)
    const result: T[] = []
    try {
      for (const entry of value) result.push(element(entry))
    } catch (error) {
      throw located(error, `[${result.length}]`)
    }
    return result
  }
}

/** An object used as a map. Its keys are data, so the result has no prototype that a key could mean. */
export function record<T>(options: {
  key: RegExp
  value: Schema<T>
  countMax: number
}): Schema<Record<string, T>> {
  return (value) => {
    const entries = Object.entries(requireRecord(value))
    if (entries.length > options.countMax) throw new SchemaError(`has more than ${options.countMax} entries`)
    const result = Object.create(null) as Record<string, T>
    for (const [name, entry] of entries) {
      if (!options.key.test(name)) throw new SchemaError('has a key that is not a name')
      try {
        result[name] = options.value(entry)
      } catch (error) {
        throw located(error, name)
      }
    }
    return result
  }
}

/** One of several shapes, told apart by the text in one field. */
export function variant<T>(tag: string, shapes: Readonly<Record<string, Schema<T>>>): Schema<T> {
  const known = new Map(Object.entries(shapes))
  return (value) => {
    const name = requireRecord(value)[tag]
    const shape = typeof name === 'string' ? known.get(name) : undefined
    if (shape === undefined) throw located(new SchemaError(oneOfText([...known.keys()])), tag)
    return shape(value)
  }
}

export function text(charsMax: number, pattern?: RegExp): Schema<string> {
  return (value) => {
    if (typeof value !== 'string') throw new SchemaError('must be text')
    if (value.length > charsMax) throw new SchemaError(`is longer than ${charsMax} characters`)
    if (pattern !== undefined && !pattern.test(value)) throw new SchemaError('has the wrong form')
    return value
  }
}

export function count(max: number = Number.MAX_SAFE_INTEGER): Schema<number> {
  return (value) => {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > max)
      throw new SchemaError(`must be a whole number from 0 to ${max}`)
    return value
  }
}

export function finite(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new SchemaError('must be a number')
  return value
}

export function flag(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new SchemaError('must be true or false')
  return value
}

export function constant<T extends string | number | boolean>(expected: T): Schema<T> {
  return (value) => {
    if (value !== expected) throw new SchemaError(`must be ${JSON.stringify(expected)}`)
    return expected
  }
}

export function oneOf<const T extends string>(values: readonly T[]): Schema<T> {
  return (value) => {
    const found = values.find((one) => one === value)
    if (found === undefined) throw new SchemaError(oneOfText(values))
    return found
  }
}

export function scalar(charsMax: number): Schema<string | number | boolean | null> {
  const isText = text(charsMax)
  return (value) => {
    if (value === null || typeof value === 'boolean') return value
    return typeof value === 'number' ? finite(value) : isText(value)
  }
}

/** JSON that is nested deeper overflows the stack of programs that walk it. */
export const JSON_DEPTH_MAX = 100

/** Text that holds JSON. */
export function jsonText(charsMax: number): Schema<string> {
  const isText = text(charsMax)
  return (value) => {
    const json = isText(value)
    let parsed: unknown
    try {
      parsed = JSON.parse(json)
    } catch {
      throw new SchemaError('is not JSON')
    }
    if (isDeeper(parsed, JSON_DEPTH_MAX))
      throw new SchemaError(`is nested deeper than ${JSON_DEPTH_MAX} levels`)
    return json
  }
}

/** A JSON value, copied. */
export function json(value: unknown): unknown {
  if (isDeeper(value, JSON_DEPTH_MAX)) throw new SchemaError(`is nested deeper than ${JSON_DEPTH_MAX} levels`)
  try {
    return JSON.parse(JSON.stringify(value)) as unknown
  } catch {
    throw new SchemaError('is not a JSON value')
  }
}

function isDeeper(value: unknown, depthMax: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depthMax === 0) return true
  return Object.values(value).some((inner) => isDeeper(inner, depthMax - 1))
}

function requireRecord(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new SchemaError('must be an object')
  return value as Record<string, unknown>
}

function oneOfText(values: readonly string[]): string {
  return `must be one of ${values.join(', ')}`
}

function located(error: unknown, step: string): unknown {
  return error instanceof SchemaError ? error.under(step) : error
}
