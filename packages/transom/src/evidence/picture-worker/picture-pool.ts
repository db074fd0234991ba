import * as fs from 'node:fs'
import * as path from 'node:path'
import { Worker } from 'node:worker_threads'
import { OpError } from '@transom/protocol/errors'
import { messageOf } from '../../lib/system-error.ts'
import type { AnswerMessage, DrawnPicture, JobMessage, PictureJob, WorkerStart } from './picture-job.ts'

const WORKER_SCRIPT = 'picture-worker.cjs'
const GLYPH_FILES = ['glyphs-1.bin', 'glyphs-2.bin', 'glyphs-3.bin']
/** The thread takes some megabytes: it ends after this long without a request. */
const IDLE_MS = 20_000
/** Two seconds of drawing. Past this a caller gets an error instead of a growing queue. */
const JOBS_MAX = 200

interface Waiting {
  readonly resolve: (drawn: DrawnPicture) => void
  readonly reject: (error: unknown) => void
}

/**
 * Draws pictures on a thread of its own, one after another. The files that it will need are opened when the host
 * starts and read when the first picture is wanted: an upgrade may replace them meanwhile, and a host
 * that draws no picture does not pay for them.
 */
export class PicturePool {
  readonly #program: string
  readonly #files: { readonly script: number; readonly glyphs: readonly number[] } | null
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | null = null
  #lastId = 0
  #idleTimer: NodeJS.Timeout | undefined

  /** `program` is the host's own file: the others lie beside it. */
  constructor(program: string) {
    this.#program = program
    const folder = path.dirname(program)
    try {
      const open = (name: string) => fs.openSync(path.join(folder, name), 'r')
      this.#files = { script: open(WORKER_SCRIPT), glyphs: GLYPH_FILES.map(open) }
    } catch {
      this.#files = null // a caller that wants a picture gets the error; everything else works without
    }
  }

  async draw(job: PictureJob, signal: AbortSignal): Promise<DrawnPicture> {
    signal.throwIfAborted()
    if (this.#waiting.size >= JOBS_MAX) {
      const message = `${JOBS_MAX} pictures are waiting to be drawn; ask again when some are done`
      throw new OpError('too_many_requests', message, { waiting: JOBS_MAX })
    }
    const worker = this.#start()
    const id = ++this.#lastId
    const abandon = () => this.#abandon(id, signal)
    signal.addEventListener('abort', abandon, { once: true })
    try {
      return await new Promise<DrawnPicture>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject })
        const { codes, styleIds } = job.view // made for this job: handed over, not copied
        worker.postMessage({ id, job } satisfies JobMessage, [codes.buffer, styleIds.buffer])
      })
    } finally {
      signal.removeEventListener('abort', abandon)
    }
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    clearTimeout(this.#idleTimer)
    const worker = this.#worker
    this.#worker = null
    await worker?.terminate()
  }

  /** A drawing cannot be stopped half-way: the thread ends if no other caller waits for it. */
  #abandon(id: number, signal: AbortSignal): void {
    this.#waiting.get(id)?.reject(signal.reason)
    this.#waiting.delete(id)
    if (this.#waiting.size === 0) void this.close()
  }

  #start(): Worker {
    clearTimeout(this.#idleTimer)
    this.#worker ??= this.#startWorker()
    return this.#worker
  }

  #startWorker(): Worker {
    if (this.#files === null) {
      const message = `the files that pictures are drawn with are not beside ${this.#program}; install transom again`
      throw new OpError('internal', message, { program: this.#program })
    }
    const { script, glyphs } = this.#files
    const workerData: WorkerStart = { glyphFiles: glyphs, program: this.#program }
    const worker = new Worker(readText(script), { eval: true, workerData, name: 'transom pictures' })
    worker.on('message', (message: AnswerMessage) => this.#settle(message))
    worker.on('error', (error) => this.#fail(worker, error))
    worker.on('exit', (code) => this.#fail(worker, new Error(`the thread ended with ${code}`)))
    return worker
  }

  #settle(message: AnswerMessage): void {
    const waiting = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    if ('drawn' in message) waiting?.resolve(message.drawn)
    else {
      const { code, message: text, details } = message.error
      waiting?.reject(new OpError(code, text, details))
    }
    if (this.#waiting.size > 0) return
    this.#idleTimer = setTimeout(() => void this.close(), IDLE_MS)
    this.#idleTimer.unref()
  }

  #fail(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return
    this.#worker = null
    for (const { reject } of this.#waiting.values())
      reject(new OpError('internal', `drawing the picture failed: ${messageOf(error)}; please report it`))
    this.#waiting.clear()
  }
}

function readText(fd: number): string {
  const bytes = Buffer.alloc(fs.fstatSync(fd).size)
  const read = fs.readSync(fd, bytes, 0, bytes.length, 0)
  return bytes.toString('utf8', 0, read)
}
