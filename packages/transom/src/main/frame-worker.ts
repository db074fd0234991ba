/** The thread that reads pictures of web pages (`sources/web/frame-decoder.ts` starts it). */
import { serveDecoding } from '../kinds/web/frame-worker.ts'

serveDecoding()
