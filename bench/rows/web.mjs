// @ts-check
import * as path from 'node:path'
import { interleave, quantile, summarize, timeMs } from '../measure.mjs'
import { startEchoServer } from '../peers.mjs'
import { connectAgent, servePages, startAgentBrowser } from '../web-browser.mjs'

/**
 * @typedef {import('../workbench.mjs').Workbench} Workbench
 * @typedef {import('../web-browser.mjs').Agent} Agent
 */

/** What an agent asks in turn while it works on a page. @type {readonly (readonly [string, object])[]} */
const AGENT_STEPS = [
  ['snapshot', {}],
  ['find_text', { text: 'item 7' }],
  ['click', { row: 0, col: 2 }],
  ['type_text', { text: 'words' }],
  ['send_key', { key: 'Right' }],
  ['snapshot', { include_meta: true }],
  ['links', {}],
  ['mouse_move', { row: 20, col: 10 }],
  ['scroll', { delta: 5 }],
  ['snapshot', { format: 'ansi' }],
  ['scroll', { delta: -5 }],
  ['get_title', {}],
  ['get_url', {}],
  ['get_nav_state', {}],
  ['ping', {}],
]

/** @type {import('../report.mjs').Row} */
export const web = {
  name: 'web',
  run: async (bench) => {
    const url = await servePages(bench)
    const agent = await startAgentBrowser(bench, url)
    const echo = await startEcho(bench, await agent.call('snapshot'))
    const samples = await interleave(
      bench.rounds(500, 100),
      { call: () => paced(() => agent.call('snapshot')), echo: () => timeMs(() => echo.call('snapshot')) },
      (round) => bench.progress(`snapshot ${round}`),
    )
    const keys = await pressKeys(bench, agent)
    const { data } = await agent.call('get_capabilities')
    const pages = await openPages(bench, agent, url)
    const mix = await mixMethods(bench, agent, echo)
    const whole = summarize(samples.call)
    return [
      line('snapshot of 140×45 over the agent socket', samples.call, 2, {
        what: 'the same answer from a bare socket server',
        summary: summarize(samples.echo),
      }),
      line('text of 140×45 cells, without the socket', [data.snapshots.export_mean_ms], 10, {
        what: 'the whole request',
        summary: whole,
      }),
      line('key pressed → cells changed', keys, 60, {
        what: 'a request that changes nothing',
        summary: whole,
      }),
      line('p95 of an agent’s requests, mixed', mix.call, 100, {
        what: 'p95 of as many to a bare socket server',
        summary: summarize(mix.echo),
      }),
      line('navigate to a page of this machine, until it is read', pages, 200, {
        what: 'a request that changes nothing',
        summary: whole,
      }),
    ]
  },
}

/**
 * @param {string} what
 * @param {readonly number[]} samples
 * @param {number} max
 * @param {import('../report.mjs').Baseline} baseline
 * @returns {import('../report.mjs').Line}
 */
function line(what, samples, max, baseline) {
  return { what, unit: 'ms', measured: summarize(samples), baseline, target: { of: 'value', max } }
}

/** Below the rate at which a connection is limited. */
async function paced(/** @type {() => Promise<unknown>} */ work) {
  await new Promise((resolve) => setTimeout(resolve, 6))
  return timeMs(work)
}

/**
 * A server that gives a snapshot's answer to everything, and a connection to it.
 * @param {Workbench} bench
 * @param {unknown} result
 */
async function startEcho(bench, result) {
  const socket = path.join(bench.root, 'run', 'web-echo')
  const server = await startEchoServer({ socket, result, env: bench.env })
  bench.defer(() => server.close())
  const echo = connectAgent(socket)
  bench.defer(() => echo.close())
  return echo
}

/**
 * @param {Workbench} bench
 * @param {Agent} agent
 */
async function pressKeys(bench, agent) {
  /** @type {number[]} */
  const samples = []
  const rounds = bench.rounds(100, 30)
  for (let round = 1; round <= rounds; round++) {
    bench.progress(`key ${round}`)
    const shown = agent.call('wait_for', { text: `pressed-${round}` })
    samples.push(
      await timeMs(async () => {
        await Promise.all([agent.call('send_key', { key: 'Right' }), shown])
      }),
    )
    await agent.call('wait_for_frame_quiescence', { idle_ms: 60 })
  }
  return samples
}

/**
 * @param {Workbench} bench
 * @param {Agent} agent
 * @param {string} url
 */
async function openPages(bench, agent, url) {
  /** @type {number[]} */
  const samples = []
  for (let round = 1; round <= bench.rounds(30, 8); round++) {
    bench.progress(`page ${round}`)
    samples.push(await timeMs(() => agent.call('navigate', { url: `${url}items` })))
  }
  return samples
}

/**
 * The 95th percentile of all requests of several passes, once a round.
 * @param {Workbench} bench
 * @param {Agent} agent
 * @param {Agent} echo
 */
async function mixMethods(bench, agent, echo) {
  const p95 = async (/** @type {Agent} */ asked) => {
    /** @type {number[]} */
    const samples = []
    for (let pass = 0; pass < bench.rounds(20, 8); pass++) {
      for (const [method, params] of AGENT_STEPS) samples.push(await paced(() => asked.call(method, params)))
    }
    return quantile(
      samples.sort((a, b) => a - b),
      0.95,
    )
  }
  return interleave(bench.rounds(8, 3), { call: () => p95(agent), echo: () => p95(echo) }, (round) =>
    bench.progress(`mixed requests ${round}`),
  )
}
