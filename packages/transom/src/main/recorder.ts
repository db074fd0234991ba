/**
 * Makes one recording and ends. A process of its own, below the others in priority: drawing and compressing would keep
 * the host's sessions waiting. The host gives it its program on standard input, as that was when the host started.
 */
import * as os from 'node:os'
import { OpError, toWireError } from '@transom/protocol/errors'
import { makeRecording, type RecordingRequest } from '../recordings/make-recording.ts'
import type { RecorderMessage } from '../recordings/recorder-messages.ts'

/** Put in by the build. */
declare const PLAYER_SCRIPT: string
declare const PLAYER_STYLE: string

const PROGRESS_EVERY_MS = 100 // more than the eye follows

const cancelled = new AbortController()
const cancel = () => cancelled.abort(new OpError('cancelled', 'the recording was cancelled'))
process.on('SIGTERM', cancel)
process.on('disconnect', cancel) // the host is gone
os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL)

process.once('message', (request: RecordingRequest) => {
  void serve(request).then((message) => {
    process.send?.(message, undefined, undefined, () => process.disconnect())
  })
})

async function serve(request: RecordingRequest): Promise<RecorderMessage> {
  let lastMs = 0
  const onProgress = (done: number) => {
    if (performance.now() - lastMs < PROGRESS_EVERY_MS) return
    lastMs = performance.now()
    process.send?.({ type: 'progress', done } satisfies RecorderMessage)
  }
  const player = { script: PLAYER_SCRIPT, style: PLAYER_STYLE }
  try {
    return {
      type: 'made',
      made: await makeRecording(request, { player, signal: cancelled.signal, onProgress }),
    }
  } catch (error) {
    return { type: 'failed', error: toWireError(error) }
  }
}
