import * as fs from 'node:fs'
import type { ParsedParams, Result } from '@transom/protocol'
import { OpError, toWireError } from '@transom/protocol/errors'
import { cellAt } from '../grid/canonical-text.ts'
import type { HomeConfig } from '../home/config.ts'
import type { Home } from '../home/home.ts'
import { publicInfo } from '../home/manifest.ts'
import { errnoOf } from '../lib/system-error.ts'
import { scanLog } from '../log/log-reader.ts'
import { replayLog } from '../replay/replay.ts'
import { EchoTracker } from '../session/echo.ts'
import type { Session } from '../session/session.ts'
import { takeSnapshot } from '../session/snapshot.ts'
import type { FoundSession, Sessions } from '../session/sessions.ts'
import { Waits } from '../session/waits.ts'
import { encodeKeys } from '../terminal/key-encoding.ts'
import { encodePaste } from '../terminal/paste-encoding.ts'
import { parseKeys } from '../terminal/key-names.ts'
import { encodeMouse, type MouseAction, type MouseCell } from '../terminal/mouse-encoding.ts'
import type { Handlers, RequestContext } from './dispatch.ts'
import { createHousekeepingHandlers, type HousekeepingControl } from './housekeeping-handlers.ts'
import { streamEvents, streamScreen } from './subscriptions.ts'

const DEFAULT_ACTOR = 'client'

/** What the handlers need of the host itself. */
export interface HostControl extends HousekeepingControl {
  readonly config: HomeConfig
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
      const { cols, rows } = control.config.session
      const session = sessions.create({ ...params, cols: params.cols ?? cols, rows: params.rows ?? rows })
      control.registration.ensure()
      return publicInfo(session.manifest)
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
    'session.paste': ({ session, text, actor }) => {
      const target = sessions.commandTarget(session)
      const bracketed = target.modes().bracketed_paste
      const seq = target.input(encodePaste(text, bracketed), { via: 'paste', actor: actor ?? DEFAULT_ACTOR })
      return { seq, bracketed }
    },
    'session.mouse': (params) => useMouse(sessions.commandTarget(params.session), params),
    'session.signal': ({ session, signal, to, actor }) =>
      sessions.commandTarget(session).signal(`SIG${signal}`, to, actor ?? DEFAULT_ACTOR),
    'session.mark': ({ session, label, actor }) => ({
      seq: sessions.commandTarget(session).mark(label, actor ?? DEFAULT_ACTOR),
    }),
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
    ...createHousekeepingHandlers(home, sessions, control),
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

function useMouse(target: Session, params: ParsedParams<'session.mouse'>): Result<'session.mouse'> {
  const { to, actor } = params
  const at = params.at ?? findText(target, params.text)
  const { cols, rows } = target.manifest
  for (const cell of [at, to ?? at]) {
    if (cell.row < rows && cell.col < cols) continue
    throw new OpError('usage', `the cell ${cell.row},${cell.col} is outside the screen of ${cols}x${rows}`, {
      ...cell,
      cols,
      rows,
    })
  }
  const encoded = encodeMouse(mouseAction(params, at), target.modes())
  const seq = target.input(Buffer.from(encoded, 'latin1'), { via: 'mouse', actor: actor ?? DEFAULT_ACTOR })
  return { seq, ...at }
}

function mouseAction(
  { action, to, button, lines }: ParsedParams<'session.mouse'>,
  at: MouseCell,
): MouseAction {
  switch (action) {
    case 'drag':
      if (to === undefined) throw new OpError('usage', 'a drag needs `to`: the cell where it ends')
      return { action, at, to, button }
    case 'wheel':
      return { action, at, lines }
    case 'move':
      return { action, at }
    case 'click':
    case 'double_click':
      return { action, at, button }
    default:
      return action satisfies never
  }
}

function findText(target: Session, text: string | undefined): MouseCell {
  if (text === undefined) throw new OpError('usage', 'say where: give `at` or `text`')
  const canonical = target.screen.canonical()
  const start = canonical.text.indexOf(text)
  if (start < 0) {
    const message = `${JSON.stringify(text)} is not on the screen; the snapshot in the details shows what is`
    throw new OpError('text_not_found', message, { text, snapshot: target.snapshot({}) })
  }
  return cellAt(target.screen.frame().grid, canonical, start + Math.floor(text.length / 2))
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
  params: ParsedParams<'session.subscribe'>,
  context: RequestContext,
): Result<'session.subscribe'> {
  const found = sessions.find(params.session)
  const subscription = context.background.start(async (id, signal) => {
    try {
      await stream(home, found, { ...params, subscription: id }, context, signal)
    } catch (error) {
      if (!(error instanceof OpError)) throw error
      context.notify({ subscription: id, type: 'error', error: toWireError(error) })
    }
  })
  return { subscription }
}

async function stream(
  home: Home,
  { manifest, live }: FoundSession,
  { to, after_seq, subscription }: ParsedParams<'session.subscribe'> & { subscription: number },
  context: RequestContext,
  signal: AbortSignal,
): Promise<void> {
  const path = home.logPath(manifest.session)
  if (to === 'events') {
    const afterSeq = after_seq ?? live?.log.seq ?? (await scanLog(path)).lastSeq
    await streamEvents({ path, afterSeq, subscription, live: live !== null }, context, signal)
  } else if (live !== null) {
    await streamScreen(live, subscription, context, signal)
  } else {
    const { screen } = await replaySession(home, manifest.session, signal)
    const snapshot = takeSnapshot(manifest.session, screen, { cells: true })
    context.notify({ subscription, type: 'screen', snapshot })
    context.notify({ subscription, type: 'end', seq: screen.seq })
  }
}
