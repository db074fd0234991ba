// @ts-check
import { once } from 'node:events'
import { startEchoSession } from '../echo-session.mjs'
import { quantile, summarize } from '../measure.mjs'
import { startPtySink } from '../peers.mjs'

const SAMPLES_PER_BLOCK = 200
const FLOOD = ['timeout', '--foreground', '60', 'yes'] // bounded: nobody may be left to end it
const WARM_UP_MS = 300 // a flood takes a moment to reach its speed

/**
 * @typedef {import('../workbench.mjs').Workbench} Workbench
 * @typedef {import('../bench-home.mjs').BenchHome} BenchHome
 * @typedef {import('../bench-home.mjs').Client} Client
 */

/** @type {import('../report.mjs').Row} */
export const flood = {
  name: 'flood',
  async run(bench) {
    const home = await bench.openHome()
    const client = await home.connect()
    const echo = await startEchoSession(home, client)
    const blocks = { idle: new Blocks(), busy: new Blocks(), beside: new Blocks() }
    for (let round = 0; round <= bench.rounds(6, 2); round++) {
      bench.progress(`round ${round}`)
      const take = async (/** @type {Blocks} */ into) => {
        const samples = await echo.sample(SAMPLES_PER_BLOCK)
        if (round > 0) into.add(samples)
      }
      await take(blocks.idle)
      await besideSinkFlood(bench, () => take(blocks.busy))
      await besideFlood(home, client, () => take(blocks.beside))
    }
    const beside = blocks.beside.p99()
    return [
      {
        what: 'type → echo, p99, beside a session running `yes`',
        unit: 'ms',
        measured: beside,
        baseline: { what: 'p99 while the host is idle', summary: blocks.idle.p99() },
        target: { of: 'ratio', max: 5 },
      },
      {
        what: 'type → echo, p99, beside a session running `yes`',
        unit: 'ms',
        measured: beside,
        baseline: { what: 'p99 beside `yes` in a bare pty sink', summary: blocks.busy.p99() },
        target: null,
      },
      {
        what: 'type → echo, p50, beside a session running `yes`',
        unit: 'ms',
        measured: summarize(blocks.beside.all),
        baseline: { what: 'p50 while the host is idle', summary: summarize(blocks.idle.all) },
        target: null,
      },
    ]
  },
}

class Blocks {
  /** @type {number[]} */
  all = []
  /** @type {number[]} */
  #p99s = []

  /** @param {number[]} samples */
  add(samples) {
    this.all.push(...samples)
    this.#p99s.push(summarize(samples).p99)
  }

  /** The p99 of all samples, with the spread of the blocks' own p99. */
  p99() {
    const sorted = this.#p99s.toSorted((a, b) => a - b)
    const all = summarize(this.all)
    return { ...all, median: all.p99, p10: quantile(sorted, 0.1), p90: quantile(sorted, 0.9) }
  }
}

/**
 * @param {BenchHome} home
 * @param {Client} client
 * @param {() => Promise<void>} work
 */
async function besideFlood(home, client, work) {
  const session = await home.create(client, FLOOD)
  await warmUp()
  await work()
  await client.call('session.destroy', { session })
  home.removeLog(session)
}

/**
 * The same load on the machine, but not on the host.
 * @param {Workbench} bench
 * @param {() => Promise<void>} work
 */
async function besideSinkFlood(bench, work) {
  const sink = startPtySink({ command: FLOOD, env: bench.env })
  await warmUp()
  await work()
  const left = once(sink, 'exit')
  sink.stdin.end()
  await left
}

const warmUp = () => new Promise((resolve) => setTimeout(resolve, WARM_UP_MS))
