import { spawn } from 'node:child_process'
import * as fs from 'node:fs/promises'
import { OpError } from '@transom/protocol/errors'
import type { RecordingMade, RecordingRequest } from '../evidence/recordings/make-recording.ts'
import type { RecorderMessage } from '../evidence/recordings/recorder-messages.ts'
import { temporaryBeside } from '../lib/placed-file.ts'
import { platform } from '../platform/current-platform.ts'
import type { Command } from '../platform/platform.ts'
import type { ChildReaper } from '../platform/child-reaper.ts'

const AT_ONCE_MAX = 2 // each takes a core and 100 MB; the others wait for their turn
const STDERR_CHARS_MAX = 4000
/** A recorder sees after each picture that it was cancelled; one that does not end by then is killed. */
const CANCEL_GRACE_MS = 1000

export interface RecorderServices {
  readonly reaper: ChildReaper
  /** By it the host's keeper finds the processes, so that none outlives a host that is killed. */
  readonly mark: bigint
  /** Has a file removed if the host is killed. */
  readonly removeLater: (file: string) => void
}

/** Has recordings made by processes of their own, which end with the request or the host that wanted them. */
export class Recorder {
  readonly #program: string
  readonly #services: RecorderServices
  readonly #closing = new AbortController()
  readonly #recordings = new Set<Promise<unknown>>()
  readonly #waiting = new Set<() => void>()
  #running = 0

  /** `program` is the text of main/recorder.ts, as it was when the host started: its file may be replaced meanwhile. */
  constructor(program: string, services: RecorderServices) {
    this.#program = program
    this.#services = services
  }

  async record(
    recording: Omit<RecordingRequest, 'temporary'>,
    { signal, onProgress }: { signal: AbortSignal; onProgress: (done: number) => void },
  ): Promise<RecordingMade> {
    const request = { ...recording, temporary: temporaryBeside(recording.out) }
    const made = this.#record(request, AbortSignal.any([signal, this.#closing.signal]), onProgress)
    this.#recordings.add(made)
    try {
      return await made
    } finally {
      this.#recordings.delete(made)
    }
  }

  /** Cancels what is under way; resolves when every process has ended and nothing unfinished is left. */
  async close(): Promise<void> {
    this.#closing.abort(new OpError('host_stopping', 'the host is leaving; ask again for the recording'))
    await Promise.allSettled(this.#recordings)
  }

  async #record(
    request: RecordingRequest,
    signal: AbortSignal,
    onProgress: (done: number) => void,
  ): Promise<RecordingMade> {
    await this.#turn(signal)
    try {
      this.#services.removeLater(request.temporary)
      return await this.#run(request, signal, onProgress)
    } finally {
      // A recorder that had to be killed, or died, has left it.
      await fs.rm(request.temporary, { force: true })
      this.#running--
      for (const wake of [...this.#waiting].slice(0, 1)) wake()
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    while (this.#running >= AT_ONCE_MAX) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiting.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        this.#waiting.add(wake)
        signal.addEventListener('abort', wake)
      })
      signal.throwIfAborted()
    }
    this.#running++
  }

  async #run(
    request: RecordingRequest,
    signal: AbortSignal,
    onProgress: (done: number) => void,
  ): Promise<RecordingMade> {
    const { mark, reaper } = this.#services
    const node: Command = { program: process.execPath, argv: ['-'], env: process.env }
    const child = platform().withProcessMark(mark, node, ({ program, argv, env }) =>
      spawn(program, argv, { env, stdio: ['pipe', 'ignore', 'pipe', 'ipc'] }),
    )
    const { pid } = child
    if (pid !== undefined) reaper.leave(pid)
    let killTimer: NodeJS.Timeout | undefined
    const cancel = () => {
      child.kill('SIGTERM') // it removes its unfinished files and ends
      killTimer = setTimeout(() => child.kill('SIGKILL'), CANCEL_GRACE_MS)
    }
    signal.addEventListener('abort', cancel, { once: true })
    let outcome: Extract<RecorderMessage, { type: 'made' | 'failed' }> | null = null
    let stderr = ''
    child.stderr?.on('data', (chunk) => (stderr = (stderr + String(chunk)).slice(-STDERR_CHARS_MAX)))
    child.on('message', (message: RecorderMessage) => {
      if (message.type === 'progress') onProgress(message.done)
      else outcome = message
    })
    child.stdin?.on('error', () => {}) // its exit reports the failure
    child.stdin?.end(this.#program)
    child.send(request, () => {}) // as above
    await new Promise<void>((resolve) => {
      child.on('error', (error) => {
        stderr += error.message
        resolve()
      })
      child.on('close', () => resolve())
    })
    clearTimeout(killTimer)
    signal.removeEventListener('abort', cancel)
    if (pid !== undefined) reaper.forget(pid)
    signal.throwIfAborted()
    return madeOf(outcome, stderr)
  }
}

function madeOf(
  outcome: Extract<RecorderMessage, { type: 'made' | 'failed' }> | null,
  stderr: string,
): RecordingMade {
  if (outcome === null)
    throw new OpError(
      'internal',
      `the recorder ended without an answer: ${stderr.trim() || 'without a word'}`,
    )
  if (outcome.type === 'made') return outcome.made
  throw new OpError(outcome.error.code, outcome.error.message, outcome.error.details)
}
