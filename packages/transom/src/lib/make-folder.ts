import * as fs from 'node:fs'
import * as path from 'node:path'
import { errnoOf } from './system-error.ts'

/** Makes a folder and those above it. Node's own recursion never returns where the system lets none be made (/proc). */
export function makeFolder(folder: string): void {
  if (fs.existsSync(folder)) return
  makeFolder(path.dirname(folder))
  try {
    fs.mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error // another process made it meanwhile
  }
}
