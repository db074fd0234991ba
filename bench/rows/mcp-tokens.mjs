// @ts-check
import { spawn } from 'node:child_process'
import * as readline from 'node:readline'
import { summarize } from '../measure.mjs'

/** As the product counts (surfaces/mcp/answer-budget.ts): English text and program output come to about this. */
const CHARS_PER_TOKEN = 4
/** Playwright MCP's list of 25 tools, the usual server of its kind. */
const PLAYWRIGHT_LIST_TOKENS = 4398

/** Ten typical calls, in order, in a session with the name `w`. @type {[tool: string, given: object][]} */
const TYPICAL = [
  ['create_session', { name: 'w', command: ['bash', '--norc'] }],
  ['list_sessions', {}],
  ['run_command', { session: 'w', command: ['ls -l /etc'] }],
  ['run_command', { session: 'w', command: ['seq 1 100000'] }],
  ['read_block', { session: 'w', block: 2 }],
  ['type_text', { session: 'w', text: 'echo hello', enter: true }],
  ['wait_for', { session: 'w', text: 'hello', after_input: true }],
  ['interact', { session: 'w', steps: [{ step: 'run', command: ['pwd'] }, { step: 'snapshot' }] }],
  ['read_screen', { session: 'w', scrollback: true }],
  ['destroy_session', { session: 'w' }],
]

/** @type {import('../report.mjs').Row} */
export const mcpTokens = { name: 'mcp-tokens', run: countTokens }

/**
 * What the tools and their answers take of a model's context, text and structured content together.
 * @param {import('../workbench.mjs').Workbench} bench
 * @returns {Promise<import('../report.mjs').Line[]>}
 */
async function countTokens(bench) {
  const home = await bench.openHome()
  const request = startClient(bench, home.env)
  const clientInfo = { name: 'bench', version: '1' }
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  const baseline = { what: 'Playwright MCP', summary: summarize([PLAYWRIGHT_LIST_TOKENS]) }
  const lines = [line('tools/list', await request('tools/list', {}), baseline, 4500)]
  for (const [index, [name, given]] of TYPICAL.entries()) {
    const { content, structuredContent } = await request('tools/call', { name, arguments: given })
    const none = { what: 'none', summary: null, why: 'a limit of its own' }
    lines.push(line(`answer ${index + 1}, ${name}`, { content, structuredContent }, none, 2000))
  }
  return lines
}

/**
 * @param {string} what
 * @param {unknown} counted
 * @param {import('../report.mjs').Baseline} baseline
 * @param {number} max
 * @returns {import('../report.mjs').Line}
 */
function line(what, counted, baseline, max) {
  const tokens = Math.ceil(JSON.stringify(counted).length / CHARS_PER_TOKEN)
  return { what, unit: 'tokens', measured: summarize([tokens]), baseline, target: { of: 'value', max } }
}

/**
 * @param {import('../workbench.mjs').Workbench} bench
 * @param {Record<string, string>} env
 * @returns {(method: string, params: object) => Promise<Record<string, unknown>>}
 */
function startClient(bench, env) {
  const child = spawn(process.execPath, [bench.cli, 'mcp'], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  bench.defer(() => void child.kill())
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let id = 0
  return async (method, params) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })}\n`)
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error(`transom mcp has ended at ${method}`)
      const message = JSON.parse(value)
      if (message.id === id && message.error !== undefined) throw new Error(message.error.message)
      if (message.id === id) return message.result
    }
  }
}
