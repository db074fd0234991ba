import * as fs from 'node:fs'
import * as path from 'node:path'
import { z } from 'zod'
import { OpError } from '@transom/protocol/errors'
import { writeFileAtomic } from '../lib/atomic-file.ts'
import { readBoundedFile } from '../lib/bounded-file.ts'
import { makeFolder } from '../lib/make-folder.ts'
import { errnoOf, fileError } from '../lib/system-error.ts'
import { StoredEvents } from '../log/stored-events.ts'
import { HOST_FILES } from './home-path.ts'
import { checkHomeContents } from './home-trust.ts'
import { MANIFEST_BYTES_MAX, manifest, type Manifest } from './manifest.ts'

const HOME_FORMAT = 'transom-home'
const HOME_VERSION = 1
const HOME_FILE = 'home.json'
/** Optional; what it may say is in config.ts. */
export const CONFIG_FILE = 'config.json'
/** A session folder with this suffix after its id is being removed and is no longer a session. */
const REMOVING_SUFFIX = '.removing'
const homeFile = z.object({ format: z.literal(HOME_FORMAT), version: z.literal(HOME_VERSION) })

/** A state root: an absolute folder with a `sessions/` tree, known by its path alone. */
export class Home {
  readonly path: string

  private constructor(homePath: string) {
    this.path = homePath
  }

  /**
   * Opens a Home, making it when the folder is missing or empty. A folder with anything else in it is refused, and so
   * is one that other users could have prepared.
   */
  static open(homePath: string): Home {
    try {
      makeFolder(homePath)
      checkHomeContents(homePath)
      const file = path.join(homePath, HOME_FILE)
      if (!fs.existsSync(file)) {
        refuseForeignFolder(homePath, file)
        writeFileAtomic(file, `${JSON.stringify({ format: HOME_FORMAT, version: HOME_VERSION })}\n`)
      }
      checkHomeFile(homePath, file)
      fs.mkdirSync(path.join(homePath, 'sessions'), { recursive: true, mode: 0o700 })
      fs.accessSync(path.join(homePath, 'sessions'), fs.constants.W_OK)
    } catch (error) {
      if (errnoOf(error) === 'ENOTDIR' || errnoOf(error) === 'EEXIST')
        throw foreign(homePath, 'it is not a folder')
      throw fileError(error, `open the Home ${homePath}`, { home: homePath })
    }
    return new Home(fs.realpathSync(homePath))
  }

  /** A Home to look at only: nothing is made, and nothing is known to be there. */
  static at(homePath: string): Home {
    return new Home(homePath)
  }

  sessionFolder(id: string): string {
    return path.join(this.path, 'sessions', id)
  }

  /** The Event Log of a session, to read from. Nothing is known to be there. */
  events(id: string, onStored?: (bytes: number) => void): StoredEvents {
    return StoredEvents.at(this.sessionFolder(id), null, onStored)
  }

  createSessionFolder(id: string): void {
    const folder = this.sessionFolder(id)
    try {
      fs.mkdirSync(folder, { mode: 0o700 })
    } catch (error) {
      throw fileError(error, `create the session folder ${folder}`, { folder })
    }
  }

  /** Removes the folder of a session that failed to start. */
  removeSessionFolder(id: string): void {
    fs.rmSync(this.sessionFolder(id), { recursive: true, force: true })
  }

  /** What is in `sessions/`: the folders by name, and those that are being removed. */
  readFolders(): { sessions: string[]; removing: string[] } {
    const names = fs
      .readdirSync(path.join(this.path, 'sessions'), { withFileTypes: true })
      .filter((entry) => !entry.isFile())
      .map(({ name }) => name)
    return {
      sessions: names.filter((name) => !name.endsWith(REMOVING_SUFFIX)),
      removing: names.filter((name) => name.endsWith(REMOVING_SUFFIX)),
    }
  }

  /** Hides a session in one step, so that no process finds half of it; returns the folder to remove. */
  setAsideSessionFolder(id: string): string {
    const folder = this.sessionFolder(`${id}${REMOVING_SUFFIX}`)
    fs.renameSync(this.sessionFolder(id), folder)
    return folder
  }

  /** Whether a folder has a manifest, be it one that cannot be read. */
  hasManifest(id: string): boolean {
    return fs.lstatSync(this.manifestPath(id), { throwIfNoEntry: false }) !== undefined
  }

  writeManifest(content: Manifest): void {
    const file = this.manifestPath(content.session)
    try {
      writeFileAtomic(file, `${JSON.stringify(content, null, 2)}\n`)
    } catch (error) {
      throw fileError(error, `write ${file}`, { file })
    }
  }

  /** The manifests of all sessions, oldest first. One that is not there yet or cannot be read is passed over. */
  readManifests(): Manifest[] {
    return this.readFolders()
      .sessions.flatMap((id) => this.readManifest(id) ?? [])
      .toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1))
  }

  readManifest(id: string): Manifest | null {
    try {
      const content = manifest.parse(JSON.parse(readBoundedFile(this.manifestPath(id), MANIFEST_BYTES_MAX)))
      return content.session === id ? content : null // any other would be used as the path of a folder
    } catch {
      return null // a newborn's folder, or not one of ours: listing the others must not fail on it
    }
  }

  manifestPath(id: string): string {
    return path.join(this.sessionFolder(id), 'manifest.json')
  }
}

function refuseForeignFolder(homePath: string, file: string): void {
  // The host's lock files and the configuration may be there before the Home itself. Another process may be making
  // the Home at this moment: its temporary file, or home.json itself, can appear after the caller has looked for it.
  const isOurs = (entry: string) =>
    HOST_FILES.test(entry) || entry === CONFIG_FILE || entry.startsWith(HOME_FILE)
  const entries = fs.readdirSync(homePath).filter((entry) => !isOurs(entry))
  if (entries.length > 0 && !fs.existsSync(file))
    throw foreign(homePath, 'it has other files in it and no home.json')
}

function checkHomeFile(homePath: string, file: string): void {
  let content: unknown
  try {
    content = JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) throw foreign(homePath, 'its home.json is not JSON')
    throw error
  }
  if (homeFile.safeParse(content).success) return
  throw foreign(homePath, `its home.json says ${JSON.stringify(content)}`)
}

function foreign(home: string, why: string): OpError {
  const message = `${home} is not a Home of this version of Transom: ${why}; choose another folder with --home or TRANSOM_HOME`
  return new OpError('home_foreign', message, { home })
}
