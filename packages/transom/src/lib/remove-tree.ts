import * as fs from 'node:fs/promises'
import * as path from 'node:path'
import { errnoOf } from './system-error.ts'

/**
 * Removes a file, or a folder with all that is in it. A link is removed and never followed. (Node's own `rm` says
 * ENOTDIR of a file that may not be removed, which sends people looking in the wrong place.)
 */
export async function removeTree(target: string): Promise<void> {
  try {
    if ((await fs.lstat(target)).isDirectory()) {
      for (const name of await fs.readdir(target)) await removeTree(path.join(target, name))
      await fs.rmdir(target)
    } else {
      await fs.unlink(target)
    }
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error // another process has removed it already
  }
}
