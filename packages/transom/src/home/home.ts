import * as fs from 'node:fs'
import * as path from 'node:path'
import { z } from 'zod'
import { OpError } from '@transom/protocol/errors'
import { writeFileAtomic } from '../lib/atomic-file.ts'
import { errnoOf, fileError } from '../lib/system-error.ts'
import { HOST_FILES } from './home-path.ts'
import { manifest, type Manifest } from './manifest.ts'

const HOME_FORMAT = 'transom-home'
const HOME_VERSION = 1
const homeFile = z.object({ format: z.literal(HOME_FORMAT), version: z.literal(HOME_VERSION) })

/** A state root: an absolute folder with a `sessions/` tree, known by its path alone. */
export class Home {
  readonly path: string

  private constructor(homePath: string) {
    this.path = homePath
  }

  /** Opens a Home, making it when the folder is missing or empty. A folder with anything else in it is refused. */
  static open(homePath: string): Home {
    try {
      makeFolder(homePath)
      const file = path.join(homePath, 'home.json')
      if (!fs.existsSync(file)) {
        refuseForeignFolder(homePath)
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

  sessionFolder(id: string): string {
    return path.join(this.path, 'sessions', id)
  }

  logPath(id: string): string {
    return path.join(this.sessionFolder(id), 'events.log')
  }

  createSessionFolder(id: string): void {
    const folder = this.sessionFolder(id)
    try {
      fs.mkdirSync(folder, { mode: 0o700 })
    } catch (error) {
      throw fileError(error, `create the session folder ${folder}`, { folder })
    }
  }

  /** Takes back a folder whose session never came to be. */
  removeSessionFolder(id: string): void {
    fs.rmSync(this.sessionFolder(id), { recursive: true, force: true })
  }

  writeManifest(content: Manifest): void {
    const file = this.#manifestPath(content.session)
    try {
      writeFileAtomic(file, `${JSON.stringify(content, null, 2)}\n`)
    } catch (error) {
      throw fileError(error, `write ${file}`, { file })
    }
  }

  /** The manifests of all sessions, oldest first. One that is not there yet or cannot be read is passed over. */
  readManifests(): Manifest[] {
    const ids = fs.readdirSync(path.join(this.path, 'sessions'))
    return ids
      .flatMap((id) => this.#readManifest(id) ?? [])
      .toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1))
  }

  #readManifest(id: string): Manifest | null {
    try {
      return manifest.parse(JSON.parse(fs.readFileSync(this.#manifestPath(id), 'utf8')))
    } catch {
      return null // a newborn's folder, or not one of ours: listing the others must not fail on it
    }
  }

  #manifestPath(id: string): string {
    return path.join(this.sessionFolder(id), 'manifest.json')
  }
}

/** Makes a folder and those above it. Node's own recursion never returns where the system lets none be made (/proc). */
function makeFolder(folder: string): void {
  if (fs.existsSync(folder)) return
  makeFolder(path.dirname(folder))
  try {
    fs.mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error // another process made it meanwhile
  }
}

function refuseForeignFolder(homePath: string): void {
  // The host's lock files may be there before the Home itself.
  const entries = fs.readdirSync(homePath).filter((entry) => !HOST_FILES.test(entry))
  if (entries.length > 0) throw foreign(homePath, 'it has other files in it and no home.json')
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
