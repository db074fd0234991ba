import type { WireError } from '@transom/protocol/errors'
import type { RecordingMade } from './make-recording.ts'

/** What the recorder process sends to the host, over Node's channel between the two. */
export type RecorderMessage =
  | { readonly type: 'progress'; readonly done: number }
  | { readonly type: 'made'; readonly made: RecordingMade }
  | { readonly type: 'failed'; readonly error: WireError }
