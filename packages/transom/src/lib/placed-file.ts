import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { OpError, next } from '@transom/protocol/errors'
import { errnoOf, messageOf } from './system-error.ts'

/** A file that a caller has named, and whether one that is there may be replaced. */
export interface PlacedFile {
  /** Absolute. */
  readonly out: string
  readonly force: boolean
}

/** Rejects an unwritable output path before doing any work. */
export async function refuseTarget({ out, force }: PlacedFile): Promise<void> {
  let isFile: boolean
  try {
    isFile = (await fs.lstat(out)).isFile()
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return
    throw notWritten(out, error)
  }
  if (!isFile) throw exists(out, 'is there already and is no plain file; choose another name')
  if (!force) throw exists(out, 'is there already; choose another name', FORCE)
}

/** Puts a finished file of the same folder where it belongs: it appears as a whole. */
export async function publish(temporary: string, { out, force }: PlacedFile): Promise<void> {
  try {
    if (force) return await fs.rename(temporary, out)
    await fs.link(temporary, out) // unlike a rename it replaces nothing that has come meanwhile
    await fs.rm(temporary)
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') throw exists(out, 'is there already; choose another name', FORCE)
    throw notWritten(out, error)
  }
}

/** A unique name beside `out`. */
export function temporaryBeside(out: string): string {
  return `${out}.${randomBytes(6).toString('hex')}.tmp`
}

/** Copies a file of ours to where its caller wants it. */
export async function placeCopy(source: string, target: PlacedFile): Promise<void> {
  await refuseTarget(target)
  const temporary = temporaryBeside(target.out)
  try {
    await fs.copyFile(source, temporary)
    await publish(temporary, target)
  } catch (error) {
    await fs.rm(temporary, { force: true })
    throw error instanceof OpError ? error : notWritten(target.out, error)
  }
}

export function notWritten(file: string, error: unknown): OpError {
  const message = `cannot write ${file}: ${messageOf(error)}`
  return new OpError('file_not_written', message, { file, errno: errnoOf(error) }, { cause: error })
}

const FORCE = next({ set: { force: true }, does: 'or replace it' })

function exists(file: string, why: string, more: object = {}): OpError {
  return new OpError('file_exists', `${file} ${why}`, { file, ...more })
}
