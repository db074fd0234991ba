import type { Block } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { waitUntil } from '../lib/wait-until.ts'
import type { BlockProjection } from './block-projection.ts'
import type { ShellBlocks } from './shell-blocks.ts'

/** A session, as far as its blocks are waited for. */
export interface BlockSubject {
  readonly projection: BlockProjection
  readonly shells: ShellBlocks | null
  subscribe(observer: () => void): () => void
}

export interface BlockWaitOptions {
  readonly timeoutMs?: number | undefined
  readonly signal: AbortSignal
}

/**
 * Resolves with a block when it has ended, or with null if it has not within `timeoutMs`. It runs on then, and its
 * end is recorded all the same.
 */
export async function waitForBlockEnd(
  subject: BlockSubject,
  { id, ordinal }: { id: string; ordinal: number },
  { timeoutMs, signal }: BlockWaitOptions,
): Promise<Block | null> {
  return waitUntil<Block | null>({
    subscribe: (observer) => subject.subscribe(observer),
    judge: () => {
      const failed = subject.shells?.whyFailed(id) ?? null
      if (failed !== null)
        throw new OpError('block_not_started', `the command was not run: ${failed}`, { block_id: id })
      const block = subject.projection.get(ordinal)
      return block === null || block.state === 'running' ? { dueMs: null } : { done: block }
    },
    timeoutMs,
    onTimeout: () => null,
    signal,
  })
}
