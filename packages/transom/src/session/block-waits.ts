import type { Block } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import type { TerminalSession } from './terminal-session.ts'

/**
 * Resolves with a block when it has ended, or with null when it has not within `timeoutMs`. It runs on then, and its
 * end is recorded all the same. Reacts to the session's events; nothing is polled.
 */
export async function waitForBlockEnd(
  session: TerminalSession,
  { id, ordinal }: { id: string; ordinal: number },
  { timeoutMs, signal }: { timeoutMs?: number | undefined; signal: AbortSignal },
): Promise<Block | null> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const stop = () => {
      stopObserving()
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
    const onAbort = () => {
      stop()
      reject(signal.reason as Error)
    }
    const look = () => {
      const block = session.blocks.get(ordinal)
      const failed = session.shell?.queue.whyFailed(id) ?? null
      if (failed !== null) {
        stop()
        reject(new OpError('block_not_started', `the command was not run: ${failed}`, { block_id: id }))
      } else if (block !== null && block.state !== 'running') {
        stop()
        resolve(block)
      }
    }
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => (stop(), resolve(null)), timeoutMs)
    const stopObserving = session.observe(look)
    signal.addEventListener('abort', onAbort)
    look()
  })
}
