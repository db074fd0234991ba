import { OpError } from '@transom/protocol/errors'
import type { LogTail } from '../log/log-tail.ts'
import { OutputReader, type OutputPiece } from '../log/output-reader.ts'
import type { EventStore } from '../log/event-store.ts'
import type { SegmentChain } from '../log/segment-chain.ts'
import type { StoredEvents } from '../log/stored-events.ts'

/** After so much the other sessions get their turn: about a quarter of a millisecond of searching. */
const TURN_BYTES = 1 << 20
/** The limit of one read: it is one answer on the wire. */
export const READ_BYTES_MAX = 8 << 20

/**
 * The output stream of a session: what its program printed, byte for byte, from the start of the session on. A
 * cursor is an offset into it. Live or ended, it is read from the Event Log, in memory of a fixed size.
 */
export interface OutputStream {
  readonly chain: SegmentChain
  /** The end of it in memory, while it is being written. */
  readonly tail?: LogTail
  /** How far the log reaches now, as the offsets of its chain count. */
  endOffset(): number
  /** Nothing will be added any more. */
  ended(): boolean
  /** Calls `observer` whenever something was recorded, until the returned function is called. */
  subscribe(observer: () => void): () => void
}

/** A session that runs. */
export interface LiveOutput {
  readonly log: EventStore
  readonly ended: boolean
  subscribe(observer: () => void): () => void
}

export function liveOutput(session: LiveOutput): OutputStream {
  const { log } = session
  return {
    chain: log.chain,
    tail: log.tail,
    endOffset: () => log.endOffset,
    ended: () => session.ended,
    subscribe: (observer) => session.subscribe(observer),
  }
}

/** The output stream of a session that has ended, or whose host has. */
export async function endedOutput(events: StoredEvents): Promise<OutputStream> {
  const { chain } = await events.extent()
  return { chain, endOffset: () => chain.endOffset, ended: () => true, subscribe: () => () => {} }
}

/** The bytes between two cursors, each record's checksum verified. */
export async function readOutput(stream: OutputStream, from: number, to: number): Promise<Buffer> {
  assertCursor(stream, from)
  const end = Math.min(to, stream.chain.cursor)
  if (end - from > READ_BYTES_MAX) {
    const message = `${end - from} bytes are too much to read at once; read ${READ_BYTES_MAX} and go on from there`
    throw new OpError('usage', message, { from, to, max: READ_BYTES_MAX })
  }
  const parts: Buffer[] = []
  const reader = new OutputReader(stream.chain, {
    from: stream.chain.before(from),
    verify: true,
    tail: stream.tail,
  })
  try {
    for await (const { cursor, bytes } of piecesOf(reader, () => stream.endOffset())) {
      if (cursor >= end) break
      const part = bytes.subarray(Math.max(0, from - cursor), Math.max(0, end - cursor))
      if (part.length > 0) parts.push(Buffer.from(part))
    }
  } finally {
    reader.close()
  }
  return Buffer.concat(parts)
}

/** What there is to read, up to where `endOffset` says at the time, with turns for others in between. */
export async function* piecesOf(reader: OutputReader, endOffset: () => number): AsyncGenerator<OutputPiece> {
  let turnBytes = 0
  for (;;) {
    const piece = reader.next(endOffset())
    if (piece === null) return
    yield piece
    turnBytes += piece.bytes.length
    if (turnBytes < TURN_BYTES) continue
    turnBytes = 0
    await new Promise(setImmediate)
  }
}

/** A cursor beyond the end was never given to anyone: it belongs to another session, or is a mistake. */
export function assertCursor(stream: OutputStream, cursor: number): void {
  const end = stream.chain.cursor
  if (cursor <= end) return
  throw new OpError(
    'usage',
    `cursor ${cursor} is past the end of the output (${end} bytes); take one from an answer about this session`,
    {
      cursor,
      end,
    },
  )
}
