// @ts-check
/** How long a key takes to be seen: what rows measure beside something else. */
import { timeMs } from './measure.mjs'

/**
 * @typedef {import('./bench-home.mjs').BenchHome} BenchHome
 * @typedef {import('./bench-home.mjs').Client} Client
 */

/**
 * A session whose terminal echoes what is typed, and a way to measure how long that takes to be seen.
 * @param {BenchHome} home
 * @param {Client} client
 */
export async function startEchoSession(home, client) {
  const session = await home.create(client, ['sh', '-c', 'echo ready; cat >/dev/null'])
  await client.call('session.wait', { session, text: 'ready' })
  let count = 0
  const once = () => {
    const text = `#${++count};`
    return timeMs(() =>
      Promise.all([
        client.call('session.type', { session, text, enter: true }),
        client.call('session.wait', { session, text }),
      ]),
    )
  }
  return {
    async sample(/** @type {number} */ wanted) {
      const samples = []
      while (samples.length < wanted) samples.push(await once())
      return samples
    },
    /** Until some work is done: at least one. */
    async sampleDuring(/** @type {Promise<unknown>} */ work) {
      const samples = []
      const done = new AbortController()
      const end = () => done.abort()
      work.then(end, end)
      do samples.push(await once())
      while (!done.signal.aborted)
      await work
      return samples
    },
  }
}
