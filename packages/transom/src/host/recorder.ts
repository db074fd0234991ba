import { spawn } from 'node:child_process'
import { OpError } from '@transom/protocol/errors'
import type { RecordingMade, RecordingRequest } from '../recordings/make-recording.ts'
import type { RecorderMessage } from '../recordings/recorder-messages.ts'
import type { ChildReaper } from '../platform/child-reaper.ts'

const AT_ONCE_MAX = 2 // each takes a core and 100 MB; the others wait for their turn
const STDERR_CHARS_MAX = 4000

/** Has recordings made by processes of their own. */
export class Recorder {
  readonly #program: string
  readonly #reaper: ChildReaper
  readonly #waiting: (() => void)[] = []
  #running = 0

  /** `program` is the text of main/recorder.ts, as it was when the host started: its file may be replaced meanwhile. */
  constructor(program: string, reaper: ChildReaper) {
    this.#program = program
    this.#reaper = reaper
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
    const child = spawn(process.execPath, ['-'], { stdio: ['pipe', 'ignore', 'pipe', 'ipc'] })
    const { pid } = child
    if (pid !== undefined) this.#reaper.leave(pid)
    const cancel = () => child.kill('SIGTERM') // it takes back what it has begun, and ends
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
