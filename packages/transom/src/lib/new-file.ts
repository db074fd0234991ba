import * as fs from 'node:fs/promises'
import { notWritten, publish, refuseTarget, temporaryBeside, type PlacedFile } from './placed-file.ts'

/**
 * Has a file written, by its handle or by the path it has meanwhile: it appears under its name when it is whole, and
 * when that fails nothing is left.
 */
export async function writeNewFile<T>(
  options: PlacedFile & { readonly temporary?: string },
  write: (file: fs.FileHandle, path: string) => Promise<T>,
): Promise<T> {
  await refuseTarget(options)
  const { temporary = temporaryBeside(options.out) } = options
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
