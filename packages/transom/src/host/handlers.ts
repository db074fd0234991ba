import * as fs from 'node:fs'
import type { ParsedParams, Result } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import type { Home } from '../home/home.ts'
import { publicInfo } from '../home/manifest.ts'
import { errnoOf } from '../lib/system-error.ts'
import { scanLog } from '../log/log-reader.ts'
import { replayLog } from '../replay/replay.ts'
import { EchoTracker } from '../session/echo.ts'
import { takeSnapshot } from '../session/snapshot.ts'
import type { FoundSession, Sessions } from '../session/sessions.ts'
import { Waits } from '../session/waits.ts'
import { encodeKeys } from '../terminal/key-encoding.ts'
import { parseKeys } from '../terminal/key-names.ts'
import type { Handlers, RequestContext } from './dispatch.ts'
import { streamEvents, streamScreen } from './subscriptions.ts'

const DEFAULT_ACTOR = 'client'

/** What the handlers need of the host itself. */
export interface HostControl {
  status(): Result<'host.status'>
  /** Throws when no new session may start any more. */
  assertOpen(): void
  /** Ends the host, after the answer has been sent. */
  leave(): void
}

/** One handler for each operation. They translate; the work is done by sessions and replays. */
export function createHandlers(home: Home, sessions: Sessions, control: HostControl): Handlers {
  return {
    'session.create': (params) => {
      control.assertOpen()
      return publicInfo(sessions.create(params).manifest)
    },
    'session.list': ({ all }) => ({ sessions: sessions.list(all ?? false).map(publicInfo) }),
    'session.inspect': ({ session }) => inspect(home, sessions.find(session)),
    'session.type': ({ session, text, enter, actor }) => {
      const typed = `${text}${enter ? '\n' : ''}`.replaceAll(/\r\n|\n/g, '\r') // what the Enter key sends
      return {
        seq: sessions.commandTarget(session).input(typed, { via: 'type', actor: actor ?? DEFAULT_ACTOR }),
      }
    },
    'session.keys': ({ session, keys, actor }) => {
      const presses = parseKeys(keys)
      const target = sessions.commandTarget(session)
      const encoded = encodeKeys(presses, target.modes())
      return { seq: target.input(encoded, { via: 'keys', actor: actor ?? DEFAULT_ACTOR }) }
    },
    'session.resize': ({ session, cols, rows }) => resize(sessions, session, cols, rows),
    'session.wait': (params, { signal }) => wait(home, sessions, params, signal),
    'session.snapshot': async ({ session, ...options }, { signal }) => {
      const { manifest, live } = sessions.find(session)
      if (live !== null) return live.snapshot(options)
      const { screen } = await replaySession(home, manifest.session, signal)
      return takeSnapshot(manifest.session, screen, options)
    },
    'session.destroy': async ({ session }) => publicInfo(await sessions.destroy(session)),
    'session.subscribe': (params, context) => subscribe(home, sessions, params, context),
    'session.unsubscribe': ({ subscription }, { background }) => ({ ended: background.stop(subscription) }),
    'host.status': () => control.status(),
    'host.stop': async ({ force }) => {
      const active = sessions.activeCount
      if (active > 0 && !force) {
        const message = `${active} sessions are active; "transom host stop --force" ends them`
        throw new OpError('host_busy', message, { sessions: active })
      }
      const destroyed = await sessions.destroyAll()
      control.leave()
      return { stopped: true as const, destroyed }
    },
  }
}

async function inspect(home: Home, { manifest, live }: FoundSession): Promise<Result<'session.inspect'>> {
  const path = home.logPath(manifest.session)
  const info = publicInfo(manifest)
  if (live !== null) return { ...info, seq: live.log.seq, log: { path, bytes: live.log.sizeBytes } }
  const { lastSeq } = await scanLog(path)
  return { ...info, seq: lastSeq, log: { path, bytes: fs.statSync(path).size } }
}

function resize(sessions: Sessions, ref: string, cols?: number, rows?: number): Result<'session.resize'> {
  if (cols === undefined && rows === undefined) throw new OpError('usage', 'resize: give cols, rows or both')
  const target = sessions.commandTarget(ref)
  const size = { cols: cols ?? target.manifest.cols, rows: rows ?? target.manifest.rows }
  return { seq: target.resize(size.cols, size.rows), ...size }
}

async function wait(
  home: Home,
  sessions: Sessions,
  { session, ...request }: ParsedParams<'session.wait'>,
  signal: AbortSignal,
): Promise<Result<'session.wait'>> {
  const { manifest, live } = sessions.find(session)
  if (live !== null) return live.wait(request, signal)
  const { screen, exit, lastOutputSeq } = await replaySession(home, manifest.session, signal)
  const now = performance.now()
  // The state is final. How long it has lasted cannot be told from a log, so that no duration is ever reached.
  const ended = new Waits({
    id: manifest.session,
    screen,
    exit: exit ?? manifest.exit,
    ended: true,
    echo: new EchoTracker(),
    lastOutputSeq,
    lastOutputMs: now,
    lastInputSeq: 0,
    lastInputMs: now,
    now: () => now,
  })
  return ended.wait(request, signal)
}

async function replaySession(home: Home, id: string, signal: AbortSignal) {
  const path = home.logPath(id)
  try {
    return await replayLog(path, { signal })
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
    throw new OpError('log_corrupt', `the Event Log ${path} is missing`, { path }, { cause: error })
  }
}

function subscribe(
  home: Home,
  sessions: Sessions,
  { session, to, after_seq }: ParsedParams<'session.subscribe'>,
  context: RequestContext,
): Result<'session.subscribe'> {
  const { manifest, live } = sessions.find(session)
  const path = home.logPath(manifest.session)
  const subscription = context.background.start(async (id, signal) => {
    if (to === 'events') {
      const afterSeq = after_seq ?? live?.log.seq ?? (await scanLog(path)).lastSeq
      await streamEvents({ path, afterSeq, subscription: id, live: live !== null }, context, signal)
    } else if (live !== null) {
      await streamScreen(live, id, context, signal)
    } else {
      const { screen } = await replaySession(home, manifest.session, signal)
      const snapshot = takeSnapshot(manifest.session, screen, { cells: true })
      context.notify({ subscription: id, type: 'screen', snapshot })
      context.notify({ subscription: id, type: 'end', seq: screen.seq })
    }
  })
  return { subscription }
}
