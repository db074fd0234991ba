// @ts-check
import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import * as http from 'node:http'
import * as net from 'node:net'
import * as path from 'node:path'
import { createInterface } from 'node:readline'
import { interleave, summarize, timeMs } from '../measure.mjs'
import { startEchoServer } from '../peers.mjs'

/** @typedef {import('../workbench.mjs').Workbench} Workbench */

const COLS = 140
const ROWS = 45
const LINES = Array.from({ length: ROWS }, (_, row) => `row ${row} `.padEnd(COLS - 2, 'words of a page '))
const PAGE = `<!doctype html><title>Bench</title><style>body{margin:0;white-space:pre}</style><input id="q" autofocus><div id="n">0</div>${LINES.slice(3).join('<br>')}<script>q.focus();let n=0;q.onkeydown=()=>{document.getElementById('n').textContent='pressed '+(++n)}</script>`

/** @type {import('../report.mjs').Row} */
export const web = {
  name: 'web',
  run: async (bench) => {
    const agent = await startBrowser(bench)
    const socket = path.join(bench.root, 'run', 'web-echo')
    const server = await startEchoServer({ socket, result: await agent.call('snapshot'), env: bench.env })
    bench.defer(() => server.close())
    const echo = connect(socket)
    bench.defer(() => echo.close())
    const samples = await interleave(
      bench.rounds(500, 100),
      { call: () => paced(() => agent.call('snapshot')), echo: () => timeMs(() => echo.call('snapshot')) },
      (round) => bench.progress(`snapshot ${round}`),
    )
    const keys = await pressKeys(bench, agent)
    const { data } = await agent.call('get_capabilities')
    return [
      {
        what: 'snapshot of 140×45 over the agent socket',
        unit: 'ms',
        measured: summarize(samples.call),
        baseline: { what: 'the same answer from a bare socket server', summary: summarize(samples.echo) },
        target: { of: 'value', max: 2 },
      },
      {
        what: 'text of 140×45 cells, without the socket',
        unit: 'ms',
        measured: summarize([data.snapshots.export_mean_ms]),
        baseline: { what: 'the whole request', summary: summarize(samples.call) },
        target: { of: 'value', max: 10 },
      },
      {
        what: 'key pressed → cells changed',
        unit: 'ms',
        measured: summarize(keys),
        baseline: { what: 'a request that changes nothing', summary: summarize(samples.call) },
        target: { of: 'value', max: 60 },
      },
    ]
  },
}

/** Below the rate at which a connection is limited. */
async function paced(/** @type {() => Promise<unknown>} */ work) {
  await new Promise((resolve) => setTimeout(resolve, 6))
  return timeMs(work)
}

/**
 * @param {Workbench} bench
 * @param {ReturnType<typeof connect>} agent
 */
async function pressKeys(bench, agent) {
  /** @type {number[]} */
  const samples = []
  const rounds = bench.rounds(100, 30)
  for (let round = 1; round <= rounds; round++) {
    bench.progress(`key ${round}`)
    const shown = agent.call('wait_for', { text: `pressed ${round}` })
    samples.push(
      await timeMs(async () => {
        await Promise.all([agent.call('send_key', { key: 'Right' }), shown])
      }),
    )
    await agent.call('wait_for_frame_quiescence', { idle_ms: 60 })
  }
  return samples
}

/** @param {Workbench} bench */
async function startBrowser(bench) {
  const server = http.createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(PAGE)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  bench.defer(() => void server.close())
  const { port } = /** @type {net.AddressInfo} */ (server.address())
  const socket = path.join(bench.root, 'run', 'web.sock')
  const program = path.join(bench.root, 'dist', 'awi-tty.cjs')
  const options = ['open', `http://127.0.0.1:${port}/`, '--agent-socket', socket, '--allow-host', '127.0.0.1']
  const child = spawn(process.execPath, [program, ...options], { env: bench.env, stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  bench.defer(async () => {
    child.kill('SIGTERM')
    await ended
    server.closeAllConnections()
  })
  while (!fs.existsSync(socket) && child.exitCode === null)
    await new Promise((resolve) => setTimeout(resolve, 20))
  const agent = connect(socket)
  bench.defer(() => agent.close())
  await agent.call('wait_for', { text: 'row 40' })
  return agent
}

/** A line of JSON out, a line of JSON in. */
function connect(/** @type {string} */ socketPath) {
  const socket = net.connect(socketPath)
  /** @type {Map<number, (answer: any) => void>} */
  const waiting = new Map()
  let last = 0
  createInterface({ input: socket }).on('line', (line) => {
    const answer = JSON.parse(line)
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })
  return {
    close: () => void socket.destroy(),
    /** @returns {Promise<any>} */
    call: async (/** @type {string} */ method, /** @type {object} */ params = {}) => {
      const id = ++last
      const answer = await new Promise((resolve) => {
        waiting.set(id, resolve)
        socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
      })
      if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`)
      return answer.result
    },
  }
}
