import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileError } from '../../lib/system-error.ts'

const NEXT_BLOCK = 'next'

/** Puts the text of the next block where the shell reads it. */
export function writeBlockText(folder: string, text: string): void {
  const file = path.join(folder, NEXT_BLOCK)
  try {
    fs.writeFileSync(file, text, { mode: 0o600 })
  } catch (error) {
    throw fileError(error, `write the command to ${file}`, { file })
  }
}

/** Removes it: a shell that is triggered once too often finds nothing. */
export function removeBlockText(folder: string): void {
  fs.rmSync(path.join(folder, NEXT_BLOCK), { force: true })
}
