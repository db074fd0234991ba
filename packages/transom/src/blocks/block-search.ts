import type { Block } from '@transom/protocol'
import { readOutput, type OutputStream } from './output-stream.ts'

/** Read at a time, while a block's output is looked through. */
const SEARCH_BYTES = 1 << 20

export interface BlockMatch {
  readonly in: 'command' | 'output'
  readonly cursor: number | null
}

/** Where a text occurs first in a block's command or output; null if it does not. */
export async function findInBlock(
  block: Block,
  text: string,
  stream: OutputStream,
  signal: AbortSignal,
): Promise<BlockMatch | null> {
  if (block.command?.includes(text)) return { in: 'command', cursor: null }
  const wanted = Buffer.from(text)
  const end = block.cursor_end ?? block.cursor_begin + block.output_bytes
  for (let from = block.cursor_begin; from < end; from += SEARCH_BYTES) {
    signal.throwIfAborted()
    // What spans two pieces is found in the first.
    const piece = await readOutput(stream, from, Math.min(end, from + SEARCH_BYTES + wanted.length - 1))
    const at = piece.indexOf(wanted)
    if (at >= 0) return { in: 'output', cursor: from + at }
  }
  return null
}
