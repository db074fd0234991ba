import type { Activity, SubscriptionMessage, WatchedSession } from '@transom/protocol'
import { publicInfo, type Manifest } from '../home/manifest.ts'
import { FoldedChanges } from '../lib/changes.ts'
import { waitUntil } from '../lib/wait-until.ts'
import type { ActivityJudge } from '../session/activity.ts'
import type { Session } from '../session/session.ts'
import type { Sessions } from '../session/sessions.ts'
import { policyOf } from '../session/status-policy.ts'
import type { RequestContext } from './dispatch.ts'

/** A second look follows within 10 ms; on a busy machine it may come later. */
const UNSURE_MS_MAX = 100

/** A session with what it is doing at this moment. */
export async function watchedNow(
  manifest: Manifest,
  live: Session | null,
  signal: AbortSignal,
): Promise<WatchedSession> {
  return { ...publicInfo(manifest), activity: await activityNow(manifest, live, signal) }
}

/** The sessions of a Home, each with what it is doing. */
export async function listWatched(
  sessions: Sessions,
  all: boolean,
  signal: AbortSignal,
): Promise<WatchedSession[]> {
  const live = new Map([...sessions.live].map((session) => [session.id, session]))
  const manifests = await sessions.list(all)
  return Promise.all(
    manifests.map(async (manifest) => watchedNow(manifest, live.get(manifest.session) ?? null, signal)),
  )
}

async function activityNow(
  { status, ended_at }: Manifest,
  live: Session | null,
  signal: AbortSignal,
): Promise<Activity | null> {
  if (live === null) return policyOf(status).active ? null : endedActivity(ended_at)
  const judge = live.activity()
  return waitUntil<Activity>({
    subscribe: (observer) => live.observe(observer),
    judge: () => {
      const { activity, unsure, dueMs } = judge.judge()
      return unsure ? { dueMs } : { done: activity }
    },
    timeoutMs: UNSURE_MS_MAX,
    onTimeout: () => judge.judge().activity,
    signal,
  })
}

function endedActivity(endedAt: string | null): Activity {
  const since = endedAt === null ? 0 : Date.parse(endedAt)
  return { state: 'ended', since, reason: null, prompt: '', evidence: 'it has ended' }
}

type Channel = Pick<RequestContext, 'notify' | 'drained'>

/**
 * Sends the active sessions, then each one that comes, changes or ends. Changes within one turn of the event loop are
 * folded, and a subscriber that reads too slowly gets a fresh list when it is ready.
 */
export async function streamSessions(
  sessions: Sessions,
  subscription: number,
  channel: Channel,
  signal: AbortSignal,
): Promise<void> {
  const send = (message: SubscriptionMessage) => channel.notify(message)
  const changes = new FoldedChanges(signal)
  const watches = new Map<string, SessionWatch>()
  const stopWatching = sessions.changes.subscribe(changes.announce)
  let listed = false
  try {
    while (!signal.aborted) {
      for (const session of sessions.live) {
        if (!watches.has(session.id)) watches.set(session.id, new SessionWatch(session, changes.announce))
      }
      const changed = [...watches.values()].flatMap((watch) => watch.take(!listed) ?? [])
      let ready = true
      if (!listed) ready = send({ subscription, type: 'sessions', sessions: changed })
      else for (const session of changed) ready = send({ subscription, type: 'session', session }) && ready
      listed = ready
      for (const [id, watch] of watches) {
        if (!watch.over) continue
        watch.close()
        watches.delete(id)
      }
      if (!ready) await channel.drained()
      else await changes.next()
    }
  } finally {
    stopWatching()
    for (const watch of watches.values()) watch.close()
  }
}

/** One session of those that are watched. */
class SessionWatch {
  readonly #session: Session
  readonly #judge: ActivityJudge
  readonly #onChange: () => void
  readonly #unsubscribe: () => void
  #changed = true
  #timer: NodeJS.Timeout | undefined
  #sent = ''
  /** Whether its end was sent. */
  over = false

  constructor(session: Session, onChange: () => void) {
    this.#session = session
    this.#judge = session.activity()
    this.#onChange = onChange
    this.#unsubscribe = session.observe(this.#announce)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#unsubscribe()
  }

  /** What is to be sent: the session if it has changed, or in any case if `all` is set. */
  take(all: boolean): WatchedSession | null {
    if (!this.#changed && !all) return null
    this.#changed = false
    const { activity, unsure, dueMs } = this.#judge.judge()
    clearTimeout(this.#timer)
    if (dueMs !== null) this.#timer = setTimeout(this.#announce, Math.ceil(dueMs))
    if (unsure && !all) return null
    const found = { ...publicInfo(this.#session.manifest), activity }
    const text = JSON.stringify({ ...found, activity: { ...activity, evidence: '', since: 0 } })
    if (text === this.#sent && !all) return null
    this.#sent = text
    this.over = activity.state === 'ended'
    return found
  }

  readonly #announce = (): void => {
    this.#changed = true
    this.#onChange()
  }
}
