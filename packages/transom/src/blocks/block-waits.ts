import type { Block } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import type { TerminalSession } from '../session/terminal-session.ts'

interface WaitOptions {
  readonly timeoutMs?: number | undefined
  readonly signal: AbortSignal
}

/**
 * Resolves with a block when it has ended, or with null when it has not within `timeoutMs`. It runs on then, and its
 * end is recorded all the same.
 */
export async function waitForBlockEnd(
  session: TerminalSession,
  { id, ordinal }: { id: string; ordinal: number },
  options: WaitOptions,
): Promise<Block | null> {
  const look = () => {
    const failed = session.shells?.whyFailed(id) ?? null
    if (failed !== null)
      throw new OpError('block_not_started', `the command was not run: ${failed}`, { block_id: id })
    const block = session.blocks.get(ordinal)
    return block === null || block.state === 'running' ? null : block
  }
  return waitUntil(session, look, options)
}

/**
 * Resolves with what `look` finds, or with null when that is nothing within `timeoutMs`. Reacts to the session's
 * events; nothing is polled.
 */
export async function waitUntil<T>(
  session: TerminalSession,
  look: () => T | null,
  { timeoutMs, signal }: WaitOptions,
): Promise<T | null> {
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
    const again = () => {
      try {
        const found = look()
        if (found === null) return
        stop()
        resolve(found)
      } catch (error) {
        stop()
        reject(error)
      }
    }
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => (stop(), resolve(null)), timeoutMs)
    const stopObserving = session.observe(again)
    signal.addEventListener('abort', onAbort)
    again()
  })
}
