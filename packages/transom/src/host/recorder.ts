import { spawn } from 'node:child_process'
import { OpError } from '@transom/protocol/errors'
import type { RecordingMade, RecordingRequest } from '../evidence/recordings/make-recording.ts'
import type { RecorderMessage } from '../evidence/recordings/recorder-messages.ts'
import { withProcessMark } from '../lib/native.ts'
import type { ChildReaper } from '../platform/child-reaper.ts'

const AT_ONCE_MAX = 2 // each takes a core and 100 MB; the others wait for their turn
const STDERR_CHARS_MAX = 4000
/** A recorder that is busy drawing does not see that it was cancelled. */
const CANCEL_GRACE_MS = 1000

/** Has recordings made by processes of their own. */
export class Recorder {
  readonly #program: string
  readonly #reaper: ChildReaper
  readonly #mark: bigint
  readonly #waiting: (() => void)[] = []
  #running = 0

  /**
   * `program` is the text of main/recorder.ts, as it was when the host started: its file may be replaced meanwhile. By
   * `mark` the host's keeper finds the processes, so that none outlives the host.
   */
  constructor(program: string, { reaper, mark }: { reaper: ChildReaper; mark: bigint }) {
    this.#program = program
    this.#reaper = reaper
    this.#mark = mark
  }

  async record(
    request: RecordingRequest,
    { signal, onProgress }: { signal: AbortSignal; onProgress: (done: number) => void },
  ): Promise<RecordingMade> {
    await this.#turn(signal)
    try {
      signal.throwIfAborted()
      return await this.#run(request, signal, onProgress)
    } finally {
      this.#running--
      this.#waiting.shift()?.()
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    if (this.#running >= AT_ONCE_MAX) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve)
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
    }
    this.#running++
  }

  async #run(
    request: RecordingRequest,
    signal: AbortSignal,
    onProgress: (done: number) => void,
  ): Promise<RecordingMade> {
    const child = withProcessMark(this.#mark, () =>
      spawn(process.execPath, ['-'], { stdio: ['pipe', 'ignore', 'pipe', 'ipc'] }),
    )
    const { pid } = child
    if (pid !== undefined) this.#reaper.leave(pid)
    let killTimer: NodeJS.Timeout | undefined
    const cancel = () => {
      child.kill('SIGTERM') // it takes back what it has begun, and ends
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
    child.stdin?.on('error', () => {}) // its end tells
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
    if (pid !== undefined) this.#reaper.forget(pid)
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
