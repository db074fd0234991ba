import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server'
import type { Result } from '@transom/protocol'
import { spelledSteps, toWireError, type WireError } from '@transom/protocol/errors'
import { CONTENT_CHARS_DEFAULT, fitted, shortened } from './answer-budget.ts'
import { compactBlock, isBlock } from './compact-block.ts'
import { compact, isSnapshot, leftOut } from './compact-screen.ts'
import type { CompactScreen } from './compact-screen.ts'
import { fenced, fencedContent, fencedText } from './fence.ts'
import { PAGES } from './pages.ts'
import { reportProgress } from './progress.ts'
import { batchAnswer, timedOutAnswer } from './resume.ts'
import { spellTool } from './spell-step.ts'
import { requestOf, stepChars, type CallerDefaults, type ToolRequest } from './tool-request.ts'
import type { Tool } from './tool-table.ts'

/** A message says what failed, with which value: a value may be long. */
const MESSAGE_CHARS_MAX = 800

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
  let stopProgress = () => {}
  try {
    const request = requestOf(tool, given, host.defaults)
    stopProgress = reportProgress(mcpReq, tool.tool.name, request.timeoutMs)
    const { paged } = tool.tool
    const pages = paged === undefined ? null : PAGES[paged]
    const params = { ...request.params, ...pages?.params(request.cursor) }
    const result = await host.call(tool.operation, params, mcpReq)
    if (pages !== null) return answer(pages.page(result, request.cursor, request.contentChars), request)
    const whole =
      tool.operation === 'session.batch'
        ? batchAnswer(result as Result<'session.batch'>, given, tool)
        : result
    return answer(shaped(whole, screenChars(request)), request)
  } catch (error) {
    if (mcpReq.signal.aborted) throw error // no client reads the answer; the program goes on
    return failure(toWireError(error), given, tool, host.tools)
  } finally {
    stopProgress()
  }
}

/** What a screen in the answer may take: the steps of a batch share it. */
function screenChars({ params: { steps }, contentChars }: ToolRequest): number {
  return Array.isArray(steps) ? stepChars(steps, contentChars) : contentChars
}

/** The answer with each screen and each block in it in its short form. */
function shaped(value: unknown, charsMax: number): unknown {
  if (isSnapshot(value)) return compact(value, charsMax)
  if (isBlock(value)) return compactBlock(value)
  if (Array.isArray(value)) return value.map((part) => shaped(part, charsMax))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shaped(part, charsMax)]))
}

function answer(result: unknown, { contentChars }: Pick<ToolRequest, 'contentChars'>): CallToolResult {
  const { png_b64: png, resume, ...rest } = result as Record<string, unknown> // every operation answers with an object
  const picture =
    typeof png === 'string' ? [{ type: 'image' as const, data: png, mimeType: 'image/png' }] : []
  // What the caller gave itself comes back whole: cut, it could not be given again.
  const all = {
    ...(fitted(rest, contentChars) as object), // an object stays one
    ...(resume === undefined ? {} : { resume }),
  }
  return {
    content: [{ type: 'text', text: isCompact(all) ? screenText(all) : fencedText(all) }, ...picture],
    structuredContent: fencedContent(all),
  }
}

function failure(error: WireError, given: Arguments, tool: Tool, tools: readonly Tool[]): CallToolResult {
  const timedOut = timedOutAnswer(error, given, tool, tools)
  const room = { contentChars: CONTENT_CHARS_DEFAULT }
  if (timedOut !== null) return answer(shaped(timedOut, CONTENT_CHARS_DEFAULT), room)
  const { message, details } = inToolWords(error, tool)
  const { snapshot, next: _steps, quote, ...rest } = details
  const steps = spelledSteps(details, spellTool(tools, tool))
  const words = [`${error.code}: ${shortened(message, MESSAGE_CHARS_MAX)}`, ...steps].join('; ')
  const said = typeof quote === 'string' ? `\n${fenced(quote)}` : ''
  const more =
    Object.keys(rest).length === 0 ? '' : `\n${fencedText(fitted(shaped(rest, 0), CONTENT_CHARS_DEFAULT))}`
  const screen = isSnapshot(snapshot) ? `\n${screenText(compact(snapshot, CONTENT_CHARS_DEFAULT))}` : ''
  return { isError: true, content: [{ type: 'text', text: `${words}${said}${more}${screen}` }] }
}

/** The host names the operation whose parameters it refuses; the caller has called a tool. */
function inToolWords(
  { message, details }: WireError,
  { operation, tool }: Tool,
): Pick<WireError, 'message' | 'details'> {
  const { operation: named, problems, ...rest } = details
  if (named !== operation || !Array.isArray(problems)) return { message, details }
  return { message: `${tool.name}: ${problems.join('; ')}`, details: rest }
}

function screenText(screen: CompactScreen): string {
  const { untrusted_output, page, session, seq, cols, rows, cursor_at, title, highlighted } = screen
  const head = `session ${session}, seq ${seq}, ${cols}x${rows}, cursor at row ${cursor_at.row} col ${cursor_at.col}`
  const about = { ...(title === '' ? {} : { title }), ...page, ...(highlighted && { highlighted }) }
  const shown = Object.keys(about).length === 0 ? [] : [JSON.stringify(about)]
  return `${head}\n${fenced([...shown, untrusted_output].join('\n'))}${leftOut(screen)}`
}

function isCompact(value: object): value is CompactScreen {
  return 'untrusted_output' in value && 'cursor_at' in value
}
