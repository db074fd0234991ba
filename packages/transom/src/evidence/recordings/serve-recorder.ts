import * as os from 'node:os'
import { OpError, toWireError } from '@transom/protocol/errors'
import type { KindViews } from '../../session/kind-registry.ts'
import type { PlayerAssets } from './html-recorder.ts'
import { makeRecording, type RecordingRequest } from './make-recording.ts'
import type { RecorderMessage } from './recorder-messages.ts'

const PROGRESS_EVERY_MS = 100 // more than the eye follows

export interface RecorderOptions {
  readonly kinds: KindViews
  readonly player: PlayerAssets
}

/**
 * Makes the one recording that the parent process asks for, and ends. If the parent ends or cancels, the
 * recorder ends, too: after the picture that it draws, or by the parent's keeper.
 */
export function serveRecorder(options: RecorderOptions): void {
  const cancelled = new AbortController()
  const cancel = () => cancelled.abort(new OpError('cancelled', 'the recording was cancelled'))
  process.on('SIGTERM', cancel)
  process.on('disconnect', cancel) // the host has ended
  os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL)
  process.once('message', (request: RecordingRequest) => {
    void serve(request, options, cancelled.signal).then((message) => {
      process.send?.(message, undefined, undefined, () => process.disconnect())
    })
  })
}

async function serve(
  request: RecordingRequest,
  options: RecorderOptions,
  signal: AbortSignal,
): Promise<RecorderMessage> {
  let lastMs = 0
  const onProgress = (done: number) => {
    if (performance.now() - lastMs < PROGRESS_EVERY_MS) return
    lastMs = performance.now()
    process.send?.({ type: 'progress', done } satisfies RecorderMessage)
  }
  try {
    return { type: 'made', made: await makeRecording(request, { ...options, signal, onProgress }) }
  } catch (error) {
    return { type: 'failed', error: toWireError(error) }
  }
}
