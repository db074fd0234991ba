/** Runs in a worker thread: reads pictures of pages, so that the host's own thread does not stand still for them. */
import { parentPort } from 'node:worker_threads'
import { decodeFrame } from './frame-decoding.ts'

export interface DecodeRequest {
  readonly id: number
  readonly png: Uint8Array
  readonly cols: number
  readonly rows: number
}

export type DecodeAnswer = {
  readonly id: number
} & ({ readonly frame: ReturnType<typeof decodeFrame> } | { readonly problem: string })

/** Answers requests until the port closes. Called by the program of the worker. */
export function serveDecoding(): void {
  parentPort?.on('message', ({ id, png, cols, rows }: DecodeRequest) => {
    try {
      const frame = decodeFrame(Buffer.from(png.buffer, png.byteOffset, png.byteLength), cols, rows)
      const arrays =
        frame === null ? [] : [frame.codes, frame.kinds, frame.fg, frame.bg, frame.originX, frame.originY]
      parentPort?.postMessage(
        { id, frame } satisfies DecodeAnswer,
        arrays.map(({ buffer }) => buffer),
      )
    } catch (error) {
      parentPort?.postMessage({ id, problem: String(error) } satisfies DecodeAnswer, [])
    }
  })
}
