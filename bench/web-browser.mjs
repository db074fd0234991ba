// @ts-check
/** Pages of the bench on loopback, and a browser on them behind an agent socket. */
import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import * as http from 'node:http'
import * as net from 'node:net'
import * as path from 'node:path'
import { createInterface } from 'node:readline'

/** @typedef {import('./workbench.mjs').Workbench} Workbench */
/** @typedef {ReturnType<typeof connectAgent>} Agent */

export const COLS = 140
export const ROWS = 45
/** A line that is shown once the page is: all of the page comes with one frame. */
export const LAST_LINE = 'row 40'

const LINES = Array.from({ length: ROWS }, (_, row) => `row ${row} `.padEnd(COLS - 2, 'words of a page '))
const FIELD = '<input id="q" autofocus><div id="n">0</div>'
// One word: a blank under the border of the field is shown as a part of the border.
const SCRIPT = `<script>q.focus();let n=0;q.onkeydown=()=>{document.getElementById('n').textContent='pressed-'+(++n)}</script>`
const HEAD = '<!doctype html><title>Bench</title><style>body{margin:0;white-space:pre}</style>'
const LINKS = Array.from(
  { length: 200 },
  (_, at) => `<a href="/item/${at}">item ${at}</a> and what is said of it`,
)

const PAGES = new Map([
  // Fills the screen and no more; a key changes a line of it.
  ['/', `${HEAD}${FIELD}${LINES.slice(3).join('<br>')}${SCRIPT}`],
  // Longer than the screen, with links: something to scroll, find and click.
  ['/items', `${HEAD}${FIELD}${LINKS.join('<br>')}${SCRIPT}`],
])

/**
 * Serves the pages until the row ends.
 * @param {Workbench} bench
 * @returns {Promise<string>} the address of the first page
 */
export async function servePages(bench) {
  const server = http.createServer((request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(PAGES.get(request.url ?? '') ?? '')
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  bench.defer(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = /** @type {net.AddressInfo} */ (server.address())
  return `http://127.0.0.1:${port}/`
}

/**
 * @param {Workbench} bench
 * @param {string} url
 * @returns {Promise<Agent>}
 */
export async function startAgentBrowser(bench, url) {
  const socket = path.join(bench.root, 'run', 'web.sock')
  const options = ['open', url, '--agent-socket', socket, '--allow-host', '127.0.0.1']
  const child = spawn(process.execPath, [bench.awiTty, ...options], { env: bench.env, stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  bench.defer(async () => {
    child.kill('SIGTERM')
    await ended
  })
  while (!fs.existsSync(socket)) {
    if (child.exitCode !== null)
      throw new Error(`the browser ended with ${child.exitCode}; is there a Chromium?`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const agent = connectAgent(socket)
  bench.defer(() => agent.close())
  await agent.call('wait_for', { text: LAST_LINE })
  return agent
}

/** A line of JSON out, a line of JSON in. */
export function connectAgent(/** @type {string} */ socketPath) {
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
