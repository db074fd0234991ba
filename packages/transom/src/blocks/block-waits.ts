import type { Block, BlockRef, NeedsInput } from '@transom/protocol'
import { OpError, next } from '@transom/protocol/errors'
import { waitUntil } from '../lib/wait-until.ts'
import type { AcceptedBlock } from './block-queue.ts'
import type { BlockProjection } from './block-projection.ts'
import type { ShellBlocks } from './shell-blocks.ts'

/** The blocks of a session: those that have begun, and those that its shells have been asked for. */
export interface BlockHistory {
  readonly projection: BlockProjection
  readonly shells: ShellBlocks | null
}

/** A session, as far as its blocks are waited for. */
export interface BlockSubject extends BlockHistory {
  subscribe(observer: () => void): () => void
}

export interface BlockWaitOptions {
  readonly timeoutMs?: number | undefined
  /** Whether the program in front waits for input, or in how many milliseconds it is worth asking. Not asked if left out. */
  readonly needsInput?: (() => NeedsInput | number) | undefined
  /** Whether another caller has taken the session over since. */
  readonly takenOver?: () => boolean
  readonly signal: AbortSignal
}

/** The outcome of a wait for the end of a block. A block that has not ended runs on, and its end is recorded. */
export type BlockOutcome =
  | { readonly is: 'ended'; readonly block: Block }
  | { readonly is: 'needs_input'; readonly needsInput: NeedsInput }
  | { readonly is: 'running' }
  /** Another caller has taken the session over. */
  | { readonly is: 'taken_over' }

/** Resolves when a block has ended, when it waits for input if that is asked for, or after `timeoutMs`. */
export async function waitForBlockEnd(
  subject: BlockSubject,
  { id, ordinal }: { id: string; ordinal: number },
  { timeoutMs, needsInput, takenOver, signal }: BlockWaitOptions,
): Promise<BlockOutcome> {
  return waitUntil<BlockOutcome>({
    subscribe: (observer) => subject.subscribe(observer),
    judge: () => {
      assertTaken(subject.shells, id)
      const block = subject.projection.get(ordinal)
      if (block !== null && block.state !== 'running') return { done: { is: 'ended', block } }
      if (takenOver?.() === true) return { done: { is: 'taken_over' } }
      // Before it has begun, it is another program that waits, or the shell itself.
      if (block === null || needsInput === undefined) return { dueMs: null }
      const found = needsInput()
      if (typeof found === 'number') return { dueMs: found }
      return found.verdict === 'needs_input'
        ? { done: { is: 'needs_input', needsInput: found } }
        : { dueMs: null }
    },
    timeoutMs,
    onTimeout: () => ({ is: 'running' }),
    signal,
  })
}

/** Resolves when the shell has begun a block; rejects with `block_not_started` if it has not within `timeoutMs`. */
export async function waitForBlockBegin(
  subject: BlockSubject,
  { id, ordinal, command }: AcceptedBlock,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  await waitUntil<void>({
    subscribe: (observer) => subject.subscribe(observer),
    judge: () => {
      assertTaken(subject.shells, id)
      return subject.projection.get(ordinal) === null ? { dueMs: null } : { done: undefined }
    },
    timeoutMs,
    onTimeout: () => {
      const message = `the shell has not begun ${JSON.stringify(command)} within ${timeoutMs} ms; it does when it shows its next prompt`
      const look = next({ call: 'session.snapshot', params: {}, does: 'shows what it is doing' })
      throw new OpError('block_not_started', message, { block_id: id, ...look })
    },
    signal,
  })
}

/** A block if it has ended, null while it has not; throws for one that there is not. */
export function endedBlock({ projection, shells }: BlockHistory, wanted: BlockRef): Block | null {
  const ordinal = wanted === 'last' ? (shells?.lastOrdinal ?? projection.latest?.seq ?? 0) : wanted
  const block = projection.get(ordinal)
  if (block !== null) return block.state === 'running' ? null : block
  const id = shells?.blockId(ordinal) ?? ''
  assertTaken(shells, id)
  if (shells?.isWaiting(id) === true) return null
  const message = `there is no block ${ordinal === 0 ? 'yet' : ordinal}`
  const steps = next(
    { call: 'session.run', params: {}, does: 'makes one' },
    { call: 'pty.blocks', params: {}, does: 'lists those that there are' },
  )
  throw new OpError('block_not_found', message, { block: wanted, ...steps })
}

function assertTaken(shells: ShellBlocks | null, id: string): void {
  const failed = shells?.whyFailed(id) ?? null
  if (failed === null) return
  throw new OpError('block_not_started', `the command was not run: ${failed}`, { block_id: id })
}
