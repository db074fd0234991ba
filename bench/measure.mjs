// @ts-check
/** Samples and what is said of them. Nothing here knows what is measured. */

/**
 * @typedef {{ count: number, median: number, p10: number, p90: number, p99: number }} Summary
 * @typedef {() => Promise<number>} Task One measurement.
 */

/** Nanoseconds of the machine's monotonic clock, which all processes share. */
export const clockNs = () => process.hrtime.bigint()

/** @param {bigint} fromNs */
export const msSince = (fromNs) => Number(clockNs() - fromNs) / 1e6

/**
 * @param {readonly number[]} samples
 * @returns {Summary}
 */
export function summarize(samples) {
  const sorted = [...samples].sort((a, b) => a - b)
  return {
    count: sorted.length,
    median: quantile(sorted, 0.5),
    p10: quantile(sorted, 0.1),
    p90: quantile(sorted, 0.9),
    p99: quantile(sorted, 0.99),
  }
}

/**
 * Between neighbours it is interpolated.
 * @param {readonly number[]} sorted
 * @param {number} q
 */
export function quantile(sorted, q) {
  if (sorted.length === 0) return Number.NaN
  const position = (sorted.length - 1) * q
  const below = sorted[Math.floor(position)] ?? Number.NaN
  const above = sorted[Math.ceil(position)] ?? Number.NaN
  return below + (above - below) * (position - Math.floor(position))
}

/**
 * Takes a sample of every task in each round, so that what else the machine does hits all of them alike. Every
 * second round goes backwards: no task always runs after the same other one. The first round warms up.
 * @template {string} K
 * @param {number} rounds
 * @param {Record<K, Task>} tasks
 * @param {(round: number) => void} [onRound]
 * @returns {Promise<Record<K, number[]>>}
 */
export async function interleave(rounds, tasks, onRound = () => {}) {
  const names = /** @type {K[]} */ (Object.keys(tasks))
  /** @type {Map<K, number[]>} */
  const samples = new Map(names.map((name) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    onRound(round)
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const sample = await tasks[name]()
      if (round > 0) samples.get(name)?.push(sample)
    }
  }
  return /** @type {Record<K, number[]>} */ (Object.fromEntries(samples))
}

/**
 * How long `work` takes, in milliseconds.
 * @param {() => Promise<unknown>} work
 */
export async function timeMs(work) {
  const startNs = clockNs()
  await work()
  return msSince(startNs)
}
