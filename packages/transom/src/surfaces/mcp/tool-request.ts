import type { z } from 'zod'
import { WAIT_TIMEOUT_MS_DEFAULT } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { CHARS_PER_TOKEN, CONTENT_CHARS_DEFAULT, CONTENT_CHARS_MAX } from './answer-budget.ts'
import { fixedParams, paramsOf } from './tool-params.ts'
import { WAIT_MS_MAX, type Tool } from './tool-table.ts'

/**
 * Values for parameters that a caller leaves out, by what the operation table says they come `from`. A parameter of the
 * same name that comes from elsewhere is left alone: `cwd` is where a session starts, but in a shell it moves the shell.
 */
export type CallerDefaults = Readonly<Partial<Record<'cwd' | 'environment' | '$TRANSOM_ACTOR', unknown>>>

export interface ToolRequest {
  readonly params: Record<string, unknown>
  /** How long the answer may be, in each of its forms, without what stands around its content. */
  readonly contentChars: number
  /** Of a result in pages. */
  readonly cursor: string | null
  /** When the call is over at the latest; null if it does not wait. */
  readonly timeoutMs: number | null
}

type Arguments = Readonly<Record<string, unknown>>

/** What a call of a tool asks of the host, within the limits of an MCP call: in time, and in the length of its answer. */
export function requestOf(tool: Tool, given: Arguments, defaults: CallerDefaults): ToolRequest {
  const { definition } = tool
  const { shape } = definition.params
  const { cursor = null, ...own } = tool.tool.paged === undefined ? given : checkedCursor(given)
  const params = { ...filledIn(tool, defaults), ...paramsOf(tool, own), ...fixedParams(definition) }
  if ('timeout_ms' in shape) params['timeout_ms'] = waitMs(params['timeout_ms'], 'steps' in shape)
  if (Array.isArray(params['steps'])) params['steps'] = stepsWithBudgets(params['steps'] as unknown[])
  const timeoutMs = typeof params['timeout_ms'] === 'number' ? params['timeout_ms'] : null
  const contentChars = contentCharsOf(tool, params)
  if ('max_tokens' in shape) params['max_tokens'] = tokensFor(contentChars)
  // A screen is cut here and not by the host, so that its cursor gets what was left out.
  if (tool.tool.paged === 'screen') delete params['max_chars']
  return { params, contentChars, cursor: cursor as string | null, timeoutMs } // as checkedCursor() has said
}

function checkedCursor(given: Arguments): Arguments {
  const { cursor } = given
  if (cursor === undefined || typeof cursor === 'string') return given
  throw new OpError('usage', `cursor is ${JSON.stringify(cursor)}; give one as an answer had it, as a text`)
}

/** The parameters that the operation table takes from the caller's surroundings. */
function filledIn({ definition }: Tool, defaults: CallerDefaults): Record<string, unknown> {
  const values = new Map<unknown, unknown>(Object.entries(defaults))
  return Object.fromEntries(
    Object.entries<z.ZodType>(definition.params.shape).flatMap(([name, schema]) => {
      const value = values.get(schema.meta()?.['from'])
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** A wait's own timeout, within the limit of a call. The host refuses a value that is not a number. */
function waitMs(given: unknown, isBatch: boolean): unknown {
  if (given === undefined) return isBatch ? WAIT_MS_MAX : WAIT_TIMEOUT_MS_DEFAULT
  return typeof given === 'number' ? Math.min(given, WAIT_MS_MAX) : given
}

/** As the caller asks by one of the parameters for it, within what a client takes. */
function contentCharsOf({ definition }: Tool, params: Arguments): number {
  const asked = [
    askedFor(definition.params.shape, params, 'max_chars'),
    askedFor(definition.params.shape, params, 'max_bytes'),
    (askedFor(definition.params.shape, params, 'max_tokens') ?? Infinity) * CHARS_PER_TOKEN,
  ].filter((chars): chars is number => chars !== undefined && chars !== Infinity)
  return Math.min(...(asked.length === 0 ? [CONTENT_CHARS_DEFAULT] : asked), CONTENT_CHARS_MAX)
}

function askedFor(shape: Record<string, z.ZodType>, params: Arguments, name: string): number | undefined {
  const value = params[name]
  if (value === undefined || shape[name] === undefined) return undefined
  const parsed = shape[name].safeParse(value)
  if (parsed.success) return parsed.data as number // every length in the table is a number
  const problem = parsed.error.issues[0]?.message ?? ''
  throw new OpError('usage', `${name}: ${problem} (got ${JSON.stringify(value)?.slice(0, 100)})`)
}

function tokensFor(chars: number): number {
  return Math.max(1, Math.floor(chars / CHARS_PER_TOKEN))
}

/** What a screen or an output gets at least, however many there are: enough to see which it is. */
const STEP_CHARS_MIN = 200

/** How long the content of one step is, where several share an answer. */
export function stepChars(steps: readonly unknown[], contentChars: number): number {
  const showing = steps.filter((step) => isStep(step, 'run') || isStep(step, 'snapshot')).length
  return Math.max(STEP_CHARS_MIN, Math.floor(contentChars / Math.max(1, showing)))
}

function stepsWithBudgets(steps: readonly unknown[]): unknown[] {
  const shareTokens = tokensFor(stepChars(steps, CONTENT_CHARS_DEFAULT))
  return steps.map((step) => {
    if (!isStep(step, 'run')) return step
    const { max_tokens = shareTokens } = step
    return {
      ...step,
      max_tokens: typeof max_tokens === 'number' ? Math.min(max_tokens, shareTokens) : max_tokens,
    }
  })
}

function isStep(value: unknown, name: string): value is { step: string; max_tokens?: unknown } {
  return typeof value === 'object' && value !== null && 'step' in value && value.step === name
}
