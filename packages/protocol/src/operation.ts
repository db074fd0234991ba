import { z } from 'zod'
import type { OperationAccess } from './access.ts'
import type { AwiMethod } from './awi.ts'
import type { ErrorCode } from './errors.ts'
import type { Render, Template } from './render.ts'
import { COLS_MAX, COLS_MIN, ROWS_MAX } from './session-info.ts'
import { REF_CHARS_MAX } from './limits.ts'

/**
 * One operation: all that any surface knows of it. The CLI, its help and completion, JSON-RPC, HTTP, OpenAPI, MCP and
 * docs/operations.md are made from these entries; the host adds one handler for each.
 *
 * Metadata on a parameter (`.meta({ … })`) holds what the schema cannot: `flag` (another name than the parameter's),
 * `placeholder`, `parse` (how a string becomes the value), `from` (what fills it when it is not given: an environment
 * variable `$NAME`, the caller's `cwd` or whole `environment`, or a plain `yes`), `readable` (`-` takes it from standard
 * input and, if it has no flag, `--file` from a file), `secretWith` (the option with which it is a secret: then it is
 * never read from arguments), `hidden` (no flag), `completes` (what it names: `sessions`), `touches` (what a
 * call uses when it is set: see access.ts; every path on the host's machine has this), `tool` (see ToolParam). On a field of a result, `untrusted` marks text that a program or a page has chosen (untrusted.ts).
 */
export interface OperationDefinition<
  P extends z.ZodObject = z.ZodObject,
  R extends z.ZodType = z.ZodType,
  N extends Capability | undefined = Capability | undefined,
> {
  readonly summary: string
  /** What the summary leaves out, in a paragraph of help and manual page. */
  readonly description?: string
  readonly params: P
  readonly result: R
  /** Beyond `usage`, `internal`, `cancelled`, `io_error`, and `wrong_kind` for one that `needs` a capability. */
  readonly errors: readonly ErrorCode[]
  /**
   * True if the operation changes nothing, neither the session nor the disk, unless the caller sets a parameter
   * that is marked `touches`.
   */
  readonly readOnly: boolean
  /**
   * What the live session that the request names must be able to do. The host finds that session and refuses it with
   * `wrong_kind` before it calls the handler. Where `blocks` are needed, a conversation may be named for its session.
   */
  readonly needs?: N
  /** True if its answer is followed by notifications: it needs a connection of the caller's own. */
  readonly stream?: boolean
  /** True if the host leaves after its answer: a client waits until the connection is closed. */
  readonly endsHost?: boolean
  /** Set if it can be a step of a Batch. A wait that follows an `input` step is anchored to that step. */
  readonly step?: 'input' | 'other'
  /** How the CLI spells it; null where there is no command. */
  readonly cli: CliSpelling | null
  /** Who may call it with a token of the gateway. */
  readonly access: OperationAccess
  /** The MCP tool that it is, or one for each set that it belongs to; without this it is none. */
  readonly mcp?: McpTool | readonly McpTool[]
  /** The methods of the agent socket that it serves (AWI-TTY specification). */
  readonly awi?: readonly AwiMethod[]
}

/** What only some kinds of session can do. */
const CAPABILITIES = ['tty', 'blocks', 'needs_input', 'page'] as const
export type Capability = (typeof CAPABILITIES)[number]

/** `transom`: the tools that `transom mcp` offers; `pty`: those of the interactive PTY specification, by its names. */
export const TOOL_SETS = ['transom', 'pty'] as const
export type ToolSet = (typeof TOOL_SETS)[number]

export interface McpTool {
  readonly name: string
  /** The set that it belongs to; `transom` if not given. */
  readonly set?: ToolSet
  /** For a person; the words of the name if not given. */
  readonly title?: string
  /** For a model: when to use it, and what comes back. The summary if not given. */
  readonly description?: string
  /**
   * False if it only adds something. Otherwise a tool that is not read-only is announced as destructive: what is typed
   * or clicked may delete anything that the session's user may delete.
   */
  readonly destructive?: false
  /** False if it neither reaches a program or a page nor shows what one has chosen. */
  readonly openWorld?: false
  /** True if a second call with the same arguments changes nothing more. Read-only tools need not say so. */
  readonly idempotent?: true
  /** What its result is, if that is given to a model in pages, each with a cursor to the next. */
  readonly paged?: 'screen' | 'sessions' | 'links' | 'blocks'
  /** What this tool calls a parameter, by the operation's own name for it. */
  readonly renamed?: Readonly<Record<string, string>>
}

/** The tools that an operation is. */
export function mcpTools({ mcp = [] }: Pick<OperationDefinition, 'mcp'>): readonly McpTool[] {
  return 'name' in mcp ? [mcp] : mcp
}

/** What the caller of an MCP tool may say of a parameter: nothing (`hidden`), or it always has one value (`fixed`). */
export type ToolParam = { readonly hidden: true } | { readonly fixed: unknown }

export interface CliSpelling {
  readonly command: string
  /** Parameters given by position, in order. The last may be a list. */
  readonly positionals: readonly string[]
  /** A list parameter that takes everything after `--`. */
  readonly rest?: string
  readonly examples: readonly string[]
  /** Commands that a reader of this one may want next. */
  readonly seeAlso?: readonly string[]
  /** False if the command must not start a host that is not running. */
  readonly startsHost?: boolean
  /** What a person is shown of the result; its fields and lists if not given. */
  readonly render?: Render
  /** What is printed for a person on standard error beside the result, unless it is empty. */
  readonly notice?: Template
  /**
   * What is printed in place of a rendered result. `file`: the file that the operation writes, unless one of the
   * parameters in `unless` is given. `block`: what a command printed, byte for byte; its exit code is the status.
   */
  readonly prints?: { readonly what: 'file'; readonly unless: readonly string[] } | { readonly what: 'block' }
}

export function operation<
  P extends z.ZodObject,
  R extends z.ZodType,
  N extends Capability | undefined = undefined,
>(definition: OperationDefinition<P, R, N>): OperationDefinition<P, R, N> {
  const { errors, needs, params } = definition
  return {
    ...definition,
    params: params.strict() as unknown as P, // strict on requests; same shape
    errors: needs === undefined || errors.includes('wrong_kind') ? errors : [...errors, 'wrong_kind'],
  }
}

export const sessionRef = z
  .string()
  .min(1)
  .max(REF_CHARS_MAX)
  .describe('Session id, unique id prefix, or name.')
  .meta({ placeholder: 'SESSION', from: '$TRANSOM_SESSION' })

export const actor = z
  .string()
  .max(200)
  .optional()
  .describe('What the caller calls itself: a label that the Event Log keeps beside the actor.')
  .meta({ placeholder: 'NAME', from: '$TRANSOM_ACTOR', tool: { hidden: true } })

/** What `lease take` returns has 22 characters. */
const LEASE_CHARS_MAX = 64

export const lease = z
  .string()
  .max(LEASE_CHARS_MAX)
  .optional()
  .describe('The lease to act under, as `lease take` printed it.')
  .meta({ placeholder: 'LEASE', from: '$TRANSOM_LEASE', tool: { hidden: true } })

/** Who acts on a session, and by which right. */
export const acting = { actor, lease }

export const save = z
  .boolean()
  .optional()
  .describe('Keep it beside the Event Log, as an artifact.')
  .meta({ touches: 'artifacts', tool: { hidden: true } }) // the tool that reads a screen only reads

export const dryRun = z.boolean().optional().describe('Say what would be done and do nothing.')

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

/** Of what acts on a session, where another caller may hold its lease. */
export const leaseErrors = ['held', 'lease_required', 'lease_changed'] as const
export const actingErrors = [...commandTargetErrors, ...leaseErrors] as const
