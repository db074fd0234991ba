// @ts-check
import { interleave, summarize, timeMs } from '../measure.mjs'

const COMMAND = ['sleep', '1000']

/**
 * @typedef {import('../workbench.mjs').Workbench} Workbench
 * @typedef {import('../measure.mjs').Task} Task
 */

/** @type {import('../report.mjs').Row} */
export const create = {
  name: 'create',
  async run(bench) {
    const home = await bench.openHome()
    const client = await home.connect()
    const tmux = await bench.openTmux()
    const samples = await interleave(
      bench.rounds(60, 15),
      {
        socket: async () => {
          let session = ''
          const ms = await timeMs(async () => (session = await home.create(client, COMMAND)))
          await client.call('session.destroy', { session })
          return ms
        },
        cli: async () => {
          let session = ''
          const ms = await timeMs(async () => ({ session } = await home.cliCreate(COMMAND)))
          await client.call('session.destroy', { session })
          return ms
        },
        tmux: tmux === null ? async () => Number.NaN : timeTmux(tmux),
      },
      (round) => bench.progress(`round ${round}`),
    )
    const baseline = {
      what: '`tmux new-session -d`',
      summary: tmux === null ? null : summarize(samples.tmux),
    }
    return [
      {
        what: 'create over an open socket',
        unit: 'ms',
        measured: summarize(samples.socket),
        baseline,
        target: { of: 'ratio', max: 3 },
      },
      { what: '`transom create`', unit: 'ms', measured: summarize(samples.cli), baseline, target: null },
    ]
  },
}

/**
 * @param {import('../peers.mjs').Tmux} tmux
 * @returns {Task}
 */
function timeTmux(tmux) {
  return async () => {
    const ms = await timeMs(() => tmux.newSession('timed', COMMAND))
    await tmux.run('kill-session', '-t', 'timed')
    return ms
  }
}
