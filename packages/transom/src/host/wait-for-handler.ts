import type { ExitRecord, ParsedParams, Result } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import type { Home } from '../home/home.ts'
import type { Manifest } from '../home/manifest.ts'
import type { BlockProjection } from '../session/block-projection.ts'
import { interactiveBlock } from '../session/block-queue.ts'
import type { Conversations } from '../session/conversations.ts'
import { RegexMatcher, SubstringMatcher } from '../session/output-match.ts'
import { endedOutput, liveOutput } from '../session/output-stream.ts'
import { END_OF_SESSION, waitForOutput, type Awaited } from '../session/output-waits.ts'
import { BlockEndJudge, PromptJudge } from '../session/shell-prompt.ts'
import type { Sessions } from '../session/sessions.ts'
import type { TerminalSession } from '../session/terminal-session.ts'

type WaitFor = ParsedParams<'pty.wait_for'>

/** Waits for what a conversation's shell prints, while it runs or from the log of one that has ended. */
export async function waitFor(
  { home, sessions, conversations }: { home: Home; sessions: Sessions; conversations: Conversations },
  params: WaitFor,
  signal: AbortSignal,
): Promise<Result<'pty.wait_for'>> {
  const startMs = performance.now()
  const { manifest, live } = await conversations.find(params.conversation_id)
  const stream = live === null ? await endedOutput(home.logPath(manifest.session)) : liveOutput(live)
  const blocks = await sessions.blocksOf(manifest, signal)
  const block = params.session_id === undefined ? null : interactiveBlock(params.session_id)
  if (block !== null) assertBlock(params, block, { blocks, live })
  const fromCursor = params.from_cursor ?? lastBegin(block, blocks)
  const result = await waitForOutput(stream, awaitedBy(params, block, fromCursor), {
    fromCursor,
    timeoutMs: params.timeout_ms,
    maxBytes: params.max_bytes,
    ...(block === null ? {} : { endedBy: new BlockEndJudge(block) }),
    signal,
  })
  const common = {
    ok: true as const,
    cursor: result.cursor,
    exit: exitOf(manifest, live),
    session: manifest.session,
    elapsed_ms: performance.now() - startMs,
  }
  if (result.matched) {
    if (result.match === null) return { ...common, matched: true }
    const { bytes, start } = result.match
    return { ...common, matched: true, match_text: bytes.toString('utf8'), match_cursor: start }
  }
  const { reason, tail } = result
  const waits = live === null || live.ended ? {} : { needs_input: live.needsInput() }
  return { ...common, matched: false, reason, tail, ...waits }
}

function exitOf(manifest: Manifest, live: TerminalSession | null): ExitRecord | null {
  return live === null ? manifest.exit : live.exit
}

function awaitedBy({ match, regex, literal }: WaitFor, block: string | null, cursor: number): Awaited {
  if (regex) return { kind: 'output', matcher: new RegexMatcher(match, cursor) }
  if (!literal && match === 'PROMPT') return { kind: 'fact', judge: new PromptJudge(cursor) }
  if (!literal && match === 'EOF') {
    return { kind: 'fact', judge: block === null ? END_OF_SESSION : new BlockEndJudge(block) }
  }
  return { kind: 'output', matcher: new SubstringMatcher(match, cursor) }
}

/** Where to begin when the caller does not say: with what was run last. */
function lastBegin(block: string | null, blocks: BlockProjection): number {
  const begun = blocks.blocks().findLast(({ block_id }) => block === null || block_id === block)
  return begun?.cursor_begin ?? (block === null ? 0 : blocks.cursor)
}

function assertBlock(
  { session_id }: WaitFor,
  block: string,
  { blocks, live }: { blocks: BlockProjection; live: TerminalSession | null },
): void {
  if (blocks.blocks().some(({ block_id }) => block_id === block)) return
  if (live?.shell?.queue.isWaiting(block)) return
  const why = live?.shell?.queue.whyFailed(block) ?? null
  const message = `there is no interactive session ${session_id} in this shell${why === null ? '' : `: ${why}`}`
  throw new OpError('block_not_found', message, { session_id })
}
