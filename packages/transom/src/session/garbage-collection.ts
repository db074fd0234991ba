import * as fs from 'node:fs'
import type { Result } from '@transom/protocol'
import { ArtifactStore } from '../home/artifact-store.ts'
import type { Home } from '../home/home.ts'
import type { Manifest } from '../home/manifest.ts'
import { tryLockEvents } from '../home/session-events.ts'
import { folderSize } from '../lib/folder-size.ts'
import { removeTree } from '../lib/remove-tree.ts'
import { messageOf } from '../lib/system-error.ts'
import { SESSION_ID_PATTERN } from './sessions.ts'
import { policyOf } from './status-policy.ts'

/** A folder without a manifest may be a session that is just being born; none takes this long. */
const NEWBORN_MS_MAX = 24 * 60 * 60 * 1000

export interface CollectionOptions {
  readonly olderThanMs: number
  readonly dryRun: boolean
  /** Also sessions with pinned artifacts. */
  readonly evenPinned?: boolean
  /** Milliseconds since 1970. */
  readonly now: number
  readonly signal?: AbortSignal
}

type Collected = Result<'session.gc'>['sessions'][number]

/**
 * Removes the folders of Collectable Sessions, and of what never became a session. One that cannot be removed is
 * reported and does not keep the others. A log that a process holds is never touched, whatever its manifest says.
 */
export async function collectGarbage(home: Home, options: CollectionOptions): Promise<Result<'session.gc'>> {
  const sessions: Collected[] = []
  const kept: string[] = []
  const { sessions: ids, removing } = home.readFolders()
  for (const name of removing) {
    options.signal?.throwIfAborted()
    sessions.push(await removeLeftover(home, name, options))
  }
  for (const id of ids) {
    options.signal?.throwIfAborted()
    const collected = await collect(home, id, options)
    if (collected === 'pinned') kept.push(id)
    else if (collected !== null) sessions.push(collected)
  }
  const bytes = sessions
    .filter(({ outcome }) => outcome !== 'failed')
    .reduce((sum, session) => sum + session.bytes, 0)
  return { dry_run: options.dryRun, sessions, bytes, kept }
}

/** Null if the session stays, `pinned` if it stays because of its artifacts. */
async function collect(
  home: Home,
  id: string,
  options: CollectionOptions,
): Promise<Collected | 'pinned' | null> {
  if (judge(home, id, options) === null) return null
  const lock = tryLockEvents(home, id)
  if (lock === null) return null // alive, or not quite dead: its host is still closing the log
  try {
    const found = judge(home, id, options) // again: under the lock no other process can change it
    if (found === null) return null
    if (!options.evenPinned && hasPins(home, id)) return 'pinned'
    const entry = { ...found, bytes: folderSize(home.sessionFolder(id)) }
    if (options.dryRun) return { ...entry, outcome: 'would_remove', problem: null }
    return await remove(entry, () => home.setAsideSessionFolder(id))
  } finally {
    lock.release()
  }
}

function hasPins(home: Home, id: string): boolean {
  try {
    return new ArtifactStore(home.sessionFolder(id), Date.now).read().some(({ pinned }) => pinned)
  } catch {
    return true // a manifest that cannot be read may hold pins: what is in doubt stays
  }
}

type Judged = Pick<Collected, 'session' | 'name' | 'status' | 'ended_at'>

function judge(home: Home, id: string, options: CollectionOptions): Judged | null {
  const manifest = home.readManifest(id)
  if (manifest !== null) return isCollectable(manifest, options) ? judgedOf(id, manifest) : null
  // Without a manifest: only what is surely a session's folder, and surely not one of a newborn.
  if (!SESSION_ID_PATTERN.test(id) || home.hasManifest(id)) return null
  const stat = fs.lstatSync(home.sessionFolder(id), { throwIfNoEntry: false })
  if (stat === undefined) return null
  const ageMs = options.now - stat.mtimeMs
  if (ageMs < Math.max(NEWBORN_MS_MAX, options.olderThanMs)) return null
  return { session: id, name: null, status: null, ended_at: null }
}

function isCollectable(manifest: Manifest, { olderThanMs, now }: CollectionOptions): boolean {
  if (!policyOf(manifest.status).collectable) return false
  return Date.parse(manifest.ended_at ?? manifest.created_at) <= now - olderThanMs
}

function judgedOf(session: string, { name, status, ended_at }: Manifest): Judged {
  return { session, name, status, ended_at }
}

/** What an earlier collection could not finish. */
async function removeLeftover(home: Home, name: string, { dryRun }: CollectionOptions): Promise<Collected> {
  const folder = home.sessionFolder(name)
  const entry = {
    session: name.slice(0, name.indexOf('.')),
    name: null,
    status: null,
    ended_at: null,
    bytes: folderSize(folder),
  }
  if (dryRun) return { ...entry, outcome: 'would_remove', problem: null }
  return remove(entry, () => folder)
}

async function remove(
  entry: Omit<Collected, 'outcome' | 'problem'>,
  setAside: () => string,
): Promise<Collected> {
  try {
    await removeTree(setAside())
    return { ...entry, outcome: 'removed', problem: null }
  } catch (error) {
    return { ...entry, outcome: 'failed', problem: messageOf(error) }
  }
}
