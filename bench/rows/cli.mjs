// @ts-check
import { interleave, summarize, timeMs } from '../measure.mjs'
import { timeBareNode } from '../peers.mjs'

/** @type {import('../report.mjs').Row} */
export const cliSnapshot = {
  name: 'cli-snapshot',
  async run(bench) {
    const home = await bench.openHome()
    const { session } = await home.cliCreate(['cat'])
    const samples = await interleave(
      bench.rounds(60, 15),
      {
        snapshot: () => timeMs(() => home.cli(['snapshot', session])),
        bareNode: () => timeBareNode(bench.env),
      },
      (round) => bench.progress(`round ${round}`),
    )
    return [
      {
        what: '`transom snapshot` of a live session',
        unit: 'ms',
        measured: summarize(samples.snapshot),
        baseline: { what: '`node -e 0`', summary: summarize(samples.bareNode) },
        target: { of: 'ratio', max: 1.6 },
      },
    ]
  },
}
