import { Worker } from 'node:worker_threads'
import { OpError } from '@transom/protocol/errors'
import type { DecodedFrame } from './frame-decoding.ts'
import type { DecodeRequest, FontRequest, WorkerAnswer } from './frame-worker.ts'

interface Pending {
  readonly resolve: (answer: Exclude<WorkerAnswer, { problem: string }>) => void
  readonly reject: (reason: Error) => void
}

/**
 * Reads pictures of pages in a thread of its own, in order. One serves every page of a process: a page has at most
 * one picture on the way.
 */
export class FrameDecoder {
  readonly #source: string
  readonly #pending = new Map<number, Pending>()
  #worker: Worker | null = null
  #lastId = 0

  /** @param source The worker's program, as CommonJS text: its file may have been replaced since this process started. */
  constructor(source: string) {
    this.#source = source
  }

  /** The frame, or null if the picture is not of this size. */
  async decode(png: Uint8Array<ArrayBuffer>, cols: number, rows: number): Promise<DecodedFrame | null> {
    const request: DecodeRequest = { id: ++this.#lastId, png, cols, rows }
    const answer = await this.#ask(request, png.byteOffset === 0 ? [png.buffer] : [])
    return 'frame' in answer ? answer.frame : null
  }

  /** The fontconfig file that makes Chromium know the cell fonts; the first time on a machine they are made for it. */
  async fontconfigFile(env: NodeJS.ProcessEnv): Promise<string> {
    const answer = await this.#ask({ id: ++this.#lastId, env: { ...env } }, [])
    return 'fontconfigFile' in answer ? answer.fontconfigFile : ''
  }

  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = null
    this.#fail('the process is ending')
    await worker?.terminate()
  }

  async #ask(request: DecodeRequest | FontRequest, transfer: readonly ArrayBuffer[]) {
    this.#worker ??= this.#start()
    const worker = this.#worker
    return new Promise<Exclude<WorkerAnswer, { problem: string }>>((resolve, reject) => {
      this.#pending.set(request.id, { resolve, reject })
      worker.postMessage(request, [...transfer])
    })
  }

  #start(): Worker {
    const worker = new Worker(this.#source, { eval: true })
    worker.unref() // pages keep the process alive, not their reader
    worker.on('message', (answer: WorkerAnswer) => {
      const pending = this.#pending.get(answer.id)
      this.#pending.delete(answer.id)
      if (!('problem' in answer)) pending?.resolve(answer)
      else pending?.reject(new OpError('internal', `the thread that reads pages failed: ${answer.problem}`))
    })
    worker.on('error', (error) => {
      if (this.#worker === worker) this.#worker = null // the next picture starts another
      this.#fail(error instanceof Error ? error.message : String(error))
    })
    return worker
  }

  #fail(why: string): void {
    for (const { reject } of this.#pending.values()) {
      reject(new OpError('internal', `the thread that reads pictures has ended: ${why}`))
    }
    this.#pending.clear()
  }
}
