import * as fs from 'node:fs/promises'
import * as path from 'node:path'
import { errnoOf } from './system-error.ts'

/** The bytes of the files in a folder and below. A link counts itself, not what it points to. */
export async function folderSize(folder: string): Promise<number> {
  let bytes = 0
  try {
    for (const entry of await fs.readdir(folder, { withFileTypes: true })) {
      const file = path.join(folder, entry.name)
      bytes += entry.isDirectory() ? await folderSize(file) : (await fs.lstat(file)).size
    }
  } catch (error) {
    // Somebody removes it at this moment, or it is no folder: what was counted is what is there.
    if (!['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) throw error
  }
  return bytes
}
