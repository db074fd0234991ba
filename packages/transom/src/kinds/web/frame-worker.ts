/**
 * Runs in a worker thread: reads pictures of pages and makes the cell font, so that the host's own thread does not
 * stand still for them.
 */
import { parentPort } from 'node:worker_threads'
import { messageOf } from '../../lib/system-error.ts'
import { cellFontconfigFile } from './font-cache.ts'
import { decodeFrame } from './frame-decoding.ts'

export interface DecodeRequest {
  readonly id: number
  readonly png: Uint8Array
  readonly cols: number
  readonly rows: number
}

/** Asks for the fontconfig file with the cell fonts; they are made in the cache that this environment names. */
export interface FontRequest {
  readonly id: number
  readonly env: Readonly<Record<string, string | undefined>>
}

export type WorkerAnswer = { readonly id: number } & (
  | { readonly frame: ReturnType<typeof decodeFrame> }
  | { readonly fontconfigFile: string }
  | { readonly problem: string }
)

/** Answers requests until the port closes. Called by the program of the worker. */
export function serveDecoding(): void {
  parentPort?.on('message', (request: DecodeRequest | FontRequest) => {
    try {
      if ('env' in request) say({ id: request.id, fontconfigFile: cellFontconfigFile(request.env) })
      else decode(request)
    } catch (error) {
      say({ id: request.id, problem: messageOf(error) })
    }
  })
}

function decode({ id, png, cols, rows }: DecodeRequest): void {
  const frame = decodeFrame(Buffer.from(png.buffer, png.byteOffset, png.byteLength), cols, rows)
  const arrays =
    frame === null ? [] : [frame.codes, frame.kinds, frame.fg, frame.bg, frame.originX, frame.originY]
  say(
    { id, frame },
    arrays.map(({ buffer }) => buffer),
  )
}

function say(answer: WorkerAnswer, transfer: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(answer, [...transfer])
}
