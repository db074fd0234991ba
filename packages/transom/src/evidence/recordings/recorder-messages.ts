import type { WireError } from '@transom/protocol/errors'
import type { RecordingMade } from './make-recording.ts'

/** What the recorder process tells the host, over the channel that Node gives the two. */
export type RecorderMessage =
  | { readonly type: 'progress'; readonly done: number }
  | { readonly type: 'made'; readonly made: RecordingMade }
  | { readonly type: 'failed'; readonly error: WireError }
