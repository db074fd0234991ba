/**
 * Makes one recording and ends. A process of its own, below the others in priority: drawing and compressing would keep
 * the host's sessions waiting. The host gives it its program on standard input, as that was when the host started.
 */
import { serveRecorder } from '../evidence/recordings/serve-recorder.ts'
import { knownKinds } from './kinds.ts'

/** Put in by the build. */
declare const PLAYER_SCRIPT: string
declare const PLAYER_STYLE: string

serveRecorder({ kinds: knownKinds(), player: { script: PLAYER_SCRIPT, style: PLAYER_STYLE } })
