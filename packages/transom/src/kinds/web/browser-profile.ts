import * as fs from 'node:fs'
import * as path from 'node:path'
import { OpError } from '@transom/protocol/errors'
import type { Home } from '../../home/home.ts'
import { makeFolder } from '../../lib/make-folder.ts'
import { FileLock } from '../../platform/file-lock.ts'
import { removeTree } from '../../lib/remove-tree.ts'
import { fileError } from '../../lib/system-error.ts'

const OWN_FOLDER = 'profile'
const NAMED_FOLDER = 'profiles'
/** In a folder of the caller's choice. */
const LOCK_FILE = 'transom.lock'
/** Chromium's own lock. It names a machine and a process, and a killed browser does not remove it. */
const CHROMIUM_LOCKS = ['SingletonLock', 'SingletonSocket', 'SingletonCookie']

/** Where a browser keeps cookies, logins and caches: for one session, or by name for one session after another. */
export class BrowserProfile {
  readonly folder: string
  readonly #release: () => Promise<void>

  /** A profile that ends with its session. */
  static own(home: Home, session: string): BrowserProfile {
    const folder = path.join(home.sessionFolder(session), OWN_FOLDER)
    makePrivate(folder)
    return new BrowserProfile(folder, async () => removeTree(folder))
  }

  /** A profile that stays. One browser at a time: the kernel's lock is given back when its holder dies. */
  static named(home: Home, name: string): BrowserProfile {
    const folder = path.join(home.path, NAMED_FOLDER, name)
    makePrivate(folder)
    return BrowserProfile.#locked(folder, `${folder}.lock`, name)
  }

  /** A profile that stays, in a folder of the caller's choice. */
  static at(folder: string): BrowserProfile {
    makePrivate(folder)
    return BrowserProfile.#locked(folder, path.join(folder, LOCK_FILE), folder)
  }

  static #locked(folder: string, lockFile: string, name: string): BrowserProfile {
    const held = FileLock.try(lockFile)
    if (held === null) {
      const message = `another session has the browser profile ${JSON.stringify(name)} open; end it, or choose another one`
      throw new OpError('profile_in_use', message, { profile: name })
    }
    for (const lock of CHROMIUM_LOCKS) fs.rmSync(path.join(folder, lock), { force: true })
    return new BrowserProfile(folder, async () => held.release())
  }

  private constructor(folder: string, release: () => Promise<void>) {
    this.folder = folder
    this.#release = release
  }

  /** Removes the profile of one session, or lets the next session have a named one. */
  async release(): Promise<void> {
    await this.#release()
  }
}

/** Removes what a browser has left of a session whose host was lost. */
export async function removeOwnProfile(home: Home, session: string): Promise<void> {
  await removeTree(path.join(home.sessionFolder(session), OWN_FOLDER))
}

function makePrivate(folder: string): void {
  try {
    makeFolder(folder)
  } catch (error) {
    throw fileError(error, `make the browser profile ${folder}`, { folder })
  }
}
