import * as fs from 'node:fs'
import type { ParsedParams, Result } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { ArtifactStore } from '../home/artifact-store.ts'
import type { Home } from '../home/home.ts'
import { publicInfo } from '../home/manifest.ts'
import { scanLog } from '../log/log-reader.ts'
import type { PicturePool } from '../picture-worker/picture-pool.ts'
import { momentOf, seqOfMoment, type Moment } from '../replay/moment.ts'
import { replayLog, replayUntil, type Replayed } from '../replay/replay.ts'
import { EchoTracker } from '../session/echo.ts'
import { unknownInput } from '../session/input-verdict.ts'
import { diffScreens } from '../session/screen-diff.ts'
import { plainSnapshot, screenHash, takeSnapshot } from '../session/snapshot.ts'
import type { FoundSession, Sessions } from '../session/sessions.ts'
import { policyOf } from '../session/status-policy.ts'
import { Waits } from '../session/waits.ts'
import type { Screen } from '../screen/screen.ts'
import { assertState } from './assert-handler.ts'
import type { Handlers } from './dispatch.ts'
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
    'session.inspect': async ({ session }) => inspect(home, await sessions.find(session)),
    'session.wait': async ({ session, ...request }, { signal }) => {
      const found = await sessions.find(session)
      const live = liveOf(found)
      return live === null ? waitOffline(home, found, request, signal) : live.wait(request, signal)
    },
    'session.snapshot': async (params, { signal }) => {
      const found = await sessions.find(params.session)
      const screen = await screenAt(home, found, momentOf(params), signal)
      const id = found.manifest.session
      const isPlain = !params.cells && !params.scrollback && params.max_chars === undefined
      const result = isPlain ? plainSnapshot(id, screen) : takeSnapshot(id, screen, params)
      if (params.save) {
        const content = Buffer.from(`${JSON.stringify(result, null, 2)}\n`)
        const store = new ArtifactStore(home.sessionFolder(id), now)
        await store.add({ kind: 'snapshot', format: 'json', seq: result.seq }, content)
      }
      return result
    },
    'session.screenshot': async (params, { signal }) => {
      const found = await sessions.find(params.session)
      const screen = await screenAt(home, found, momentOf(params), signal)
      const { session } = found.manifest
      const store = new ArtifactStore(home.sessionFolder(session), now)
      return takeScreenshot({ session, screen, store }, params, { pool: pictures, signal })
    },
    'session.assert': async (params, { signal }) => {
      const found = await sessions.find(params.session)
      const screen = await screenAt(home, found, null, signal)
      const { session, exit, status } = found.live?.manifest ?? found.manifest
      return assertState({ session, screen, exit, ended: exit !== null || !policyOf(status).active }, params)
    },
    'session.diff': async ({ session, since, cells }, { signal }) => {
      const found = await sessions.find(session)
      const before = await earlierScreen(home, found, since, signal)
      const now = await screenAt(home, found, null, signal)
      return diffScreens(found.manifest.session, before, now, cells ?? false)
    },
  }
}

/** The live part of a session, when its status says that it is to be asked. */
export function liveOf({ manifest, live }: FoundSession): FoundSession['live'] {
  return policyOf(manifest.status).liveHostEligible ? live : null
}

/** Replays the log of a session, to its end or to a seq. */
export async function replaySession(
  home: Home,
  id: string,
  options: { seq?: number; signal: AbortSignal },
): Promise<Replayed> {
  return replayLog(home.logPath(id), options)
}

async function inspect(home: Home, { manifest, live }: FoundSession): Promise<Result<'session.inspect'>> {
  const info = publicInfo(manifest)
  const path = home.logPath(manifest.session)
  if (live !== null) return { ...info, seq: live.log.seq, log: { path, bytes: live.log.sizeBytes } }
  const { lastSeq } = await scanLog(path)
  return { ...info, seq: lastSeq, log: { path, bytes: fs.statSync(path).size } }
}

async function screenAt(
  home: Home,
  found: FoundSession,
  moment: Moment | null,
  signal: AbortSignal,
): Promise<Screen> {
  const id = found.manifest.session
  const live = liveOf(found)
  if (moment === null) return live === null ? (await replaySession(home, id, { signal })).screen : live.look()
  const seq = await seqOfMoment(home.logPath(id), moment, signal)
  return (await replaySession(home, id, { seq, signal })).screen
}

/** The screen at a seq, or when its hash was last this one. */
async function earlierScreen(
  home: Home,
  found: FoundSession,
  since: string,
  signal: AbortSignal,
): Promise<Screen> {
  if (/^\d{1,15}$/.test(since)) return screenAt(home, found, { kind: 'seq', seq: Number(since) }, signal)
  const screen = await replayUntil(
    home.logPath(found.manifest.session),
    (candidate) => screenHash(candidate.canonical()) === since,
    signal,
  )
  if (screen !== null) return screen
  const message = `the screen of ${found.manifest.session} never had the hash ${since}; take a new snapshot`
  throw new OpError('moment_not_found', message, { since })
}

async function waitOffline(
  home: Home,
  { manifest }: FoundSession,
  request: Omit<ParsedParams<'session.wait'>, 'session'>,
  signal: AbortSignal,
): Promise<Result<'session.wait'>> {
  const { screen, exit, lastOutputSeq } = await replaySession(home, manifest.session, { signal })
  const now = performance.now()
  // The state is final. How long it has lasted cannot be told from a log, so that no duration is ever reached.
  const ended = new Waits({
    id: manifest.session,
    screen,
    exit: exit ?? manifest.exit,
    failure: manifest.failure,
    ended: true,
    busy: false,
    echo: new EchoTracker(),
    lastOutputSeq,
    lastOutputMs: now,
    lastInputSeq: 0,
    lastInputMs: now,
    now: () => now,
    needsInput: () => unknownInput('the session has ended'),
  })
  return ended.wait(request, signal)
}
