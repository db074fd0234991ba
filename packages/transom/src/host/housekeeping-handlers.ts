import * as fs from 'node:fs'
import type { ParsedParams, Result } from '@transom/protocol'
import { OpError, next } from '@transom/protocol/errors'
import type { Home } from '../home/home.ts'
import type { HomeRegistration } from '../home/home-registration.ts'
import type { HomeRegistry } from '../home/home-registry.ts'
import { errnoOf, fileError } from '../lib/system-error.ts'
import { repairLog } from '../log/repair-log.ts'
import type { StoredEvents } from '../log/stored-events.ts'
import { verifyLog } from '../log/verify-log.ts'
import { exportLog } from '../evidence/replay/export-log.ts'
import { verifyCheckpoints } from '../evidence/replay/verify-checkpoints.ts'
import { collectGarbage } from '../session/garbage-collection.ts'
import { surveyHomes } from '../session/home-survey.ts'
import type { FoundSession, Sessions } from '../session/sessions.ts'
import type { HandlersOf } from './dispatch.ts'

/** What housekeeping needs of the host. */
export interface HousekeepingControl {
  readonly registry: HomeRegistry
  readonly registration: HomeRegistration
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export function createHousekeepingHandlers(
  home: Home,
  sessions: Sessions,
  { registry, registration, now }: HousekeepingControl,
): HandlersOf<'session.gc' | 'home.list' | 'home.forget' | `log.${string}`> {
  return {
    'session.gc': async ({ older_than_ms, dry_run, force }, { signal }) => {
      const options = {
        olderThanMs: older_than_ms ?? 0,
        dryRun: dry_run ?? false,
        evenPinned: force ?? false,
        now: now(),
        signal,
      }
      const collected = await sessions.compression.pausedWhile(() => collectGarbage(home, options))
      sessions.recountUsage() // there is room for those that were paused at the Home's quota
      return collected
    },
    'home.list': async ({ all }) => {
      await registration.settled()
      return { registry: registry.file, homes: await surveyHomes(registry, all ?? false) }
    },
    'home.forget': async ({ path }) => {
      await registration.settled()
      return forgetHome(registry, path)
    },
    'log.verify': async ({ session }, { signal }) => verify(await sessions.find(session), signal),
    'log.repair': async ({ session, dry_run }, { signal }) => {
      const { manifest, log } = await sessions.find(session)
      const { events } = log
      const dryRun = dry_run ?? false
      const repaired = await sessions.compression.pausedWhile(() =>
        onLog(events, () => repairLog(events, { dryRun, now: now(), signal })),
      )
      return { session: manifest.session, path: events.path, dry_run: dryRun, ...repaired }
    },
    'log.export': async (params, { signal }) =>
      exportSession(await sessions.find(params.session), params, signal),
  }
}

const NOT_CHECKED = { equal: 0, different: [], unusable: 0 }

async function forgetHome(registry: HomeRegistry, path: string): Promise<Result<'home.forget'>> {
  const names = [path, realPath(path)] // a Home enters by its real path, and may be gone by now
  const isNamed = (home: string) => names.includes(home)
  const home = registry.read()?.find((entry) => isNamed(entry.path))?.path
  if (home === undefined) return { home: path, forgotten: false }
  try {
    if (await registry.update((homes) => homes.filter((entry) => !isNamed(entry.path))))
      return { home, forgotten: true }
  } catch (error) {
    throw fileError(error, `write the Home Registry ${registry.file}`, { file: registry.file })
  }
  const message = `another process keeps the Home Registry ${registry.file} locked; try again`
  throw new OpError('io_error', message, { file: registry.file })
}

function realPath(path: string): string {
  try {
    return fs.realpathSync(path)
  } catch {
    return path // a removed Home can still be forgotten
  }
}

async function verify(
  { manifest, live, log }: FoundSession,
  signal: AbortSignal,
): Promise<Result<'log.verify'>> {
  const options = { endOffset: live?.log.endOffset, signal }
  const to = live?.log.seq
  const { report } = await onLog(log.events, () => verifyLog(log.events, options))
  const isWhole = report.tail !== 'damaged' && report.missing === 0
  const checkpoints = isWhole ? await verifyCheckpoints(log, { to, signal }) : NOT_CHECKED
  const result = { session: manifest.session, ...report, checkpoints }
  const repair = { call: 'log.repair', params: { session: manifest.session } }
  if (checkpoints.different.length > 0) {
    const message = `the checkpoints at seq ${checkpoints.different.join(', ')} of ${report.path} are not what a replay of its records gives`
    const does = 'removes them once the session has ended'
    throw new OpError('log_corrupt', message, { ...result, ...next({ ...repair, does }) })
  }
  if (report.tail !== 'damaged') return result
  const message = `${report.path} is damaged at byte ${report.offset}: ${report.records} records can be read, ${report.unreadable_bytes} bytes cannot`
  throw new OpError('log_corrupt', message, {
    ...result,
    ...next({ ...repair, does: 'keeps what can be read' }),
  })
}

async function exportSession(
  { manifest, live, log }: FoundSession,
  { format, out, force }: ParsedParams<'log.export'>,
  signal: AbortSignal,
): Promise<Result<'log.export'>> {
  if (out === undefined) throw new OpError('usage', 'nowhere to write to; give `out`, an absolute path')
  const options = { format, out, force: force ?? false, untilSeq: live?.log.seq, signal }
  const exported = await onLog(log.events, () => exportLog(log, options))
  return { session: manifest.session, format, path: out, ...exported }
}

/** A missing log is an operating error, not a bug. */
async function onLog<T>({ path }: StoredEvents, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
    throw new OpError('log_corrupt', `the Event Log ${path} is missing`, { path }, { cause: error })
  }
}
