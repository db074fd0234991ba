// @ts-check
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { interleave, summarize } from '../measure.mjs'
import { programPath } from '../peers.mjs'
import { startFilledScreen } from './socket.mjs'

const CONNECTIONS = [1, 32, 256]
/** Where the target is: 3 × a server that does nothing. */
const JUDGED_CONNECTIONS = 32

/** @type {import('../report.mjs').Row} */
export const gatewaySnapshot = { name: 'gateway-snapshot', run: compareWithBareHttp }

/**
 * A snapshot through the gateway, and the same answer from a bare HTTP server, asked by a process of its own.
 * @param {import('../workbench.mjs').Workbench} bench
 * @returns {Promise<import('../report.mjs').Line[]>}
 */
async function compareWithBareHttp(bench) {
  const home = await bench.openHome()
  const client = await home.connect()
  const session = await startFilledScreen(home, client)
  const gateway = start(bench, home.env, [
    bench.cli,
    'serve',
    '--json',
    '--listen',
    '127.0.0.1:0',
    '--rate-limit',
    '1000000',
  ])
  const { url, token } = JSON.parse(await firstLine(gateway))
  const bare = start(bench, bench.env, [programPath('bare-http.mjs')])
  bare.stdin.write(`${JSON.stringify(await client.call('session.snapshot', { session }))}\n`)
  const barePort = await firstLine(bare)
  const request = {
    path: '/v1/session.snapshot',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ session }),
  }
  /** @type {import('../report.mjs').Line[]} */
  const lines = []
  for (const connections of CONNECTIONS) {
    const load = (/** @type {string} */ port) => measureLoad(bench, port, connections, request)
    /** @type {{ gateway: number[], bare: number[] }} */
    const p99 = { gateway: [], bare: [] }
    const p50 = await interleave(
      bench.rounds(5, 2),
      {
        gateway: async () => take(p99.gateway, await load(new URL(url).port)),
        bare: async () => take(p99.bare, await load(barePort)),
      },
      (round) => bench.progress(`${connections} connections, round ${round}`),
    )
    lines.push(
      line(`p50, ${connections} connections`, p50, connections === JUDGED_CONNECTIONS),
      line(
        `p99, ${connections} connections`,
        { gateway: p99.gateway.slice(1), bare: p99.bare.slice(1) },
        false,
      ),
    )
  }
  return lines
}

/**
 * @param {string} what
 * @param {{ gateway: number[], bare: number[] }} samples
 * @param {boolean} isJudged
 * @returns {import('../report.mjs').Line}
 */
function line(what, samples, isJudged) {
  return {
    what,
    unit: 'ms',
    measured: summarize(samples.gateway),
    baseline: { what: 'bare HTTP server', summary: summarize(samples.bare) },
    target: isJudged ? { of: 'ratio', max: 3 } : null,
  }
}

/**
 * Keeps the p99 and returns the p50.
 * @param {number[]} p99s
 * @param {{ p50: number, p99: number }} figures
 */
function take(p99s, { p50, p99 }) {
  p99s.push(p99)
  return p50
}

/**
 * @param {import('../workbench.mjs').Workbench} bench
 * @param {string} port
 * @param {number} connections
 * @param {object} request
 * @returns {Promise<{ p50: number, p99: number }>}
 */
async function measureLoad(bench, port, connections, request) {
  const requests = Math.max(connections * 20, bench.rounds(4000, 1000))
  const loader = start(bench, bench.env, [
    programPath('http-load.mjs'),
    port,
    `${connections}`,
    `${requests}`,
  ])
  loader.stdin.end(JSON.stringify(request))
  return JSON.parse(await firstLine(loader))
}

/**
 * @param {import('../workbench.mjs').Workbench} bench
 * @param {Record<string, string>} env
 * @param {string[]} args
 */
function start(bench, env, args) {
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  bench.defer(() => void child.kill())
  return child
}

/** @param {ReturnType<typeof start>} child */
async function firstLine(child) {
  const [line] = await once(child.stdout, 'data')
  return String(line).trim()
}
