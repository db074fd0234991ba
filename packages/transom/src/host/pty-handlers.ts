import type { NeedsInput, ParsedParams, Result, Writer } from '@transom/protocol'
import { OpError, next } from '@transom/protocol/errors'
import { interactiveId } from '../blocks/block-ids.ts'
import type { AcceptedBlock } from '../blocks/block-queue.ts'
import { waitForBlockBegin, type BlockSubject } from '../blocks/block-waits.ts'
import type { Conversations } from '../session/conversations.ts'
import { endInteractive } from '../blocks/end-interactive.ts'
import { activeInteractive } from '../blocks/shell-blocks.ts'
import { QUIET_MS } from '../session/needs-input.ts'
import type { Session } from '../session/session.ts'
import { checkWorkingFolder } from '../platform/program.ts'
import { actorOf, writerOf, type HandlersOf, type RequestContext, type Target } from './dispatch.ts'

/** A shell that starts up, with everything that its user's files do. */
const BEGIN_TIMEOUT_MS = 30_000
const CTRL_D = '\x04'
const ENTER = '\r'

/** The operations of a conversation's shell, but for those that look at what it has done. */
export function ptyHandlers(
  conversations: Conversations,
): Omit<HandlersOf<`pty.${string}`>, 'pty.blocks' | 'pty.read' | 'pty.wait_for'> {
  return {
    'pty.exec_block': async (params, context) => {
      const { begun } = await exec(conversations, params, 'block', context)
      return begun
    },
    'pty.exec_interactive': async (params, context) => {
      const { begun, block } = await exec(conversations, params, 'interactive', context)
      return { ...begun, session_id: interactiveId(block.id) }
    },
    'pty.send': async (params, context, target) =>
      send(talkingTo(target, params), dataOf(params), writerOf(target.session, context, params)),
    'pty.ctrl_c': async (params, context, target) => {
      const { session, control } = talkingTo(target, params)
      const log_seq = session.capability('tty').interrupt(writerOf(session, context, params))
      return { ok: true, log_seq, cursor: control.projection.cursor }
    },
    'pty.ctrl_d': async (params, context, target) =>
      send(talkingTo(target, params), CTRL_D, writerOf(target.session, context, params)),
    'pty.enter': async (params, context, target) =>
      send(talkingTo(target, params), ENTER, writerOf(target.session, context, params)),
    'pty.end_session': async (params, context, target) =>
      endSession(talkingTo(target, params), params, context),
    'pty.reset': async ({ conversation_id, start_cwd, lease }, context) => ({
      ok: true,
      ...(await conversations.reset(conversation_id, {
        actor: actorOf(context),
        cwd: start_cwd,
        assertMayEnd: (session) => void writerOf(session, context, { lease }),
      })),
    }),
    'pty.status': async (_params, { signal }, { session }) => status(session, signal),
  }
}

/** Hands a command to the shell of a session. */
export function runInShell(
  session: Session,
  params: {
    command: string
    cwd?: string | undefined
    stdin?: string | undefined
    queue?: boolean | undefined
    writer: Writer
  },
  kind: 'block' | 'interactive',
): AcceptedBlock {
  session.assertCommandable()
  const { shell } = session.capability('blocks')
  if (shell === null) throw notIntegrated(session)
  if (params.cwd !== undefined) checkWorkingFolder(params.cwd)
  return shell.queue.accept({
    command: params.command,
    kind,
    writer: params.writer,
    cwd: params.cwd ?? null,
    stdin: params.stdin ?? null,
    queue: params.queue ?? false,
  })
}

async function exec(
  conversations: Conversations,
  params: ParsedParams<'pty.exec_block'>,
  kind: 'block' | 'interactive',
  context: RequestContext,
): Promise<{ begun: Result<'pty.exec_block'>; block: AcceptedBlock }> {
  const { conversation_id, must_exist = false, start_cwd } = params
  const session = await (must_exist
    ? conversations.get(conversation_id)
    : conversations.open(conversation_id, actorOf(context, params.actor), start_cwd))
  const writer = writerOf(session, context, params)
  const { cursor } = session.capability('blocks').projection
  const before = { cursor, log_seq: session.log.seq, ts_begin: session.now() }
  const block = runInShell(session, { ...params, writer }, kind)
  // What is typed before the shell has begun the program would be typed to the shell.
  if (kind === 'interactive' && !block.queued)
    await waitForBlockBegin(blockSubject(session), block, {
      timeoutMs: BEGIN_TIMEOUT_MS,
      signal: context.signal,
    })
  const names = { block_id: block.id, seq: block.ordinal, session: session.id, queued: block.queued }
  return { begun: { ok: true, ...names, ...before }, block }
}

/** The target, if it takes input and the interactive session that is meant is the active one. */
function talkingTo(
  target: Target<'blocks'>,
  { session_id }: { session_id?: string | undefined },
): Target<'blocks'> {
  target.session.assertCommandable()
  const active = activeInteractive(target.control.shells)
  if (session_id === undefined || session_id === active) return target
  const message =
    active === null
      ? `the interactive session ${session_id} is not active: none is`
      : `the interactive session ${session_id} is not active: ${active} is`
  throw new OpError('interactive_ended', message, { session_id, active_session_id: active })
}

function send(
  { session, control }: Target<'blocks'>,
  input: string | Buffer,
  writer: Writer,
): Result<'pty.send'> {
  const log_seq = session.capability('tty').input(input, { via: 'send', writer })
  return { ok: true, log_seq, cursor: control.projection.cursor }
}

async function endSession(
  { session, control: blocks }: Target<'blocks'>,
  { session_id, ...by }: ParsedParams<'pty.end_session'>,
  context: RequestContext,
): Promise<Result<'pty.end_session'>> {
  const tty = session.capability('tty')
  const active = blocks.shells?.interactive ?? null
  if (active === null) {
    const message = `there is no interactive session to end in ${session.id}`
    throw new OpError('interactive_ended', message, { session_id, active_session_id: null })
  }
  const subject = blockSubject(session)
  const ended = await endInteractive({ tty, blocks: subject }, active, {
    writer: writerOf(session, context, by),
    signal: context.signal,
  })
  if (ended !== null) return { ok: true, ...ended }
  const message = `${JSON.stringify(active.command)} could not be ended`
  const reset = next({
    call: 'pty.reset',
    params: { conversation_id: session.manifest.conversation ?? session.id },
    does: 'ends the shell that it runs in, too',
  })
  throw new OpError('block_running', message, { block_id: active.id, ...reset })
}

function dataOf({ data, data_b64 }: ParsedParams<'pty.send'>): string | Buffer {
  if ((data === undefined) === (data_b64 === undefined))
    throw new OpError('usage', 'give either `data` or `data_b64`')
  return data ?? Buffer.from(data_b64 ?? '', 'base64')
}

async function status(session: Session, signal: AbortSignal): Promise<Result<'pty.status'>> {
  const needs_input = await settledInput(session, signal) // first, so that the rest is of the same moment
  const { shell, shells, projection } = session.capability('blocks')
  const active = shell?.queue.active ?? null
  return {
    ok: true,
    mode: shell?.queue.mode ?? 'interactive',
    ready: shell?.queue.ready ?? false,
    integrated: shell !== null,
    active_session_id: activeInteractive(shells),
    active_block_id: active?.id ?? null,
    active_command: active?.command ?? null,
    queued: shell?.queue.queuedCount ?? 0,
    shell_id: session.id,
    pid: session.manifest.pid,
    cwd: projection.cwd,
    cursor: projection.cursor,
    log_seq: session.log.seq,
    needs_input,
  }
}

/** How long a status waits for a program to pause: one that keeps printing is not waiting for input. */
const UNQUIET_MS_MAX = 250

/** Whether the program waits for input, once it has had the time to read what it was given and to print something. */
async function settledInput(session: Session, signal: AbortSignal): Promise<NeedsInput> {
  if (session.capability('blocks').atPrompt) return session.needsInput()
  const quiet = { idle_ms: QUIET_MS, after_input: true, settle_ms: QUIET_MS, timeout_ms: UNQUIET_MS_MAX }
  try {
    await session.wait(quiet, signal)
  } catch (error) {
    // The program keeps printing, or it has ended: the present state is the answer.
    if (!(error instanceof OpError)) throw error
  }
  return session.needsInput()
}

/** A session, as far as its blocks are waited for. */
export function blockSubject(session: Session): BlockSubject {
  const { projection, shells } = session.capability('blocks')
  return { projection, shells, subscribe: (observer) => session.subscribe(observer) }
}

export function notIntegrated({ id, manifest }: Session): OpError {
  const message = `session ${id} runs ${JSON.stringify(manifest.command.join(' '))}, which is not an integrated shell`
  const steps = next(
    { call: 'session.type', params: { session: id }, does: 'types to it' },
    { call: 'session.wait', params: { session: id }, does: 'waits for what it shows' },
    { call: 'session.create', params: { command: ['bash'] }, does: 'starts a shell (zsh and fish, too)' },
  )
  return new OpError('shell_not_integrated', message, { session: id, command: manifest.command, ...steps })
}
