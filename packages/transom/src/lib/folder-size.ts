import * as fs from 'node:fs'
import * as path from 'node:path'
import { errnoOf } from './system-error.ts'

/** The bytes of the files in a folder and below. A link counts itself, not what it points to. */
export function folderSize(folder: string): number {
  let bytes = 0
  try {
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
      const file = path.join(folder, entry.name)
      bytes += entry.isDirectory()
        ? folderSize(file)
        : (fs.lstatSync(file, { throwIfNoEntry: false })?.size ?? 0)
    }
  } catch (error) {
    // Somebody removes it at this moment, or it is no folder: what was counted is what is there.
    if (!['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) throw error
  }
  return bytes
}
