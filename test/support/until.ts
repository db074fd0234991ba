import { setTimeout as delay } from 'node:timers/promises'

const LOOK_EVERY_MS = 10
const GIVE_UP_MS = 20_000

/**
 * Resolves with the first value that is neither false nor undefined. For what announces nothing to a test, such
 * as the end of a process that is not its child. What a session shows is waited for with `transom wait`.
 */
export async function until<T>(
  what: string,
  look: () => T | false | undefined | Promise<T | false | undefined>,
): Promise<T> {
  const giveUp = AbortSignal.timeout(GIVE_UP_MS)
  for (;;) {
    const seen = await look()
    if (seen !== false && seen !== undefined) return seen
    if (giveUp.aborted) throw new Error(`this did not come true: ${what}`)
    await delay(LOOK_EVERY_MS)
  }
}
