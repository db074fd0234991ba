import { OpError } from '@transom/protocol/errors'
import type { Sessions } from '../session/sessions.ts'
import { actorOf, type HandlersOf } from './dispatch.ts'

/** Who may write to a session. */
export function leaseHandlers(sessions: Sessions): HandlersOf<`session.lease_${string}`> {
  return {
    'session.lease_take': async (params, context) => {
      const { session, as: role, note, keep_ms, takeover, hold, lease, actor } = params
      if (role === 'person' && context.principal.kind === 'mcp')
        throw new OpError('usage', 'an MCP client is an agent: `as` cannot be person')
      const target = await sessions.commandTarget(session)
      target.assertCommandable()
      const handle = target.lease.take({
        actor: actorOf(context, actor),
        role,
        note: note ?? null,
        keepMs: keep_ms,
        takeover: takeover ?? false,
        connected: hold ?? false,
        handle: lease ?? null,
      })
      if (hold)
        context.background.start(async (_id, signal) => {
          if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
          target.lease.left(handle)
        })
      return { ...target.lease.state, lease: handle }
    },
    'session.lease_give': async ({ session, lease, note, actor }, context) => {
      const target = await sessions.commandTarget(session)
      target.lease.give(lease, actorOf(context, actor), note ?? null)
      return target.lease.state
    },
    'session.lease_request': async ({ session, note, actor }, context) => {
      const target = await sessions.commandTarget(session)
      target.assertCommandable()
      target.lease.request(actorOf(context, actor), note ?? null)
      return target.lease.state
    },
    'session.lease_status': async ({ session }) => (await sessions.commandTarget(session)).lease.state,
  }
}
