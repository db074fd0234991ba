import * as fs from 'node:fs'
import * as path from 'node:path'
import { OpError } from '@transom/protocol/errors'
import { errnoOf } from '../lib/system-error.ts'

const ROOT_UID = 0 // may change every file anyway: a file that it put into a Home is accepted
const WRITABLE_BY_OTHERS = 0o022
const ENTERABLE_BY_OTHERS = 0o011

/**
 * Refuses a Home folder that belongs to another user or that others may write to: its owner could have prepared tokens,
 * defaults and sessions for this user to run. A folder that cannot be looked at is left to the one that opens it, which reports why.
 *
 * Every command calls this before it reads anything in the Home. There is no zod here, because the CLI bundles it.
 */
export function checkHomeFolder(home: string): void {
  const stat = statOf(home)
  if (stat === undefined) return
  if (stat.uid !== ownUid()) throw untrusted(home, home, `it belongs to user ${stat.uid}`)
  refuseWritable(home, home, stat)
}

/**
 * As checkHomeFolder(), for what is in it too: its files, the session folders and their manifests. Others cannot add
 * to a folder that passed, but it may have been open before, or be a copy of another user's.
 */
export function checkHomeContents(home: string): void {
  checkHomeFolder(home)
  const inside = isEnterable(statOf(home))
  for (const name of entries(home)) checkEntry(home, path.join(home, name), inside)
  const sessions = path.join(home, 'sessions')
  const insideSessions = inside && isEnterable(statOf(sessions))
  for (const name of entries(sessions)) {
    const folder = path.join(sessions, name)
    const stat = checkEntry(home, folder, insideSessions)
    if (stat?.isDirectory() !== true) continue
    checkEntry(home, path.join(folder, 'manifest.json'), insideSessions && isEnterable(stat))
  }
}

/** The names in a folder; none if it is not there or is not a folder. */
function entries(folder: string): string[] {
  try {
    return fs.readdirSync(folder)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return []
    throw error
  }
}

/** `reachable`: others can open the files in its folder, so that the mode of this one matters. */
function checkEntry(home: string, file: string, reachable: boolean): fs.Stats | undefined {
  const link = fs.lstatSync(file, { throwIfNoEntry: false })
  if (link === undefined) return undefined
  const stat = link.isSymbolicLink() ? statOf(file) : link
  for (const { uid } of [link, stat ?? link])
    if (uid !== ownUid() && uid !== ROOT_UID) throw untrusted(home, file, `it belongs to user ${uid}`)
  // A link's target may be anywhere: its own folders decide who reaches it.
  if (stat !== undefined && (reachable || link.isSymbolicLink())) refuseWritable(home, file, stat)
  return stat
}

function refuseWritable(home: string, file: string, { mode }: fs.Stats): void {
  if ((mode & WRITABLE_BY_OTHERS) === 0) return
  const why = `other users may write to it (mode ${(mode & 0o777).toString(8)}); "chmod go-w" closes it, if you trust what is in it`
  throw untrusted(home, file, why)
}

/** Of the file, or of what a link leads to. */
function statOf(file: string): fs.Stats | undefined {
  try {
    return fs.statSync(file)
  } catch {
    return undefined // missing, or out of reach
  }
}

function isEnterable(stat: fs.Stats | undefined): boolean {
  return stat !== undefined && (stat.mode & ENTERABLE_BY_OTHERS) !== 0
}

function untrusted(home: string, file: string, why: string): OpError {
  const what = file === home ? `the Home ${home}` : `${file} in the Home ${home}`
  const message = `${what} is not used: ${why}. Or choose a Home of your own with --home or TRANSOM_HOME`
  return new OpError('home_untrusted', message, { home, file })
}

function ownUid(): number {
  return process.getuid?.() ?? -1
}
