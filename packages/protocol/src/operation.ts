import { z } from 'zod'
import type { AwiMethod } from './awi.ts'
import type { ErrorCode } from './errors.ts'
import { COLS_MAX, COLS_MIN, ROWS_MAX } from './session-info.ts'

/**
 * One operation: what it takes, gives and can fail with, and how the CLI spells it.
 *
 * Metadata on a parameter (`.meta({ … })`) tells the CLI what the schema cannot: `flag` (another name than the
 * parameter's), `placeholder`, `parse` (how a string becomes the value), `from` (what fills it when it is not
 * given: an environment variable `$NAME`, the caller's `cwd` or whole `environment`), `readable` (`-` takes it from
 * standard input and `--file` from a file), `hidden` (no flag), `touches` (what it makes an
 * operation write to or read from, when it is set: the session's `artifacts`, or a `file` of the caller's choice).
 */
export interface OperationDefinition<P extends z.ZodObject = z.ZodObject, R extends z.ZodType = z.ZodType> {
  readonly summary: string
  readonly params: P
  readonly result: R
  /** Beyond those that every operation can answer with: `usage`, `internal`, `cancelled`, `io_error`. */
  readonly errors: readonly ErrorCode[]
  /**
   * True when the operation changes nothing, neither the session nor the disk, unless the caller sets a parameter
   * that is marked `touches`.
   */
  readonly readOnly: boolean
  /** How the CLI spells it; null where there is no command. */
  readonly cli: CliSpelling | null
  /** What a token of the gateway must allow, where `readOnly` does not say it: see tokenScopeOf(). */
  readonly access?: OperationAccess
  /** The MCP tool that it is; without this it is none, but for the tools of `pty.*`, which keep their own names. */
  readonly mcp?: McpTool
  /** The methods of the agent socket that it serves (AWI-TTY specification). */
  readonly awi?: readonly AwiMethod[]
}

export interface McpTool {
  readonly name: string
  /** For a person. */
  readonly title: string
  /** For a model: when to use it, and what comes back. */
  readonly description: string
  /** True when what it does cannot be taken back. */
  readonly destructive?: boolean
}

export interface OperationAccess {
  /** For what concerns the whole Home, or writes files of the caller's choice. */
  readonly scope?: 'admin'
  /**
   * How an operation without a `session` serves a token that is for some sessions only: its answer is filtered, it
   * concerns the caller's connection alone, or its `conversation_id` names the session. Without this it is refused.
   */
  readonly restricted?: 'filtered' | 'connection' | 'conversation'
}

/** What a token of the gateway may do; each includes those before it. */
export const TOKEN_SCOPES = ['read', 'operate', 'admin'] as const
export type TokenScope = (typeof TOKEN_SCOPES)[number]

/** The scope that a call needs: looking needs `read`, acting `operate`, naming a file of the host's machine `admin`. */
export function tokenScopeOf(definition: OperationDefinition, params: unknown): TokenScope {
  const { access, readOnly, params: known } = definition
  const touched = touchedBy(known, params)
  if (access?.scope === 'admin' || touched.includes('file')) return 'admin'
  return readOnly && touched.length === 0 ? 'read' : 'operate'
}

/** What each parameter touches, by its name: asked at every call, and the metadata of a schema is not a short way. */
const TOUCHES = new WeakMap<z.ZodObject, ReadonlyMap<string, unknown>>()

function touchedBy(known: z.ZodObject, params: unknown): unknown[] {
  const touches = TOUCHES.get(known) ?? touchesOf(known)
  TOUCHES.set(known, touches)
  if (touches.size === 0) return []
  return Object.entries(params ?? {}).flatMap(([name, value]) =>
    value === undefined || value === false ? [] : (touches.get(name) ?? []),
  )
}

function touchesOf({ shape }: z.ZodObject): ReadonlyMap<string, unknown> {
  return new Map(
    Object.entries<z.ZodType>(shape).flatMap(([name, schema]) => {
      const touches = schema.meta()?.['touches']
      return touches === undefined ? [] : [[name, touches]]
    }),
  )
}

export interface CliSpelling {
  readonly command: string
  /** Parameters given by position, in order. The last may be a list. */
  readonly positionals: readonly string[]
  /** A list parameter that takes everything after `--`. */
  readonly rest?: string
  readonly examples: readonly string[]
  /** False when the command must not start a host that is not running. */
  readonly startsHost?: boolean
}

export function operation<P extends z.ZodObject, R extends z.ZodType>(
  definition: OperationDefinition<P, R>,
): OperationDefinition<P, R> {
  return { ...definition, params: definition.params.strict() as unknown as P } // strict on requests; same shape
}

export const sessionRef = z
  .string()
  .min(1)
  .describe('Session id, unique id prefix, or name.')
  .meta({ placeholder: 'SESSION', from: '$TRANSOM_SESSION' })

export const actor = z
  .string()
  .max(200)
  .optional()
  .describe('What the caller calls itself: a label that the Event Log keeps beside the actor.')
  .meta({ placeholder: 'NAME', from: '$TRANSOM_ACTOR' })

export const save = z
  .boolean()
  .optional()
  .describe('Keep it beside the Event Log, as an artifact.')
  .meta({ touches: 'artifacts' })

export const cols = z.int().min(COLS_MIN).max(COLS_MAX).describe('Width in cells.').meta({ placeholder: 'C' })

export const rows = z.int().min(1).max(ROWS_MAX).describe('Height in cells.').meta({ placeholder: 'R' })

export const seqResult = z.object({
  seq: z.int().describe('Its record in the Event Log, a baseline for waits.'),
})

export const commandTargetErrors = [
  'session_not_found',
  'session_ambiguous',
  'session_ended',
  'disk_full',
] as const
