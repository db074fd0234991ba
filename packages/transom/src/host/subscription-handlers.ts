import type { ParsedParams, Result } from '@transom/protocol'
import { toWireError } from '@transom/protocol/errors'
import { replayLog } from '../evidence/replay/replay.ts'
import { takeSnapshot } from '../session/snapshot.ts'
import type { FoundSession, Sessions } from '../session/sessions.ts'
import type { HandlersOf, RequestContext } from './dispatch.ts'
import { streamSessions } from './session-watch.ts'
import { streamBlocks, streamEvents, streamScreen } from './subscriptions.ts'
import { liveOf } from './view-handlers.ts'

/** What is followed by notifications until the caller leaves or ends it. */
export function subscriptionHandlers(
  sessions: Sessions,
): HandlersOf<'session.subscribe' | 'session.unsubscribe' | 'home.subscribe'> {
  return {
    'session.subscribe': (params, context) => subscribe(sessions, params, context),
    'home.subscribe': (_params, context) =>
      inBackground(context, async (id, signal) => streamSessions(sessions, id, context, signal)),
    'session.unsubscribe': ({ subscription }, { background }) => ({ ended: background.stop(subscription) }),
  }
}

async function subscribe(
  sessions: Sessions,
  params: ParsedParams<'session.subscribe'>,
  context: RequestContext,
): Promise<Result<'session.subscribe'>> {
  const found = await sessions.find(params.session)
  return inBackground(context, async (subscription, signal) =>
    stream(sessions, found, { ...params, subscription }, context, signal),
  )
}

function inBackground(
  context: RequestContext,
  send: (subscription: number, signal: AbortSignal) => Promise<void>,
): { subscription: number } {
  const subscription = context.background.start(async (id, signal) => {
    try {
      await send(id, signal)
    } catch (error) {
      // Whatever it is, it concerns this one subscriber: the host and its sessions go on.
      if (!signal.aborted) context.notify({ subscription: id, type: 'error', error: toWireError(error) })
    }
  })
  return { subscription }
}

async function stream(
  { kinds }: Sessions,
  found: FoundSession,
  { to, after_seq, full_rate, subscription }: ParsedParams<'session.subscribe'> & { subscription: number },
  context: RequestContext,
  signal: AbortSignal,
): Promise<void> {
  const { manifest } = found
  if (to === 'blocks') kinds.assertCapability(manifest, 'blocks')
  const live = liveOf(found)
  const { events } = found.log
  if (to !== 'screen') {
    const afterSeq = after_seq ?? found.live?.log.seq ?? (await events.extent(signal)).chain.lastSeq
    const { status } = manifest
    const more = found.live !== null && (status === 'destroying' || !found.live.ended)
    const follow = to === 'events' ? streamEvents : streamBlocks
    const release = to === 'events' && full_rate ? live?.subscribe(() => {}) : undefined
    try {
      await follow({ events, afterSeq, subscription, more, status }, context, signal)
    } finally {
      release?.()
    }
  } else if (live !== null) {
    await streamScreen(live, subscription, context, signal)
  } else {
    const { screen } = await replayLog(found.log, { signal })
    const snapshot = takeSnapshot(manifest.session, screen, { cells: true })
    context.notify({ subscription, type: 'screen', snapshot })
    context.notify({ subscription, type: 'end', seq: screen.seq })
  }
}
