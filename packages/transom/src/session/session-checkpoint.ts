import type { ExitRecord } from '@transom/protocol'

/** Names the checkpoints of what a session shows. */
export const SESSION_CHECKPOINTS = 'screen'

/** What is known of a session at a checkpoint beside its projection. */
export interface CheckpointHead {
  readonly seq: number
  readonly exit: ExitRecord | null
  readonly last_output_seq: number
}

const LINE_BREAK = 0x0a

/** A line of JSON, then the projection's own bytes. */
export function encodeCheckpoint(head: CheckpointHead, projection: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), projection])
}

/** The store has checked that not a bit has changed since encodeCheckpoint(). */
export function decodeCheckpoint(bytes: Uint8Array): { head: CheckpointHead; projection: Uint8Array } {
  const end = bytes.indexOf(LINE_BREAK)
  const head = JSON.parse(Buffer.from(bytes.subarray(0, end)).toString()) as CheckpointHead
  return { head, projection: bytes.subarray(end + 1) }
}
