import { createHash, randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { artifactManifest, type Artifact, type ArtifactKind } from '@transom/protocol'
import { OpError, next } from '@transom/protocol/errors'
import { writeFileAtomic } from '../lib/atomic-file.ts'
import { withFileLock } from '../platform/file-lock.ts'
import { errnoOf, fileError, messageOf } from '../lib/system-error.ts'

const MANIFEST = 'manifest.json'
const LOCK = 'manifest.lock'
const TEMPORARY_SUFFIX = '.tmp'
const ARTIFACTS_MAX = 10_000 // a capture every few seconds of a working day; the manifest then has 3 MB
const SHA_DIGITS_IN_NAME = 12 // beside the seq: enough to tell two files apart

/** What is known of a capture before it is stored. */
export interface Capture {
  readonly kind: ArtifactKind
  readonly format: string
  readonly seq: number
  readonly fromSeq?: number
}

export interface ArtifactProblem {
  readonly file: string
  readonly problem: 'missing' | 'changed' | 'not_listed'
}

/**
 * The artifacts of one session: files, and a manifest that says what they are. Several processes may add at once.
 * A file is named after its content and there before the manifest speaks of it, so that a reader of the manifest
 * finds whatever it lists.
 */
export class ArtifactStore {
  readonly folder: string
  readonly #now: () => number

  constructor(sessionFolder: string, now: () => number) {
    this.folder = path.join(sessionFolder, 'artifacts')
    this.#now = now
  }

  /** The entries, oldest first. */
  read(): Artifact[] {
    const file = path.join(this.folder, MANIFEST)
    try {
      return artifactManifest.parse(JSON.parse(fs.readFileSync(file, 'utf8'))).artifacts
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return []
      const message = `the artifact manifest ${file} cannot be read: ${messageOf(error)}; restore it, or move the folder away`
      throw new OpError('artifact_damaged', message, { file }, { cause: error })
    }
  }

  get(id: number): Artifact {
    const found = this.read().find((it) => it.id === id)
    if (found === undefined) throw notFound(this.folder, id)
    return found
  }

  /** A part of an artifact's bytes; shorter than `bytes` only at its end. */
  async readPiece(artifact: Artifact, from: number, bytes: number): Promise<Buffer> {
    const file = this.pathOf(artifact)
    let handle
    try {
      handle = await fs.promises.open(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW)
      const piece = Buffer.alloc(Math.min(bytes, Math.max(0, artifact.bytes - from)))
      const { bytesRead } = await handle.read(piece, 0, piece.length, from)
      return piece.subarray(0, bytesRead)
    } catch (error) {
      throw new OpError(
        'file_not_read',
        `could not read ${file}: ${messageOf(error)}`,
        { file },
        { cause: error },
      )
    } finally {
      await handle?.close()
    }
  }

  /** Stores a capture. One that is there already is not stored again: its entry is returned. */
  async add(capture: Capture, content: Uint8Array): Promise<Artifact> {
    const temporary = this.temporaryFile()
    try {
      fs.writeFileSync(temporary, content, { mode: 0o600 })
    } catch (error) {
      fs.rmSync(temporary, { force: true })
      throw fileError(error, `write ${temporary}`, { file: temporary })
    }
    return this.adopt(capture, temporary)
  }

  /** As add(), for a file of temporaryFile() that is written. It is moved or removed. */
  async adopt(capture: Capture, temporary: string): Promise<Artifact> {
    try {
      const { sha256, bytes } = await digest(temporary)
      return await this.#update((artifacts) => {
        const twins = artifacts.filter((it) => it.kind === capture.kind && it.sha256 === sha256)
        const known = twins.find(({ seq }) => seq === capture.seq)
        if (known !== undefined && fs.existsSync(this.pathOf(known))) return { artifacts, result: known }
        const twin = known ?? twins[0]
        const file = twin === undefined ? fileName(capture, sha256) : path.basename(twin.file)
        fs.renameSync(temporary, path.join(this.folder, file))
        if (known !== undefined) return { artifacts, result: known } // its file was lost, and is back
        const entry = this.#entry(capture, { id: nextId(artifacts), file, sha256, bytes })
        return { artifacts: [...artifacts, entry], result: entry }
      })
    } catch (error) {
      throw fileError(error, `store an artifact in ${this.folder}`, { folder: this.folder })
    } finally {
      fs.rmSync(temporary, { force: true })
    }
  }

  /** Sets or takes off the pin of one artifact, or of all. */
  async pin(id: number | null, pinned: boolean): Promise<Artifact[]> {
    return this.#update((artifacts) => {
      if (!artifacts.some((it) => id === null || it.id === id)) throw notFound(this.folder, id)
      const changed = artifacts.map((it) => (id === null || it.id === id ? { ...it, pinned } : it))
      return { artifacts: changed, result: changed }
    })
  }

  /** What is wrong: with the files that the manifest lists, and what else lies there. */
  async verify(signal: AbortSignal): Promise<ArtifactProblem[]> {
    const artifacts = this.read()
    const problems: ArtifactProblem[] = []
    for (const artifact of artifacts) {
      signal.throwIfAborted()
      const { file } = artifact
      const found = await digest(this.pathOf(artifact)).catch(() => null)
      if (found === null) problems.push({ file, problem: 'missing' })
      else if (found.sha256 !== artifact.sha256) problems.push({ file, problem: 'changed' })
    }
    const listed = new Set([MANIFEST, LOCK, ...artifacts.map(({ file }) => file)])
    const others = this.#files().filter((file) => !listed.has(file) && !file.endsWith(TEMPORARY_SUFFIX))
    return [...problems, ...others.map((file) => ({ file, problem: 'not_listed' as const }))]
  }

  pathOf(artifact: Artifact): string {
    return path.join(this.folder, path.basename(artifact.file)) // a manifest is a file, and may say anything
  }

  /** The path of a new file in the folder of the artifacts, for adopt(). */
  temporaryFile(): string {
    try {
      fs.mkdirSync(this.folder, { mode: 0o700 }) // not recursive: the folder of a removed session must not come back
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST')
        throw fileError(error, `make the folder ${this.folder}`, { folder: this.folder })
    }
    return path.join(this.folder, `.${randomBytes(6).toString('hex')}${TEMPORARY_SUFFIX}`)
  }

  async #update<T>(
    change: (artifacts: Artifact[]) => { artifacts: readonly Artifact[]; result: T },
  ): Promise<T> {
    if (!fs.existsSync(this.folder)) return change([]).result // nothing was ever captured
    return withFileLock(path.join(this.folder, LOCK), () => {
      const before = this.read()
      const { artifacts, result } = change(before)
      if (artifacts !== before) this.#write(artifacts)
      return result
    })
  }

  #write(artifacts: readonly Artifact[]): void {
    if (artifacts.length > ARTIFACTS_MAX) {
      const message = `${this.folder} has ${ARTIFACTS_MAX} artifacts, which is the most a session may have; use another session`
      throw new OpError('usage', message, { folder: this.folder })
    }
    const content = `${JSON.stringify({ version: 1, artifacts }, null, 2)}\n`
    writeFileAtomic(path.join(this.folder, MANIFEST), content)
  }

  #entry(
    { kind, format, seq, fromSeq }: Capture,
    stored: Pick<Artifact, 'id' | 'file' | 'sha256' | 'bytes'>,
  ): Artifact {
    const time = new Date(this.#now()).toISOString()
    const { id, file, sha256, bytes } = stored
    return { id, kind, format, seq, from_seq: fromSeq ?? null, file, sha256, bytes, time, pinned: false }
  }

  #files(): string[] {
    try {
      return fs.readdirSync(this.folder)
    } catch {
      return [] // nothing was ever captured
    }
  }
}

function nextId(artifacts: readonly Artifact[]): number {
  return Math.max(0, ...artifacts.map(({ id }) => id)) + 1
}

function fileName({ kind, format, seq }: Capture, sha256: string): string {
  return `${kind}-${seq}-${sha256.slice(0, SHA_DIGITS_IN_NAME)}.${format}`
}

function notFound(folder: string, id: number | null): OpError {
  const what = id === null ? 'no artifact' : `no artifact ${id}`
  const message = `there is ${what} in ${folder}`
  const list = next({ call: 'artifacts.list', params: {}, does: 'shows what there is' })
  return new OpError('artifact_not_found', message, { folder, id, ...list })
}

/** In pieces: a recording may be larger than memory. */
async function digest(file: string): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of fs.createReadStream(file) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { sha256: hash.digest('hex'), bytes }
}
