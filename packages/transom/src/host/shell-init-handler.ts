import type { ParsedParams, Result } from '@transom/protocol'
import { OpError, next } from '@transom/protocol/errors'
import { waitUntil } from '../lib/wait-until.ts'
import { nestedShell } from '../blocks/shells/nested-shell.ts'
import { writerOf, type RequestContext, type Target } from './dispatch.ts'

/** Integrates a shell within a session's program. With `type` it waits for the shell's first prompt. */
export async function shellInit(
  { shell, type, timeout_ms, ...by }: ParsedParams<'session.shell_init'>,
  context: RequestContext,
  { session, control: blocks }: Target<'blocks'>,
): Promise<Result<'session.shell_init'>> {
  session.assertCommandable()
  const writer = writerOf(session, context, by)
  const nested = nestedShell(shell)
  const result = { ok: true as const, session: session.id, shell, snippet: nested.snippet }
  if (!type) {
    blocks.inviteShell(nested, writer)
    return { ...result, integrated: false, cwd: null }
  }
  if (blocks.atPrompt) {
    const message = `the shell in front of ${session.id} is integrated already`
    const works = next({ call: 'session.run', params: { session: session.id }, does: 'runs commands in it' })
    throw new OpError('usage', message, { session: session.id, ...works })
  }
  blocks.inviteShell(nested, writer)
  const before = session.log.seq
  session.capability('tty').input(`${nested.snippet}\r`, { via: 'block', writer })
  const joined = await waitUntil<{ cwd: string | null } | null>({
    subscribe: (observer) => session.subscribe(observer),
    judge: () => {
      if (session.ended)
        throw new OpError('session_ended', `session ${session.id} has ended`, { session: session.id })
      const { prompt, cwd } = blocks.projection
      const isHere =
        prompt !== null && prompt.seq >= before && blocks.shells?.hasJoined(nested.integration.nonce)
      return isHere ? { done: { cwd } } : { dueMs: null }
    },
    timeoutMs: timeout_ms,
    onTimeout: () => null,
    signal: context.signal,
  })
  if (joined !== null) return { ...result, integrated: true, ...joined }
  const message = `the program in front did not answer as a ${shell} within ${timeout_ms} ms. It must be a ${shell} at its prompt, with stty at hand; a late answer is still taken`
  const look = next({
    call: 'session.snapshot',
    params: { session: session.id },
    does: 'shows what it is doing',
  })
  throw new OpError('shell_not_integrated', message, { session: session.id, shell, ...look })
}
