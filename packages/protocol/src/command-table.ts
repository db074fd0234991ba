import { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type { CliSpelling, OperationDefinition } from './operation.ts'
import { OPERATIONS } from './operations.ts'
import type { Render, Template } from './render.ts'

/**
 * The operation table as plain data, for the CLI: it must parse and explain commands without loading zod.
 * The build writes it to a file; the host validates what the CLI sends against the schemas themselves.
 */
export interface CommandParam {
  readonly name: string
  /**
   * A `path` is made absolute by the caller, a `duration` (90s, 500) and an `age` (7d: with its
   * unit) become milliseconds, an `optional` is a path that
   * may be left out after its flag.
   */
  readonly type:
    | 'string'
    | 'integer'
    | 'boolean'
    | 'list'
    | 'point'
    | 'assignments'
    | 'path'
    | 'duration'
    | 'age'
    | 'block'
    | 'optional'
  readonly flag: string | null
  readonly placeholder: string | null
  readonly description: string
  readonly required: boolean
  readonly default: string | number | boolean | null
  /** `cwd`, `environment`, or an environment variable as `$NAME`. */
  readonly from: string | null
  /** Whether `-` and `--file` give its value. */
  readonly readable: boolean
  /** The option with which it is a secret, and is not taken from the command line; null for none. */
  readonly secretWith: string | null
  /** The only values it takes; null for any. */
  readonly values: readonly string[] | null
  /** The least and the largest number that it takes; null for any. */
  readonly limits: readonly [min: number, max: number] | null
  /** What it names, or its usual values, where its type does not say it, for completion. */
  readonly completes: 'sessions' | 'commands' | readonly string[] | null
}

export interface Command {
  readonly operation: string
  readonly command: string
  readonly summary: string
  /** A paragraph for help and man page; empty if the summary says it all. */
  readonly description: string
  readonly seeAlso: readonly string[]
  /** How it can fail, beyond what every command can. */
  readonly errors: readonly ErrorCode[]
  readonly positionals: readonly string[]
  readonly rest: string | null
  readonly examples: readonly string[]
  readonly startsHost: boolean
  /** Whether it is about sessions that are there: none is in a Home that does not exist, and it makes no Home. */
  readonly needsHome: boolean
  /** Whether the answer is complete only when the host has closed the connection. */
  readonly endsHost: boolean
  /** Whether it can be a step of a Batch. */
  readonly isStep: boolean
  /** What a person is shown of the result; null for its fields and lists. */
  readonly render: Render | null
  /** What is printed for a person beside the result. */
  readonly notice: Template
  readonly prints: CliSpelling['prints'] | null
  readonly params: readonly CommandParam[]
}

export function commandTable(): Command[] {
  return Object.entries<OperationDefinition>(OPERATIONS).flatMap(([name, definition]) => {
    const { cli } = definition
    if (cli === null) return []
    const hasPlace = new Set([...cli.positionals, ...(cli.rest === undefined ? [] : [cli.rest])])
    return [
      {
        operation: name,
        command: cli.command,
        summary: definition.summary,
        description: definition.description ?? '',
        seeAlso: cli.seeAlso ?? [],
        errors: definition.errors,
        positionals: cli.positionals,
        rest: cli.rest ?? null,
        examples: cli.examples,
        startsHost: cli.startsHost ?? true,
        needsHome: ['session', 'conversation', 'listed'].includes(definition.access.reach),
        endsHost: definition.endsHost ?? false,
        isStep: definition.step !== undefined,
        render: cli.render ?? null,
        notice: cli.notice ?? '',
        prints: cli.prints ?? null,
        params: commandParams(definition.params, hasPlace),
      },
    ]
  })
}

interface ParamSchema {
  type?: string
  description?: string
  default?: string | number | boolean
  flag?: string
  placeholder?: string
  parse?: 'point' | 'assignments' | 'path' | 'duration' | 'age' | 'block' | 'list'
  from?: string
  readable?: boolean
  secretWith?: string
  enum?: string[]
  minimum?: number
  maximum?: number
  completes?: 'sessions' | readonly string[]
  hidden?: boolean
}

/** The parameters of a schema as a command line has them; those of `hasPlace` are given by their position. */
export function commandParams(params: z.ZodObject, hasPlace: ReadonlySet<string>): CommandParam[] {
  // `io: input`: a parameter with a default is one that the caller may leave out.
  const schema = z.toJSONSchema(params, { io: 'input' })
  const required = new Set(schema.required)
  // The metadata of `.meta()` stands in the JSON schema beside its own keywords.
  const properties = (schema.properties ?? {}) as Record<string, ParamSchema>
  return Object.entries(properties).map(([name, property]) => ({
    name,
    type: property.parse ?? cliType(name, property.type),
    flag: property.hidden || hasPlace.has(name) ? null : (property.flag ?? name.replaceAll('_', '-')),
    placeholder: property.placeholder ?? null,
    description: property.description ?? '',
    required: required.has(name),
    default: property.default ?? null,
    from: property.from ?? null,
    readable: property.readable ?? false,
    secretWith: property.secretWith ?? null,
    values: property.enum ?? null,
    limits: limitsOf(property),
    completes: property.completes ?? null,
  }))
}

/** zod bounds a whole number by what JavaScript can count exactly: that is no limit to tell. */
function limitsOf({ minimum, maximum }: ParamSchema): CommandParam['limits'] {
  if (minimum === undefined || maximum === undefined) return null
  return maximum >= Number.MAX_SAFE_INTEGER ? null : [minimum, maximum]
}

function cliType(name: string, type: string | undefined): CommandParam['type'] {
  switch (type) {
    case 'string':
    case 'integer':
    case 'boolean':
      return type
    case 'array':
      return 'list'
    case 'object':
      return 'assignments'
    default:
      throw new Error(`parameter ${name}: the CLI cannot spell a ${type}`)
  }
}
