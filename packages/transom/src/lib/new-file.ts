import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { OpError } from '@transom/protocol/errors'
import { errnoOf, messageOf } from './system-error.ts'

export interface NewFile {
  /** Absolute. */
  readonly out: string
  /** Replace a file that is there. */
  readonly force: boolean
}

/** Has a file written, by its handle or the path it has meanwhile: it appears under its name when it is whole, and when that fails nothing is left. */
export async function writeNewFile<T>(
  options: NewFile,
  write: (file: fs.FileHandle, path: string) => Promise<T>,
): Promise<T> {
  await refuseTarget(options)
  const temporary = `${options.out}.${randomBytes(6).toString('hex')}.tmp`
  let file: fs.FileHandle
  try {
    file = await fs.open(temporary, 'wx', 0o600)
  } catch (error) {
    throw notWritten(options.out, error)
  }
  try {
    const written = await write(file, temporary)
    await file.close()
    await publish(temporary, options)
    return written
  } catch (error) {
    await file.close()
    await fs.rm(temporary, { force: true })
    throw error
  }
}

/** Throws when the file must not be written. */
export async function refuseTarget({ out, force }: NewFile): Promise<void> {
  let isFile: boolean
  try {
    isFile = (await fs.lstat(out)).isFile()
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return
    throw notWritten(out, error)
  }
  if (!isFile) throw exists(out, 'is there already and is no plain file; choose another name')
  if (!force) throw exists(out, 'is there already; choose another name, or add --force to replace it')
}

async function publish(temporary: string, { out, force }: NewFile): Promise<void> {
  try {
    if (force) return await fs.rename(temporary, out)
    await fs.link(temporary, out) // unlike a rename it replaces nothing that has come meanwhile
    await fs.rm(temporary)
  } catch (error) {
    if (errnoOf(error) === 'EEXIST')
      throw exists(out, 'is there already; choose another name, or add --force to replace it')
    throw notWritten(out, error)
  }
}

function exists(file: string, why: string): OpError {
  return new OpError('file_exists', `${file} ${why}`, { file })
}

export function notWritten(file: string, error: unknown): OpError {
  const message = `cannot write ${file}: ${messageOf(error)}`
  return new OpError('file_not_written', message, { file, errno: errnoOf(error) }, { cause: error })
}
