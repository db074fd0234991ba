import { EVENT_TYPE_NUMBERS, exitRecord, type ExitRecord } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import type { Home } from '../home/home.ts'
import type { Manifest } from '../home/manifest.ts'
import { reopenEvents } from '../home/session-events.ts'
import { messageOf } from '../lib/system-error.ts'
import type { EventStore } from '../log/event-store.ts'
import type { LogRecord } from '../log/record.ts'
import type { StoredEvents } from '../log/stored-events.ts'
import { killTreeNow } from '../platform/process-tree.ts'
import type { KindRegistry } from './kind-registry.ts'
import { policyOf } from './status-policy.ts'

export interface ReconcileOptions {
  readonly home: Home
  readonly kinds: KindRegistry
  readonly now: () => number
}

/**
 * Corrects the record of a session whose host may have ended: it is alive while a process holds the lock on its
 * log, whatever its manifest says. Otherwise its log is repaired, what is left of its processes ended,
 * and it gets the status that its log proves: `exited` when the exit was recorded, else `failed`.
 */
export async function reconcile(manifest: Manifest, options: ReconcileOptions): Promise<Manifest> {
  const { home, now } = options
  if (!policyOf(manifest.status).active) return manifest
  const events = home.events(manifest.session)
  if (!(await events.exists())) return finish(home, manifest, { failure: 'its Event Log is missing' }, now)
  let log: EventStore | null
  try {
    log = await reopenEvents(home, manifest.session, { now })
  } catch (error) {
    if (!(error instanceof OpError)) throw error
    if (!isLasting(error)) return manifest // nothing is known of it now, and another host may run it
    return finish(home, manifest, { failure: error.message }, now) // kept as it is
  }
  if (log === null) return manifest // another host has it
  try {
    return await concluded(manifest, events, log, options)
  } catch (error) {
    const failure = `what its host left could not be read or cleared: ${messageOf(error)}`
    return finish(home, manifest, { failure }, now)
  }
}

/** What becomes of a session whose log is ours. Closes the log. */
async function concluded(
  manifest: Manifest,
  events: StoredEvents,
  log: EventStore,
  { home, kinds, now }: ReconcileOptions,
): Promise<Manifest> {
  try {
    sweepProcesses(manifest)
    await kinds.find(manifest.kind)?.clear?.(home, manifest)
    const exit = await readExit(events)
    const failure = exit === null ? 'its host ended without ending it' : null
    if (exit === null) noteFailure(log)
    return finish(home, manifest, { exit, failure }, now)
  } finally {
    await log.close()
  }
}

/** Whether a log can never be opened: it is damaged, or its path is not a plain file. */
function isLasting({ code, details }: OpError): boolean {
  return code === 'log_corrupt' || ['EISDIR', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(String(details['errno']))
}

function finish(
  home: Home,
  manifest: Manifest,
  outcome: { exit?: ExitRecord | null; failure: string | null },
  now: () => number,
): Manifest {
  const ended: Manifest = {
    ...manifest,
    status: outcome.failure === null ? 'exited' : 'failed',
    pid: null,
    ended_at: new Date(now()).toISOString(),
    exit: outcome.exit ?? null,
    failure: outcome.failure,
    ended_by: manifest.ended_by ?? (outcome.failure === null ? 'exit' : 'host_lost'),
    paused: null,
  }
  try {
    home.writeManifest(ended)
  } catch (error) {
    // The disk refuses the write: the result is returned all the same, and the next call writes it.
    if (!(error instanceof OpError)) throw error
  }
  return ended
}

function noteFailure(log: EventStore): void {
  try {
    log.appendFact('status', { status: 'failed', reason: 'host lost' })
  } catch (error) {
    if (!(error instanceof OpError)) throw error // a full disk: the manifest has the failure
  }
}

function sweepProcesses({ session, process_mark: mark }: Manifest): void {
  // By the mark alone: the leader's number may be another process's by now.
  killTreeNow({ session, mark: BigInt(mark), leaderPid: null })
}

async function readExit(events: StoredEvents): Promise<ExitRecord | null> {
  const found: { exit: ExitRecord | null } = { exit: null }
  const apply = ({ seq, typeNumber, payload }: LogRecord) => {
    if (typeNumber !== EVENT_TYPE_NUMBERS.exit) return
    const read = exitRecord.safeParse(JSON.parse(Buffer.from(payload).toString()))
    if (!read.success)
      throw new OpError('log_corrupt', `the exit record ${seq} has other fields than an exit`)
    found.exit = read.data
  }
  await events.fold([{ apply }])
  return found.exit
}
