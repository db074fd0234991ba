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
    // Another process is removing it, or it is not a folder: the count so far is the size.
    if (!['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) throw error
  }
  return bytes
}
