import type { ParsedParams, Result } from '@transom/protocol'
import { BlockProjection, projectLog } from '../blocks/block-projection.ts'
import { OpError } from '@transom/protocol/errors'
import { ArtifactStore } from '../home/artifact-store.ts'
import type { Home } from '../home/home.ts'
import { createdOf } from '../log/facts.ts'
import type { PicturePool } from '../evidence/picture-worker/picture-pool.ts'
import { momentNotFound, momentOf, seqOfMoment, type Moment } from '../evidence/replay/moment.ts'
import { findFrame, replayLog } from '../evidence/replay/replay.ts'
import { SessionReplay } from '../evidence/replay/session-replay.ts'
import { unknownInput } from '../session/needs-input.ts'
import { diffScreens } from '../session/screen-diff.ts'
import { plainSnapshot, screenHash, takeSnapshot } from '../session/snapshot.ts'
import type { FoundSession, Sessions } from '../session/sessions.ts'
import type { SessionLog } from '../session/session-log.ts'
import { policyOf } from '../session/status-policy.ts'
import { waitForConditions, type WaitSubject } from '../session/waits.ts'
import type { Projection } from '../session/projection.ts'
import type { Frame } from '../terminal/emulator.ts'
import { assertState } from './assert-handler.ts'
import type { Handlers } from './dispatch.ts'
import { watchedNow } from './session-watch.ts'
import { takeScreenshot } from './screenshot-handler.ts'

type ViewOperation =
  | 'session.inspect'
  | 'session.wait'
  | 'session.snapshot'
  | 'session.screenshot'
  | 'session.diff'
  | 'session.assert'

/** What looks at a session: the live one, or its Event Log when it has ended or when the past is asked for. */
export function viewHandlers(
  home: Home,
  sessions: Sessions,
  { now, pictures }: { now: () => number; pictures: PicturePool },
): Pick<Handlers, ViewOperation> {
  return {
    'session.inspect': async ({ session }, { signal }) => inspect(await sessions.find(session), signal),
    'session.wait': async ({ session, ...request }, { signal }) => {
      const found = await sessions.find(session)
      const live = liveOf(found)
      return live === null ? waitOffline(found, request, signal) : live.wait(request, signal)
    },
    'session.snapshot': async (params, { signal }) => {
      const found = await sessions.find(params.session)
      const screen = await screenAt(found, momentOf(params), signal)
      const id = found.manifest.session
      const { cells, scrollback, max_chars, mark_cursor, mark_highlights } = params
      const isPlain = !cells && !scrollback && !mark_cursor && !mark_highlights && max_chars === undefined
      const result = isPlain
        ? plainSnapshot(id, screen, params.full_width ?? false)
        : takeSnapshot(id, screen, params)
      if (params.save) {
        const content = Buffer.from(`${JSON.stringify(result, null, 2)}\n`)
        const store = new ArtifactStore(home.sessionFolder(id), now)
        await store.add({ kind: 'snapshot', format: 'json', seq: result.seq }, content)
      }
      return result
    },
    'session.screenshot': async (params, { signal }) => {
      const found = await sessions.find(params.session)
      const screen = await screenAt(found, momentOf(params), signal)
      const { session } = found.manifest
      const store = new ArtifactStore(home.sessionFolder(session), now)
      return takeScreenshot({ session, screen, store }, params, { pool: pictures, signal })
    },
    'session.assert': async (params, { signal }) => {
      const found = await sessions.find(params.session)
      const screen = await screenAt(found, null, signal)
      const { session, exit, status } = found.live?.manifest ?? found.manifest
      return assertState({ session, screen, exit, ended: exit !== null || !policyOf(status).active }, params)
    },
    'session.diff': async ({ session, since, cells }, { signal }) => {
      const found = await sessions.find(session)
      const { before, last } = await earlierFrame(found, since, signal)
      const now = (await liveOf(found)?.look()) ?? last
      return diffScreens(found.manifest.session, before, now, cells ?? false)
    },
  }
}

/** The live part of a session, if its status requires asking it. */
export function liveOf({ manifest, live }: FoundSession): FoundSession['live'] {
  return policyOf(manifest.status).liveHostEligible ? live : null
}

async function inspect(
  { manifest, live, log }: FoundSession,
  signal: AbortSignal,
): Promise<Result<'session.inspect'>> {
  const { path } = log.events
  const info = { ...(await watchedNow(manifest, live, signal)), engine: await engineOf(manifest.kind, log) }
  if (live !== null) return { ...info, seq: live.log.seq, log: { path, bytes: live.log.sizeBytes } }
  const { chain } = await log.events.extent()
  return { ...info, seq: chain.lastSeq, log: { path, bytes: await log.events.sizeBytes() } }
}

/** What showed a session live, and what shows its log now. */
async function engineOf(
  kind: string,
  { events, kinds }: SessionLog,
): Promise<Result<'session.inspect'>['engine']> {
  const replay = kinds.find(kind)?.engine
  if (replay === undefined) return null
  const first = await events.first()
  const live = first === null ? null : (createdOf(first, events.path).engine ?? null)
  const same = live === replay
  const shownBy = live ?? 'an earlier one'
  const note = same ? null : `shown live by ${shownBy}: the screen may differ from what was seen`
  return { live, replay, same, note }
}

async function screenAt(
  found: FoundSession,
  moment: Moment | null,
  signal: AbortSignal,
): Promise<Projection> {
  if (moment === null) return (await liveOf(found)?.look()) ?? (await replayLog(found.log, { signal })).screen
  const { log } = found
  const seq = moment.kind === 'seq' ? moment.seq : await seqOfMoment(log.events, moment, signal)
  const { screen, lastSeq } = await replayLog(log, { seq, signal })
  if (lastSeq === seq) return screen
  throw momentNotFound(log.events, { kind: 'seq', seq })
}

/** What was shown at a seq, or when the hash was last this one, and the screen at the end. */
async function earlierFrame(
  found: FoundSession,
  since: string,
  signal: AbortSignal,
): Promise<{ before: { seq: number; frame: Frame }; last: Projection }> {
  const { log, live } = found
  const to = live?.log.seq
  if (/^\d{1,15}$/.test(since)) {
    const seq = await seqOfMoment(log.events, { kind: 'seq', seq: Number(since) }, signal)
    const replay = new SessionReplay(log)
    await log.events.fold([replay], { to: seq, signal })
    const { screen } = replay
    const before = { seq: screen.seq, frame: screen.frame() }
    if (liveOf(found) === null) await log.events.fold([replay], { to, signal }) // goes on where it is
    return { before, last: screen }
  }
  const isIt = (candidate: Projection) => screenHash(candidate.canonical()) === since
  const { found: before, last } = await findFrame(log, isIt, { to, signal })
  if (before !== null) return { before, last }
  const message = `the screen of ${found.manifest.session} never had the hash ${since}; take a new snapshot`
  throw new OpError('moment_not_found', message, { since })
}

async function waitOffline(
  { manifest, log }: FoundSession,
  request: Omit<ParsedParams<'session.wait'>, 'session'>,
  signal: AbortSignal,
): Promise<Result<'session.wait'>> {
  const { screen, exit, lastOutputSeq } = await replayLog(log, { signal })
  const projection =
    request.block_end === undefined ? new BlockProjection(manifest) : await projectLog(log.events, signal)
  const now = performance.now()
  // The state is final. A log does not show how long it has lasted, so no duration is ever reached.
  const ended: WaitSubject = {
    id: manifest.session,
    screen,
    exit: exit ?? manifest.exit,
    failure: manifest.failure,
    ended: true,
    busy: false,
    networkIdleForMs: null,
    lease: null,
    echoes: () => [],
    subscribe: () => () => {},
    recency: { lastOutputSeq, lastOutputMs: now, lastInputSeq: 0, lastInputMs: now },
    now: () => now,
    needsInput: () => unknownInput('the session has ended'),
    capability: () => ({ projection, shells: null }),
  }
  return waitForConditions(ended, request, signal)
}
