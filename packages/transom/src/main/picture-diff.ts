/** What `transom screenshot-diff` loads when it is called. */
import * as fs from 'node:fs/promises'
import { OpError, toWireError } from '@transom/protocol/errors'
import type { DiffAnswer, DiffRequest, PictureDifference } from '../surfaces/cli/screenshot-diff-command.ts'
import { notWritten, publish, refuseTarget, temporaryBeside } from '../lib/placed-file.ts'
import { errnoOf, messageOf } from '../lib/system-error.ts'
import { diffPictures } from '../evidence/pictures/picture-diff.ts'
import { decodePng } from '../evidence/pictures/png-reader.ts'
import { encodePng } from '../evidence/pictures/png-writer.ts'
import type { Raster } from '../evidence/pictures/raster.ts'

/** Does not throw: an error of this program would be none of the CLI's, which has a class of its own for them. */
export async function diffFiles(request: DiffRequest): Promise<DiffAnswer> {
  try {
    return { difference: await diff(request) }
  } catch (error) {
    return { error: toWireError(error) }
  }
}

async function diff({ before, after, out, force }: DiffRequest): Promise<PictureDifference> {
  if (out !== null) await refuseTarget({ out, force })
  const [old, now] = [await readPng(before), await readPng(after)]
  const { raster, changedPixels, bounds } = diffPictures(old, now)
  if (out !== null) await write(encodePng(raster), { out, force })
  return {
    same: changedPixels === 0,
    changed_pixels: changedPixels,
    pixels: raster.width * raster.height,
    bounds,
    before: { width: old.width, height: old.height },
    after: { width: now.width, height: now.height },
    path: out,
  }
}

async function readPng(file: string): Promise<Raster> {
  let bytes: Uint8Array
  try {
    bytes = await fs.readFile(file)
  } catch (error) {
    const message = `cannot read ${file}: ${messageOf(error)}`
    throw new OpError('file_not_read', message, { file, errno: errnoOf(error) }, { cause: error })
  }
  return decodePng(bytes, file)
}

async function write(png: Uint8Array, target: { out: string; force: boolean }): Promise<void> {
  const temporary = temporaryBeside(target.out)
  try {
    await fs.writeFile(temporary, png, { mode: 0o600, flag: 'wx' })
    await publish(temporary, target)
  } catch (error) {
    await fs.rm(temporary, { force: true })
    throw error instanceof OpError ? error : notWritten(target.out, error)
  }
}
