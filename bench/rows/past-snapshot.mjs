// @ts-check
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { importSource } from '../../scripts/build.mjs'
import { quantile, summarize, timeMs } from '../measure.mjs'
import { CORPORA } from '../terminal-corpora.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MEGABYTE = 1_000_000
/** What a program leaves as it ends: no colour, no margins. */
const RESET = Buffer.from('\x1b[0m\x1b[r')

/** @typedef {typeof import('../programs/large-log.ts')} LargeLog */

/** @type {import('../report.mjs').Row} */
export const pastSnapshot = {
  name: 'past-snapshot',
  async run(bench) {
    const megabytes = bench.rounds(1000, 100)
    const logs = /** @type {LargeLog} */ (await importSource(path.join(ROOT, 'bench/programs/large-log.ts')))
    const folder = path.join(bench.root, 'large-log')
    fs.mkdirSync(folder)
    bench.defer(() => fs.rmSync(folder, { recursive: true, force: true }))
    bench.progress(`writing ${megabytes} MB`)
    const texts = Object.values(CORPORA).map((create) => Buffer.concat([create(4 * MEGABYTE), RESET]))
    const lastSeq = await logs.writeLargeLog(folder, megabytes * MEGABYTE, texts)
    /** @param {() => number | undefined} seq */
    const samples = async (seq) => {
      const taken = []
      for (let count = 0; count < bench.rounds(200, 40); count++)
        taken.push(await timeMs(async () => void (await logs.snapshotAt(folder, seq()))))
      return taken
    }
    await logs.snapshotAt(folder)
    bench.progress('snapshots')
    const past = await samples(() => 1 + Math.floor(Math.random() * lastSeq))
    const last = await samples(() => undefined)
    const p95 = (/** @type {number[]} */ taken) =>
      summarize([
        quantile(
          taken.toSorted((a, b) => a - b),
          0.95,
        ),
      ])
    const baseline = { what: 'a replay from the first record', summary: null, why: 'it takes seconds' }
    /** @type {import('../report.mjs').Target} */
    const target = { of: 'value', max: 60 }
    return [
      {
        what: `snapshot at a random seq of ${megabytes} MB, p95`,
        unit: 'ms',
        measured: p95(past),
        baseline,
        target,
      },
      { what: 'the same, p50', unit: 'ms', measured: summarize(past), baseline, target: null },
      {
        what: `snapshot of the end of ${megabytes} MB, p95`,
        unit: 'ms',
        measured: p95(last),
        baseline,
        target,
      },
      {
        what: `${megabytes} MB of log on disk`,
        unit: 'MB',
        measured: summarize([(await logs.storedBytes(folder)) / MEGABYTE]),
        baseline: { what: 'as it was written', summary: summarize([megabytes]) },
        target: { of: 'ratio', max: 0.2 },
      },
    ]
  },
}
