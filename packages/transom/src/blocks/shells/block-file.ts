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

/** Puts what a block reads as its standard input into a file; returns its path. */
export function writeBlockInput(folder: string, ordinal: number, input: string): string {
  const file = inputFile(folder, ordinal)
  try {
    fs.writeFileSync(file, input, { mode: 0o600 })
  } catch (error) {
    throw fileError(error, `write the standard input of the command to ${file}`, { file })
  }
  return file
}

export function removeBlockInput(folder: string, ordinal: number): void {
  fs.rmSync(inputFile(folder, ordinal), { force: true })
}

function inputFile(folder: string, ordinal: number): string {
  return path.join(folder, `stdin-${ordinal}`)
}

/** Removes it: a shell that is triggered once too often finds nothing. */
export function removeBlockText(folder: string): void {
  fs.rmSync(path.join(folder, NEXT_BLOCK), { force: true })
}
