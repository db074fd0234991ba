import { Transform, type TransformCallback } from 'node:stream'
import { LineSplitter } from '@transom/client'
import { OpError } from '@transom/protocol/errors'
import { REQUEST_BYTES_MAX, REQUEST_LIMITS, checkJson } from '@transom/protocol/jsonrpc'

const LINE_BREAK = Buffer.from('\n')

/** Messages, one a line, as far as they may be parsed: each is counted first, as over HTTP. The others are refused. */
export class CountedInput extends Transform {
  readonly #splitter: LineSplitter

  constructor(refuse: (error: OpError) => void) {
    super()
    this.#splitter = new LineSplitter(
      REQUEST_BYTES_MAX,
      (line) => {
        try {
          checkJson(Buffer.from(line.buffer, line.byteOffset, line.length).toString(), REQUEST_LIMITS)
        } catch (error) {
          refuse(error as OpError) // checkJson() throws nothing else
          return
        }
        this.push(line)
        this.push(LINE_BREAK)
      },
      () => {
        const message = `this message has more than ${REQUEST_BYTES_MAX} bytes; split it`
        refuse(new OpError('frame_too_large', message, { bytes_max: REQUEST_BYTES_MAX }))
      },
    )
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#splitter.push(chunk)
    done()
  }
}
