import * as fs from 'node:fs'
import * as path from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { Result } from '@transom/protocol'
import { Home } from '../home/home.ts'
import { checkHomeFolder } from '../home/home-trust.ts'
import type { HomeRegistry, RegisteredHome } from '../home/home-registry.ts'
import { isHeld } from '../home/session-events.ts'
import { errnoOf, messageOf } from '../lib/system-error.ts'
import { policyOf } from './status-policy.ts'

type ListedHome = Result<'home.list'>['homes'][number]

/** The Homes of the Home Registry as their folders show them now; entries whose sessions are gone are pruned. */
export async function surveyHomes(registry: HomeRegistry, all: boolean): Promise<ListedHome[]> {
  const registered = registry.read()
  const present = (registered ?? []).filter((entry) => !isGone(entry.path))
  if (present.length !== registered?.length) await prune(registry)
  const homes: ListedHome[] = []
  for (const entry of present) {
    homes.push(survey(entry))
    await turn() // a thousand Homes must not keep the sessions waiting
  }
  return homes.filter((home) => all || home.active_sessions > 0)
}

async function prune(registry: HomeRegistry): Promise<void> {
  try {
    // Looked at again under the lock: a session may have begun there since.
    await registry.update((homes) => homes.filter((entry) => !isGone(entry.path)))
  } catch {
    return // the advisory file keeps a stale entry; the answer omits it
  }
}

/** Whether the Home's folder or all its sessions are gone. What cannot be looked at is not known to be gone. */
function isGone(home: string): boolean {
  try {
    return !fs
      .readdirSync(path.join(home, 'sessions'), { withFileTypes: true })
      .some((entry) => !entry.isFile())
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')
  }
}

function survey({ path: home, registered_at }: RegisteredHome): ListedHome {
  const entry = { home, sessions: 0, active_sessions: 0, registered_at, problem: null }
  try {
    checkHomeFolder(home)
    const manifests = Home.at(home).readManifests()
    // A killed host leaves `running` in the manifest. Only a session whose log is locked is alive.
    const active = manifests.filter(
      ({ session, status }) => policyOf(status).active && isHeld(Home.at(home), session),
    )
    return { ...entry, sessions: manifests.length, active_sessions: active.length }
  } catch (error) {
    return { ...entry, problem: messageOf(error) }
  }
}
