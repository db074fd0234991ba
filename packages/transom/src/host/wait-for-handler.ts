import type { ExitRecord, ParsedParams, Result } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import type { Home } from '../home/home.ts'
import type { Manifest } from '../home/manifest.ts'
import type { BlockProjection } from '../blocks/block-projection.ts'
import { interactiveBlock } from '../blocks/block-ids.ts'
import type { Conversations } from '../session/conversations.ts'
import { RegexMatcher, SubstringMatcher } from '../blocks/output-match.ts'
import { endedOutput, liveOutput } from '../blocks/output-stream.ts'
import { END_OF_SESSION, waitForOutput, type Awaited } from '../blocks/output-waits.ts'
import { BlockEnd, PromptJudge } from '../blocks/shell-prompt.ts'
import type { Sessions } from '../session/sessions.ts'
import type { Session } from '../session/session.ts'

type WaitFor = ParsedParams<'pty.wait_for'>

/** Waits for what a conversation's shell prints, while it runs or from the log of one that has ended. */
export async function waitFor(
  { home, sessions, conversations }: { home: Home; sessions: Sessions; conversations: Conversations },
  params: WaitFor,
  signal: AbortSignal,
): Promise<Result<'pty.wait_for'>> {
  const startMs = performance.now()
  const { manifest, live } = await conversations.find(params.conversation_id)
  const stream = live === null ? await endedOutput(home.events(manifest.session)) : liveOutput(live)
  const blocks = await sessions.blocksOf(manifest, signal)
  const block = params.session_id === undefined ? null : blockOf(params.session_id, { blocks, live })
  const fromCursor = params.from_cursor ?? lastBegin(block, blocks)
  const awaited = awaitedBy(params, block, fromCursor)
  const result = await waitForOutput(stream, awaited, {
    fromCursor,
    timeoutMs: params.timeout_ms,
    maxBytes: params.max_bytes,
    // The prompt comes when the session has ended.
    until: awaited.kind === 'output' ? (block ?? undefined) : undefined,
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

function exitOf(manifest: Manifest, live: Session | null): ExitRecord | null {
  return live === null ? manifest.exit : live.exit
}

function awaitedBy({ match, regex, literal }: WaitFor, block: BlockEnd | null, cursor: number): Awaited {
  if (regex) return { kind: 'output', matcher: new RegexMatcher(match, cursor) }
  if (!literal && match === 'PROMPT') return { kind: 'fact', judge: new PromptJudge(cursor) }
  if (!literal && match === 'EOF') {
    return { kind: 'fact', judge: block ?? END_OF_SESSION }
  }
  return { kind: 'output', matcher: new SubstringMatcher(match, cursor) }
}

/** Where to begin when the caller does not say: with what was run last. */
function lastBegin(block: BlockEnd | null, blocks: BlockProjection): number {
  const begun = blocks.blocks().findLast(({ block_id }) => block === null || block_id === block.blockId)
  return begun?.cursor_begin ?? (block === null ? 0 : blocks.cursor)
}

/** The block that an interactive session is, and where it ends. */
function blockOf(
  sessionId: string,
  { blocks, live }: { blocks: BlockProjection; live: Session | null },
): BlockEnd {
  const id = interactiveBlock(sessionId)
  const begun = blocks.blocks().findLast(({ block_id }) => block_id === id)
  if (begun !== undefined) return new BlockEnd(id, begun.cursor_end)
  const shells = live?.capability('blocks').shells ?? null
  if (shells?.isWaiting(id)) return new BlockEnd(id, null)
  const why = shells?.whyFailed(id) ?? null
  const message = `there is no interactive session ${sessionId} in this shell${why === null ? '' : `: ${why}`}`
  throw new OpError('block_not_found', message, { session_id: sessionId })
}
