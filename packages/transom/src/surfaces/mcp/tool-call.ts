import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import {
  OPERATIONS,
  WAIT_TIMEOUT_MS_DEFAULT,
  untrustedFields,
  type OperationDefinition,
  type Result,
} from '@transom/protocol'
import { toWireError, spelledSteps, type SpellStep } from '@transom/protocol/errors'
import {
  compact,
  compactScreen,
  fenced,
  isSnapshot,
  parseCursor,
  SCREEN_CHARS_DEFAULT,
} from './compact-screen.ts'
import type { CompactScreen, ScreenCursor } from './compact-screen.ts'
import { compactList } from './compact-list.ts'
import { spellTool } from './spell-step.ts'
import { WAIT_MS_MAX, fixedParams, type Tool } from './tool-table.ts'

/** How often a client that asked for progress gets some during a wait. */
const PROGRESS_EVERY_MS = 2000
const OUTPUT_TOKENS_DEFAULT = 1000 // the output is in the answer twice, as a screen is
const TEXT_CHARS_MAX = 8000 // about two thousand tokens

/**
 * Values for parameters that a caller leaves out, by what the operation table says they come `from`. A parameter of the
 * same name that comes from elsewhere is left alone: `cwd` is where a session starts, but in a shell it moves the shell.
 */
export type CallerDefaults = Readonly<Partial<Record<'cwd' | 'environment' | '$TRANSOM_ACTOR', unknown>>>

/** The request of a client that a call is made for. */
export type CallingRequest = Pick<ServerContext['mcpReq'], 'signal' | 'envelope'>

export interface ToolHost {
  call(operation: string, params: object, request: CallingRequest): Promise<unknown>
  readonly defaults: CallerDefaults
  /** All that the caller may use, for advice about an error. */
  readonly tools: readonly Tool[]
}

type Arguments = Readonly<Record<string, unknown>>

/** Calls the operation of a tool and puts its answer, or its failure, into the form that a model reads. */
export async function callTool(
  host: ToolHost,
  tool: Tool,
  given: Arguments,
  { mcpReq }: ServerContext,
): Promise<CallToolResult> {
  const stopProgress = reportProgress(tool, given, mcpReq)
  try {
    if (tool.definition.mcp?.paged === 'sessions') return await listSessions(host, tool, given, mcpReq)
    const { params, charsMax, cursor } = requestOf(tool, given, host.defaults)
    const result = await host.call(tool.operation, params, mcpReq)
    return answer(shaped(result, charsMax, cursor))
  } catch (error) {
    if (mcpReq.signal.aborted) throw error // no client reads the answer; the program goes on
    return failure(error, given, spellTool(host.tools, tool))
  } finally {
    stopProgress()
  }
}

async function listSessions(
  host: ToolHost,
  { operation }: Tool,
  { cursor, ...params }: Arguments,
  request: CallingRequest,
): Promise<CallToolResult> {
  const { sessions } = (await host.call(operation, params, request)) as Result<'session.list'>
  return answer(compactList(sessions, typeof cursor === 'string' ? cursor : null))
}

interface ToolRequest {
  readonly params: object
  readonly charsMax: number
  readonly cursor: ScreenCursor | null
}

function requestOf(tool: Tool, given: Arguments, defaults: CallerDefaults): ToolRequest {
  const { definition } = tool
  const { shape } = definition.params
  const params = { ...filledIn(definition, defaults), ...given, ...fixedParams(tool) }
  if ('timeout_ms' in shape) params['timeout_ms'] = waitMs(params['timeout_ms'], WAIT_MS_MAX)
  if ('max_tokens' in shape && params['raw'] !== true) params['max_tokens'] ??= OUTPUT_TOKENS_DEFAULT
  if (Array.isArray(params['steps'])) params['steps'] = shortenWaits(params['steps'] as unknown[])
  if (definition.mcp?.paged !== 'screen') return { params, charsMax: SCREEN_CHARS_DEFAULT, cursor: null }
  // The text is cut here and not by the host, so that the cursor gets what was left out.
  const { max_chars: charsMax, cursor: spelled, ...rest } = params
  const cursor = typeof spelled === 'string' ? parseCursor(spelled) : null
  return {
    params: cursor === null ? rest : { ...rest, at_seq: cursor.seq, scrollback: cursor.scrollback },
    charsMax: typeof charsMax === 'number' ? charsMax : SCREEN_CHARS_DEFAULT,
    cursor,
  }
}

/** The parameters that the operation table takes from the caller's surroundings. */
function filledIn({ params }: Tool['definition'], defaults: CallerDefaults): Record<string, unknown> {
  const values = new Map<unknown, unknown>(Object.entries(defaults))
  return Object.fromEntries(
    Object.entries<z.ZodType>(params.shape).flatMap(([name, schema]) => {
      const value = values.get(schema.meta()?.['from'])
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** A wait's own timeout, within the limit of a call. The host refuses a value that is not a number. */
function waitMs(given: unknown, maxMs: number): unknown {
  if (given === undefined) return Math.min(WAIT_TIMEOUT_MS_DEFAULT, maxMs)
  return typeof given === 'number' ? Math.min(given, maxMs) : given
}

/** The waits of a batch share the time of the call. */
function shortenWaits(steps: readonly unknown[]): unknown[] {
  const isWait = (step: unknown): step is { timeout_ms?: unknown } =>
    typeof step === 'object' && step !== null && 'step' in step && step.step === 'wait'
  const shareMs = Math.floor(WAIT_MS_MAX / Math.max(1, steps.filter(isWait).length))
  return steps.map((step) =>
    isWait(step) ? { ...step, timeout_ms: waitMs(step.timeout_ms, shareMs) } : step,
  )
}

/** The answer with each screen in it in its short form. */
function shaped(value: unknown, charsMax: number, cursor: ScreenCursor | null): unknown {
  if (isSnapshot(value)) return compact(value, charsMax, cursor)
  if (Array.isArray(value)) return value.map((part) => shaped(part, charsMax, cursor))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shaped(part, charsMax, cursor)]))
}

function answer(result: unknown): CallToolResult {
  const { png_b64: png, ...rest } = result as Record<string, unknown> // every operation answers with an object
  const picture =
    typeof png === 'string' ? [{ type: 'image' as const, data: png, mimeType: 'image/png' }] : []
  return { content: [{ type: 'text', text: textOf(rest) }, ...picture], structuredContent: rest }
}

function failure(error: unknown, given: Arguments, spell: SpellStep): CallToolResult {
  const wire = toWireError(error)
  const details = shaped(wire.details, SCREEN_CHARS_DEFAULT, null) as Record<string, unknown>
  if (wire.code === 'wait_timeout' && isCompact(details['snapshot'])) return timedOut(details, given)
  const { snapshot, next: _steps, quote, ...rest } = details
  const words = [`${wire.code}: ${wire.message}`, ...spelledSteps(wire.details, spell)].join('; ')
  const said = typeof quote === 'string' ? `\n${fenced(quote)}` : ''
  const screen = isCompact(snapshot) ? `\n${screenText(snapshot)}` : ''
  const more = Object.keys(rest).length === 0 ? '' : `\n${limited(JSON.stringify(rest))}`
  return { isError: true, content: [{ type: 'text', text: `${words}${said}${more}${screen}` }] }
}

/** The same wait again, from the same baseline: what comes true in between is not missed. */
function timedOut(details: Record<string, unknown>, given: Arguments): CallToolResult {
  const snapshot = details['snapshot'] as CompactScreen // as isCompact() has said
  const result = { session: snapshot.session, matched: false, ...details, resume: given }
  return answer(result)
}

function textOf(result: unknown): string {
  if (isCompact(result)) return screenText(result)
  const outputs: string[] = []
  const text = limited(JSON.stringify(withoutOutput(result, outputs)))
  return [text, ...outputs.map((output, index) => `output ${index + 1}:\n${fenced(output)}`)].join('\n')
}

let untrustedNames: ReadonlySet<string> | null = null

/** Fields that programs and pages can influence: they come after the rest, between marks. */
function isUntrusted(field: string): boolean {
  untrustedNames ??= untrustedFields([
    compactScreen,
    ...Object.values<OperationDefinition>(OPERATIONS).map(({ result }) => result),
  ])
  return untrustedNames.has(field)
}

function withoutOutput(value: unknown, outputs: string[]): unknown {
  if (Array.isArray(value)) return value.map((part) => withoutOutput(part, outputs))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      const isText = isUntrusted(key) && part !== null && part !== ''
      if (!isText) return [key, withoutOutput(part, outputs)]
      outputs.push(typeof part === 'string' ? part : JSON.stringify(part))
      return [key, `see output ${outputs.length}`]
    }),
  )
}

function screenText(screen: CompactScreen): string {
  const { untrusted_output, page, session, seq, cols, rows, cursor_at, omitted_lines, cursor } = screen
  const { title, highlighted } = screen
  const head = `session ${session}, seq ${seq}, ${cols}x${rows}, cursor at row ${cursor_at.row} col ${cursor_at.col}`
  const rest =
    cursor === null ? '' : `\n${omitted_lines} lines are left out: read_screen with cursor "${cursor}"`
  const about = { ...(title === '' ? {} : { title }), ...page, ...(highlighted && { highlighted }) }
  const shown = Object.keys(about).length === 0 ? [] : [JSON.stringify(about)]
  return `${head}\n${fenced([...shown, untrusted_output].join('\n'))}${rest}`
}

function limited(text: string): string {
  if (text.length <= TEXT_CHARS_MAX) return text
  const half = TEXT_CHARS_MAX / 2
  return `${text.slice(0, half)} [… ${text.length - TEXT_CHARS_MAX} characters left out …] ${text.slice(-half)}`
}

function isCompact(value: unknown): value is CompactScreen {
  return typeof value === 'object' && value !== null && 'untrusted_output' in value
}

function reportProgress(
  { definition, tool }: Tool,
  given: Arguments,
  mcpReq: ServerContext['mcpReq'],
): () => void {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined || !('timeout_ms' in definition.params.shape)) return () => {}
  const total = Number(waitMs(given['timeout_ms'], WAIT_MS_MAX))
  const startMs = performance.now()
  const tell = () => {
    const progress = Math.round(performance.now() - startMs)
    const params = { progressToken, progress, total, message: `${tool.name} goes on` }
    // Sending fails if the client has left; its request ends by itself.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => clearInterval(timer))
  }
  const timer = setInterval(tell, PROGRESS_EVERY_MS)
  tell()
  return () => clearInterval(timer)
}
