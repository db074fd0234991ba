import { z } from 'zod'
import { OpError } from './errors.ts'

/**
 * A method of the agent socket as the AWI-TTY specification names and shapes it, made of operations on a web session.
 * It stands at the operation that does its work; `awi-tty` spells it on a command line.
 */
export interface AwiMethod {
  readonly method: string
  /** For the help of `awi-tty`. */
  readonly summary: string
  /** Strict: an unknown key is a slip, and is answered with −32602. */
  readonly params: z.ZodObject
  readonly cli: readonly AwiSpelling[]
  /** What the one method is called in `get_capabilities`, where that is more than its name. */
  readonly features?: readonly string[]
  /** Returns the result as the specification shapes it. `params` were checked by the schema. */
  serve(params: Record<string, unknown>, ask: AwiAsk): Promise<object>
}

/** How a method reaches the host. The session is filled in for operations that take one. */
export interface AwiAsk {
  /** Asks for the operation that the method stands at. */
  own(params?: object): Promise<unknown>
  other(operation: string, params?: object): Promise<unknown>
  /** Sends the client events, as notifications, until it disconnects. */
  follow(): Promise<void>
  /** The id of the session. */
  readonly session: string
  /** What there is to ask for, by the names of `get_capabilities`. */
  readonly features: readonly string[]
}

/** How `awi-tty` spells a method. */
export interface AwiSpelling {
  /** By default the method's name with dashes. */
  readonly command?: string
  readonly summary?: string
  readonly positionals?: readonly string[]
  readonly examples: readonly string[]
  /** The one value of the result that --plain prints. */
  readonly plain?: string
  /** Parameters that the command's name implies. */
  readonly fixed?: Readonly<Record<string, unknown>>
  /** Options that `awi-tty` uses itself and does not send. */
  readonly local?: z.ZodObject
}

interface Given<S extends z.ZodObject> extends Omit<AwiMethod, 'params' | 'serve'> {
  readonly params: S
}

/** By operations that are asked for one after another. */
export interface ServedMethod<S extends z.ZodObject> extends Given<S> {
  serve(params: z.output<S>, ask: AwiAsk): Promise<object>
}

/** By the operation that it stands at alone. */
export interface MappedMethod<S extends z.ZodObject> extends Given<S> {
  /** The parameters of the operation, without the session. */
  toParams(params: z.output<S>): object
  /** By default `{"ok": true}`. The host has checked the operation's result, whose type the mapping names. */
  toResult?(result: never, params: z.output<S>): object
  /** An error of the operation as the specification has it. */
  toError?(error: OpError): OpError
}

export const AWI_OK = { ok: true } as const

export function awiMethod<S extends z.ZodObject>(given: ServedMethod<S> | MappedMethod<S>): AwiMethod {
  const { method, summary, cli, features } = given
  const common = { method, summary, cli, params: given.params.strict(), ...(features && { features }) }
  // An edge: the caller of serve() has checked the parameters by this method's own schema.
  const typed = (params: Record<string, unknown>) => params as z.output<S>
  if ('serve' in given) return { ...common, serve: async (params, ask) => given.serve(typed(params), ask) }
  return {
    ...common,
    serve: async (params, ask) => {
      const result = await ask.own(given.toParams(typed(params))).catch((error: unknown) => {
        throw given.toError !== undefined && error instanceof OpError ? given.toError(error) : error
      })
      return given.toResult?.(result as never, typed(params)) ?? AWI_OK
    },
  }
}

export const awiDurationMs = z
  .int()
  .min(0)
  .max(24 * 60 * 60 * 1000)
  .meta({ parse: 'duration' })

export const awiTimeoutMs = awiDurationMs.optional().describe('Give up after this many milliseconds.')
