/**
 * The channel between a desktop and an app process: frames of a four-byte length (big endian) and that many bytes of
 * UTF-8 JSON, each an array of messages. It is the runtime's own and not Node's IPC: Node acts on some IPC messages
 * itself, and an app's code can write any bytes to the descriptor.
 */

/** The descriptor in the app process. Bubblewrap passes it on. */
export const CHANNEL_FD = 3

/** The data of an app (8 MB of characters, escaped and in UTF-8) with room to spare. */
export const FRAME_BYTES_MAX = 32 << 20

/** Messages that are larger together have a frame each. A body up to this size is parsed as it is. */
const TOGETHER_BYTES_MAX = 1 << 20

/**
 * Values in a larger body: 200,000 items with six fields each, and what a view declares besides. Parsing costs by the
 * value, not by the byte: 32 MB of empty objects would hold the desktop for seconds and take 700 MB.
 */
const VALUES_MAX = 1_600_000

const HEADER_BYTES = 4

// ASCII
const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b

class FrameError extends Error {
  override readonly name = 'FrameError'
}

/** Frames that hold the messages: one, or one for each message when they are too large together. */
export function encodeFrames(messages: readonly unknown[]): Buffer[] {
  const json = JSON.stringify(messages)
  const length = Buffer.byteLength(json)
  if (length > TOGETHER_BYTES_MAX && messages.length > 1)
    return messages.flatMap((message) => encodeFrames([message]))
  if (length > FRAME_BYTES_MAX) throw new FrameError(`a message is larger than ${FRAME_BYTES_MAX} bytes`)
  const frame = Buffer.allocUnsafe(HEADER_BYTES + length)
  frame.writeUInt32BE(length, 0)
  frame.write(json, HEADER_BYTES)
  return [frame]
}

/** Cuts a stream of bytes into messages. Throws a FrameError when the bytes are not frames; it is of no use then. */
export class FrameReader {
  #parts: Buffer[] = []
  #bytes = 0
  /** The whole length of the frame that is being read, once its header is there. */
  #wanted: number | undefined

  push(chunk: Buffer): unknown[] {
    this.#parts.push(chunk)
    this.#bytes += chunk.length
    const messages: unknown[] = []
    for (;;) {
      this.#wanted ??= this.#readHeader()
      if (this.#wanted === undefined || this.#bytes < this.#wanted) return messages
      const buffer = this.#joined()
      for (const message of parseBody(buffer.subarray(HEADER_BYTES, this.#wanted))) messages.push(message)
      const rest = buffer.subarray(this.#wanted)
      this.#parts = rest.length === 0 ? [] : [rest]
      this.#bytes = rest.length
      this.#wanted = undefined
    }
  }

  #readHeader(): number | undefined {
    if (this.#bytes < HEADER_BYTES) return undefined
    const length = this.#joined().readUInt32BE(0)
    if (length > FRAME_BYTES_MAX) throw new FrameError(`a frame of ${length} bytes is too large`)
    return HEADER_BYTES + length
  }

  #joined(): Buffer {
    const [first] = this.#parts
    if (first !== undefined && this.#parts.length === 1) return first
    const joined = Buffer.concat(this.#parts)
    this.#parts = [joined]
    return joined
  }
}

function parseBody(body: Buffer): unknown[] {
  if (body.length > TOGETHER_BYTES_MAX) requireFewValues(body)
  let parsed: unknown
  try {
    parsed = JSON.parse(body.toString('utf8'))
  } catch (error) {
    throw new FrameError('a frame does not hold JSON', { cause: error })
  }
  if (!Array.isArray(parsed)) throw new FrameError('a frame does not hold an array of messages')
  return parsed
}

/** Counts what begins or follows a value, outside of text. */
function requireFewValues(body: Buffer): void {
  let valueCount = 0
  let isText = false
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]
    if (byte === QUOTE) isText = !isText
    else if (isText) {
      if (byte === BACKSLASH) at++
    } else if (byte === COMMA || byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      if (++valueCount > VALUES_MAX) throw new FrameError(`a frame holds more than ${VALUES_MAX} values`)
    }
  }
}
