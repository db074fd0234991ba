import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { z } from 'zod'
import { writeFileAtomic } from '../lib/atomic-file.ts'
import { makeFolder } from '../lib/make-folder.ts'
import { FileLock } from '../platform/file-lock.ts'
import { errnoOf } from '../lib/system-error.ts'

const HOMES_MAX = 1000 // a Home for each task of an agent, for a long time; past it the oldest entries go
const FILE_BYTES_MAX = 8 << 20 // HOMES_MAX paths of the system's longest, 4 KiB, with room; more is not ours

const registeredHome = z.object({ path: z.string(), registered_at: z.string() })
export type RegisteredHome = z.infer<typeof registeredHome>
const registryFile = z.object({ version: z.literal(1), homes: z.array(registeredHome) })

/**
 * The Home Registry: which Homes of this machine have hosted a session. Advisory: the folders are the truth, and
 * this file is reconciled with them. Several processes may write it at once. A file that cannot be read counts as
 * empty and is replaced by the next writer.
 */
export class HomeRegistry {
  readonly #env: NodeJS.ProcessEnv

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env
  }

  get file(): string {
    const configured = this.#env['XDG_STATE_HOME'] ?? ''
    // A relative path is to be ignored, as the XDG Base Directory specification says.
    const state = path.isAbsolute(configured) ? configured : path.join(os.homedir(), '.local', 'state')
    return path.join(state, 'transom', 'homes.json')
  }

  /** The entries, oldest first; null if there is something that cannot be read. */
  read(): RegisteredHome[] | null {
    try {
      if (fs.statSync(this.file).size > FILE_BYTES_MAX) return null
      return registryFile.parse(JSON.parse(fs.readFileSync(this.file, 'utf8'))).homes
    } catch (error) {
      // Otherwise the file is cut by a power failure or edited by hand. The Homes themselves are the truth.
      return errnoOf(error) === 'ENOENT' ? [] : null
    }
  }

  /** Changes the entries under the lock. False if another process has it at this moment. */
  tryUpdate(change: (homes: readonly RegisteredHome[]) => readonly RegisteredHome[]): boolean {
    return this.#updateUnder(FileLock.try(this.#lockFile()), change)
  }

  /** As tryUpdate(), asking again while another process has the lock. False if that took too long. */
  async update(
    change: (homes: readonly RegisteredHome[]) => readonly RegisteredHome[],
    signal?: AbortSignal,
  ): Promise<boolean> {
    return this.#updateUnder(await FileLock.wait(this.#lockFile(), signal), change)
  }

  #lockFile(): string {
    const folder = path.dirname(this.file)
    makeFolder(folder)
    return path.join(folder, 'homes.lock')
  }

  #updateUnder(
    lock: FileLock | null,
    change: (homes: readonly RegisteredHome[]) => readonly RegisteredHome[],
  ): boolean {
    if (lock === null) return false
    try {
      const before = this.read()
      const after = change(before ?? [])
      if (after !== before) {
        const content = { version: 1, homes: after.slice(-HOMES_MAX) }
        writeFileAtomic(this.file, `${JSON.stringify(content, null, 2)}\n`)
      }
      return true
    } finally {
      lock.release()
    }
  }
}

/** The entries with `home` among them: the same list when it is there already. */
export function withHome(
  homes: readonly RegisteredHome[],
  home: string,
  registeredAt: string,
): readonly RegisteredHome[] {
  if (homes.some(({ path }) => path === home)) return homes
  return [...homes, { path: home, registered_at: registeredAt }]
}
