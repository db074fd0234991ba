import {
  INPUT_REASON_WORDS,
  type Actor,
  type Block,
  type NeedsInput,
  type ParsedParams,
  type Result,
  type Snapshot,
} from '@transom/protocol'
import { OpError, next, quote, type NextStep } from '@transom/protocol/errors'
import type { Home } from '../home/home.ts'
import type { Manifest } from '../home/manifest.ts'
import { findInBlock } from '../blocks/block-search.ts'
import { waitForBlockEnd } from '../blocks/block-waits.ts'
import type { Conversations } from '../session/conversations.ts'
import { fittedOutput } from '../blocks/fitted-output.ts'
import type { IntegratedShell } from '../blocks/integrated-shell.ts'
import { budgetedText } from '../blocks/output-budget.ts'
import { endedOutput, liveOutput, type OutputStream } from '../blocks/output-stream.ts'
import type { Sessions } from '../session/sessions.ts'
import type { Session } from '../session/session.ts'
import { takeSnapshot } from '../session/snapshot.ts'
import { joinCommand } from '../blocks/shells/integrate-shell.ts'
import { blockInput } from './block-input.ts'
import { writerOf, type HandlersOf, type RequestContext, type Target } from './dispatch.ts'
import { blockSubject, notIntegrated, runInShell } from './pty-handlers.ts'

export interface BlockDependencies {
  readonly home: Home
  readonly sessions: Sessions
  readonly conversations: Conversations
}

/** What shows blocks, of live sessions and of ended ones, and what runs one and waits for it. */
export function blockHandlers(
  dependencies: BlockDependencies,
): HandlersOf<'pty.blocks' | 'pty.read' | 'session.run'> {
  return {
    'pty.blocks': (params, { signal }) => listBlocks(dependencies, params, signal),
    'pty.read': (params, { signal }) => read(dependencies, params, signal),
    'session.run': run,
  }
}

interface History {
  readonly manifest: Manifest
  readonly blocks: readonly Block[]
}

/** The blocks of every session that a conversation has had, oldest first. */
async function readHistory(
  { sessions, conversations }: BlockDependencies,
  ref: string,
  signal: AbortSignal,
): Promise<History[]> {
  const manifests = await conversations.history(ref)
  const all = manifests.length > 0 ? manifests : [(await sessions.find(ref)).manifest]
  const history: History[] = []
  for (const manifest of all) {
    const projection = await sessions.blocksOf(manifest, signal)
    const isLive = sessions.findLive(({ id }) => id === manifest.session) !== null
    history.push({ manifest, blocks: isLive ? projection.blocks() : projection.finalBlocks() })
  }
  return history
}

async function listBlocks(
  dependencies: BlockDependencies,
  { conversation_id, query, limit }: ParsedParams<'pty.blocks'>,
  signal: AbortSignal,
): Promise<Result<'pty.blocks'>> {
  const history = await readHistory(dependencies, conversation_id, signal)
  const found: Result<'pty.blocks'>['blocks'] = []
  for (const { manifest, blocks } of history) {
    if (query === undefined) {
      found.push(...blocks)
      continue
    }
    const stream = await streamOf(dependencies, manifest)
    for (const block of blocks) {
      const match = await findInBlock(block, query, stream, signal)
      if (match !== null) found.push({ ...block, match })
    }
  }
  return { ok: true, blocks: found.slice(-limit), more: found.length > limit }
}

async function read(
  dependencies: BlockDependencies,
  params: ParsedParams<'pty.read'>,
  signal: AbortSignal,
): Promise<Result<'pty.read'>> {
  const history = await readHistory(dependencies, params.conversation_id, signal)
  const { manifest, block } = findBlock(history, params)
  const stream = await streamOf(dependencies, manifest)
  const from_cursor = params.from_cursor ?? block?.cursor_begin ?? 0
  const end = params.to_cursor ?? (block === null ? null : block.cursor_begin + block.output_bytes)
  const to_cursor = Math.min(end ?? stream.chain.cursor, stream.chain.cursor)
  const output = await outputOf(stream, { from: from_cursor, to: to_cursor }, params)
  return { ok: true, block, from_cursor, to_cursor, ...output }
}

function findBlock(
  history: readonly History[],
  { block: ordinal, conversation_id }: ParsedParams<'pty.read'>,
): { manifest: Manifest; block: Block | null } {
  const last = history.at(-1)
  if (ordinal === undefined && last !== undefined) return { manifest: last.manifest, block: null }
  for (const { manifest, blocks } of history) {
    const block = blocks.find(({ seq }) => seq === ordinal)
    if (block !== undefined) return { manifest, block }
  }
  const count = history.reduce((sum, { blocks }) => sum + blocks.length, 0)
  const message = `${conversation_id} has no block ${ordinal}; it has ${count}`
  const list = next({ call: 'pty.blocks', params: { conversation_id }, does: 'lists them' })
  throw new OpError('block_not_found', message, { block: ordinal, count, ...list })
}

async function run(
  params: ParsedParams<'session.run'>,
  context: RequestContext,
  { session, control: { shell, projection } }: Target<'blocks'>,
): Promise<Result<'session.run'>> {
  if (shell === null) throw notIntegrated(session)
  const command = joinCommand(shell.integration.shell, params.command)
  const writer = writerOf(session, context, params)
  const accepted = runInShell(session, { ...params, command, writer }, 'block')
  const outcome = await waitForBlockEnd(blockSubject(session), accepted, {
    timeoutMs: params.no_wait ? 0 : params.timeout_ms,
    needsInput: params.no_wait || params.no_early ? undefined : inputOf(session, shell),
    takenOver: () => !session.lease.allows(writer.right),
    signal: context.signal,
  })
  const ended = outcome.is === 'ended' ? outcome.block : null
  const block = ended ?? projection.get(accepted.ordinal) ?? notBegun(session, accepted, writer.actor)
  const output = await blockOutput(session, block, params)
  if (ended !== null || params.no_wait) return { ok: true, block, ended: endedBy(session, block), ...output }
  const words = JSON.stringify(command.slice(0, 100))
  const seen = { block, ...output, ...fullScreen(session, params) }
  if (outcome.is === 'taken_over') throw session.lease.changedError(seen)
  if (outcome.is === 'needs_input') {
    const { needsInput: needs_input } = outcome
    const message = `${words} runs on as block ${block.seq} and waits for input (${inputWords(needs_input)})`
    const steps = next(...answering(params.session, needs_input), ...goingOn(params.session, block.seq))
    const details = { ...seen, needs_input, ...quote(needs_input.prompt.trim()), ...steps }
    throw new OpError('needs_input', message, details)
  }
  const message = `${words} has not ended within ${params.timeout_ms} ms and runs on as block ${block.seq}`
  const steps = next(...goingOn(params.session, block.seq))
  throw new OpError('block_running', message, { ...seen, ...steps })
}

/** What a full-screen program draws is read as a screen: as a stream, it is one line of fragments. */
function fullScreen(
  { id, screen }: Session,
  { raw }: ParsedParams<'session.run'>,
): { snapshot?: Snapshot; data?: undefined } {
  if (screen.views.modes?.().alt_screen !== true) return {}
  return { snapshot: takeSnapshot(id, screen), ...(raw ? {} : { data: undefined }) }
}

/** A shell that ends takes the block with it, and the session's own the session. */
function endedBy(session: Session, { ended_by }: Block): Result<'session.run'>['ended'] {
  if (ended_by !== 'exit') return null
  return session.manifest.status === 'running' ? 'shell' : 'session'
}

function answering(session: string, { reason }: NeedsInput): NextStep[] {
  if (reason === 'password') {
    const params = { session, secret: true, enter: true }
    return [
      {
        call: 'session.type',
        params,
        does: 'types it and keeps it out of the log; it is the user’s to give',
      },
    ]
  }
  return [
    { call: 'session.type', params: { session, enter: true }, does: 'answers it' },
    { call: 'session.keys', params: { session }, does: 'presses a key' },
  ]
}

function goingOn(session: string, ordinal: number): NextStep[] {
  return [
    { call: 'session.wait', params: { session, block_end: ordinal }, does: 'waits for its end' },
    {
      call: 'pty.read',
      params: { conversation_id: session, block: ordinal },
      does: 'shows its output',
    },
  ]
}

function inputOf(session: Session, shell: IntegratedShell): () => NeedsInput | number {
  return blockInput({
    recency: session.recency,
    now: () => session.now(),
    needsInput: () => session.needsInput(),
    shellIsInFront: () => shell.isInFront,
  })
}

function inputWords({ reason }: NeedsInput): string {
  return reason === null ? 'it reads the terminal' : INPUT_REASON_WORDS[reason]
}

/** A block that waits for the shell, as it would look if it had just begun. */
function notBegun(
  session: Session,
  accepted: { id: string; ordinal: number; command: string | null },
  { actor, actor_label }: Actor,
): Block {
  const { cursor, cwd } = session.capability('blocks').projection
  return {
    block_id: accepted.id,
    seq: accepted.ordinal,
    session: session.id,
    kind: 'block',
    state: 'running',
    command: accepted.command,
    cwd,
    cwd_after: null,
    actor,
    actor_label: actor_label ?? null,
    exit_code: null,
    ended_by: null,
    ts_begin: session.now(),
    ts_end: null,
    duration_ms: null,
    cursor_begin: cursor,
    cursor_end: null,
    output_bytes: 0,
    log_seq_begin: session.log.seq,
    log_seq_end: null,
  }
}

type Budget = Pick<ParsedParams<'session.run'>, 'raw' | 'max_bytes' | 'max_tokens'>
type Output = Pick<Result<'pty.read'>, 'data' | 'data_b64' | 'tail_b64' | 'bytes' | 'omitted'>

async function blockOutput(session: Session, block: Block, budget: Budget): Promise<Output> {
  const range = { from: block.cursor_begin, to: block.cursor_begin + block.output_bytes }
  return outputOf(liveOutput(session), range, budget)
}

/** The output between two cursors, made to fit. */
async function outputOf(
  stream: OutputStream,
  range: { from: number; to: number },
  { raw, max_bytes, max_tokens }: Budget,
): Promise<Output> {
  const options = { maxBytes: max_bytes, maxTokens: max_tokens, plain: !raw }
  const fitted = await fittedOutput(stream, range, options)
  const sizes = { bytes: fitted.bytes, omitted: fitted.omitted }
  if (!raw) return { data: budgetedText(fitted), ...sizes }
  const tail = fitted.omitted === null ? {} : { tail_b64: fitted.tail.toString('base64') }
  return { data_b64: fitted.head.toString('base64'), ...tail, ...sizes }
}

async function streamOf({ home, sessions }: BlockDependencies, manifest: Manifest): Promise<OutputStream> {
  const live = sessions.findLive(({ id }) => id === manifest.session)
  return live === null ? endedOutput(home.events(manifest.session)) : liveOutput(live)
}
