import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import * as path from 'node:path'
import type { Artifact, SessionInfo } from '@transom/protocol'
import { OpError, next } from '@transom/protocol/errors'
import { errnoOf, messageOf } from '../lib/system-error.ts'
import { writeNewFile } from '../lib/new-file.ts'
import { notWritten, refuseTarget, temporaryBeside } from '../lib/placed-file.ts'
import { ZipWriter } from '../lib/zip-writer.ts'
import { bundlePage, type BundledFile } from '../evidence/recordings/bundle-page.ts'

export interface BundleRequest {
  /** Absolute; a zip when it ends in `.zip`, else a folder. */
  readonly out: string
  readonly force: boolean
  readonly info: SessionInfo
  readonly lastScreen: string
  readonly artifacts: readonly Artifact[]
  readonly pathOf: (artifact: Artifact) => string
  /** Write these into the folder they are given. */
  readonly writeRecording: (folder: string) => Promise<void>
  readonly now: Date
}

export interface Bundled {
  readonly files: number
  readonly bytes: number
}

/** One folder, or one zip, with all that there is to see of a session. It appears when it is whole. */
export async function makeBundle(request: BundleRequest): Promise<Bundled> {
  const { out } = request
  await refuseTarget(request)
  const folder = temporaryBeside(out)
  try {
    fs.mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    throw notWritten(out, error)
  }
  try {
    const files = await fill(folder, request)
    if (out.endsWith('.zip')) await pack(folder, files, request)
    else placeFolder(folder, request)
    return { files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) }
  } catch (error) {
    throw errnoOf(error) === undefined ? error : notWritten(out, error) // a full disk, for one
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** A folder cannot be renamed over a file: with `force` the file, which refuseTarget() has seen, is removed first. */
function placeFolder(folder: string, { out, force }: BundleRequest): void {
  if (force) fs.rmSync(out, { force: true })
  fs.renameSync(folder, out)
}

async function fill(folder: string, request: BundleRequest): Promise<BundledFile[]> {
  const { info, artifacts, pathOf, lastScreen, now } = request
  await request.writeRecording(folder)
  fs.mkdirSync(path.join(folder, 'artifacts'), { mode: 0o700 })
  const listed = artifacts.map((artifact) => ({
    ...artifact,
    name: `artifacts/${path.basename(artifact.file)}`,
  }))
  for (const artifact of listed) {
    const copy = path.join(folder, artifact.name)
    // A missing file is damage; the digest below detects a changed one.
    await fs.promises.copyFile(pathOf(artifact), copy).catch((error: unknown) => {
      throw damaged(artifact, messageOf(error))
    })
  }
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
  fs.writeFileSync(path.join(folder, 'session.json'), json(info))
  fs.writeFileSync(path.join(folder, 'artifacts', 'manifest.json'), json({ version: 1, artifacts }))
  const files = await Promise.all(filesIn(folder).map((name) => digestOf(folder, name)))
  for (const artifact of listed) {
    const copy = files.find(({ name }) => name === artifact.name)
    if (copy?.sha256 !== artifact.sha256) throw damaged(artifact, 'it has changed since it was captured')
  }
  const page = bundlePage({ info, artifacts: listed, files, lastScreen, made: now.toISOString() })
  fs.writeFileSync(path.join(folder, 'index.html'), page)
  const all = [...files, await digestOf(folder, 'index.html')]
  fs.writeFileSync(
    path.join(folder, 'SHA256SUMS'),
    all.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''),
  )
  return [...all, await digestOf(folder, 'SHA256SUMS')]
}

function damaged({ id, file }: Artifact, why: string): OpError {
  const message = `artifact ${id} (${file}) cannot be bundled: ${why}`
  const verify = next({ call: 'artifacts.verify', params: {}, does: 'checks all of them' })
  return new OpError('artifact_damaged', message, { id, file, ...verify })
}

/** The files below a folder, by their relative names, in order. */
function filesIn(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .toSorted()
}

async function digestOf(folder: string, name: string): Promise<BundledFile> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const piece of fs.createReadStream(path.join(folder, name)) as AsyncIterable<Buffer>) {
    hash.update(piece)
    bytes += piece.length
  }
  return { name, bytes, sha256: hash.digest('hex') }
}

async function pack(
  folder: string,
  files: readonly BundledFile[],
  { out, force, now }: BundleRequest,
): Promise<void> {
  const top = path.basename(out, '.zip')
  await writeNewFile({ out, force }, async (file) => {
    const zip = new ZipWriter(file, now)
    for (const { name } of files)
      await zip.add(`${top}/${name}`, fs.createReadStream(path.join(folder, name)) as AsyncIterable<Buffer>)
    await zip.end()
  })
}
