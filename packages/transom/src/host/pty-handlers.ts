import type { Actor, PTY_OPERATIONS, ParsedParams, Result } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { interactiveId, type AcceptedBlock } from '../session/block-queue.ts'
import type { Conversations } from '../session/conversations.ts'
import { endInteractive } from '../session/end-interactive.ts'
import { activeInteractive } from '../session/shell-blocks.ts'
import type { TerminalSession } from '../session/terminal-session.ts'
import { checkWorkingFolder } from '../sources/pty/program.ts'
import { actorOf, type Handlers, type RequestContext } from './dispatch.ts'

const CTRL_D = '\x04'
const ENTER = '\r'

/** The operations of a conversation's shell. */
type PtyOperation = Exclude<keyof typeof PTY_OPERATIONS, 'pty.blocks' | 'pty.read' | 'session.run'>

export function ptyHandlers(conversations: Conversations): Pick<Handlers, PtyOperation> {
  return {
    'pty.exec_block': async (params, context) => {
      const { begun } = await exec(conversations, params, 'block', context)
      return begun
    },
    'pty.exec_interactive': async (params, context) => {
      const { begun, block } = await exec(conversations, params, 'interactive', context)
      return { ...begun, session_id: interactiveId(block.id) }
    },
    'pty.send': async (params, context) =>
      send(await target(conversations, params), dataOf(params), actorOf(context, params.actor)),
    'pty.ctrl_c': async (params, context) => {
      const session = await target(conversations, params)
      const log_seq = session.interrupt(actorOf(context, params.actor))
      return { ok: true, log_seq, cursor: session.blocks.cursor }
    },
    'pty.ctrl_d': async (params, context) =>
      send(await target(conversations, params), CTRL_D, actorOf(context, params.actor)),
    'pty.enter': async (params, context) =>
      send(await target(conversations, params), ENTER, actorOf(context, params.actor)),
    'pty.end_session': async (params, context) =>
      endSession(await target(conversations, params), params, context),
    'pty.reset': async ({ conversation_id }) => ({
      ok: true,
      ...(await conversations.reset(conversation_id)),
    }),
    'pty.status': async ({ conversation_id }, { signal }) =>
      status(await conversations.get(conversation_id), signal),
  }
}

/** Hands a command to the shell of a session. */
export function runInShell(
  session: TerminalSession,
  params: {
    command: string
    cwd?: string | undefined
    queue?: boolean | undefined
    actor: Actor
  },
  kind: 'block' | 'interactive',
): AcceptedBlock {
  session.assertCommandable()
  if (session.shell === null) throw notIntegrated(session)
  if (params.cwd !== undefined) checkWorkingFolder(params.cwd)
  return session.shell.queue.accept({
    command: params.command,
    kind,
    actor: params.actor,
    cwd: params.cwd ?? null,
    queue: params.queue ?? false,
  })
}

async function exec(
  conversations: Conversations,
  params: ParsedParams<'pty.exec_block'>,
  kind: 'block' | 'interactive',
  context: RequestContext,
): Promise<{ begun: Result<'pty.exec_block'>; block: AcceptedBlock }> {
  const { conversation_id, must_exist = false } = params
  const session = await (must_exist
    ? conversations.get(conversation_id)
    : conversations.open(conversation_id))
  const before = { cursor: session.blocks.cursor, log_seq: session.log.seq, ts_begin: session.now() }
  const block = runInShell(session, { ...params, actor: actorOf(context, params.actor) }, kind)
  const names = { block_id: block.id, seq: block.ordinal, session: session.id, queued: block.queued }
  return { begun: { ok: true, ...names, ...before }, block }
}

async function target(
  conversations: Conversations,
  { conversation_id, session_id }: { conversation_id: string; session_id?: string | undefined },
): Promise<TerminalSession> {
  const session = await conversations.get(conversation_id)
  const active = activeInteractive(session.shells)
  if (session_id === undefined || session_id === active) return session
  const message =
    active === null
      ? `the interactive session ${session_id} is not active: none is`
      : `the interactive session ${session_id} is not active: ${active} is`
  throw new OpError('interactive_ended', message, { session_id, active_session_id: active })
}

function send(session: TerminalSession, input: string | Buffer, actor: Actor): Result<'pty.send'> {
  const log_seq = session.input(input, { via: 'send', actor })
  return { ok: true, log_seq, cursor: session.blocks.cursor }
}

async function endSession(
  session: TerminalSession,
  { session_id, actor }: ParsedParams<'pty.end_session'>,
  context: RequestContext,
): Promise<Result<'pty.end_session'>> {
  const active = session.shells?.interactive ?? null
  if (active === null) {
    const message = `there is no interactive session to end in ${session.id}`
    throw new OpError('interactive_ended', message, { session_id, active_session_id: null })
  }
  const ended = await endInteractive(session, active, {
    actor: actorOf(context, actor),
    signal: context.signal,
  })
  if (ended !== null) return { ok: true, ...ended }
  const message = `${JSON.stringify(active.command)} could not be ended; "reset" ends the shell that it runs in, too`
  throw new OpError('block_running', message, { block_id: active.id })
}

function dataOf({ data, data_b64 }: ParsedParams<'pty.send'>): string | Buffer {
  if ((data === undefined) === (data_b64 === undefined))
    throw new OpError('usage', 'pty.send: give either `data` or `data_b64`')
  return data ?? Buffer.from(data_b64 ?? '', 'base64')
}

async function status(session: TerminalSession, signal: AbortSignal): Promise<Result<'pty.status'>> {
  const needs_input = await session.settledInput(signal) // first: the rest is to be of the same moment
  const { shell, blocks } = session
  const active = shell?.queue.active ?? null
  return {
    ok: true,
    mode: shell?.queue.mode ?? 'interactive',
    ready: shell?.queue.ready ?? false,
    integrated: shell !== null,
    active_session_id: activeInteractive(session.shells),
    active_block_id: active?.id ?? null,
    active_command: active?.command ?? null,
    queued: shell?.queue.queuedCount ?? 0,
    shell_id: session.id,
    pid: session.manifest.pid,
    cwd: blocks.cwd,
    cursor: blocks.cursor,
    log_seq: session.log.seq,
    needs_input,
  }
}

export function notIntegrated({ id, manifest }: TerminalSession): OpError {
  const message = `session ${id} runs ${JSON.stringify(manifest.command.join(' '))}, which is not an integrated shell: use type, keys and wait, or create a session with bash, zsh or fish`
  return new OpError('shell_not_integrated', message, { session: id, command: manifest.command })
}
