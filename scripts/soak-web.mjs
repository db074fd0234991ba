// `npm run soak:web -- --minutes N`: operates one browser (`awi-tty open`) for a long time as an agent would, with
// pages that crash now and then, and looks whether it grows: sockets, open files, processes and memory of the host and
// its Chromium at the end must not exceed those after a quarter of the run by more than a tenth. Then the host is
// killed, and nothing of it may be left.
import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import * as http from 'node:http'
import * as os from 'node:os'
import * as path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { AgentLine } from './soak-agent-line.mjs'
import { checkGrowth, memoryBytes, minutesOption, openFiles, repeatFor, threadCount } from './soak-growth.mjs'
import { livingProcesses, processTree } from './soak-process-tree.mjs'

const AWI = fileURLToPath(new URL('../packages/transom/dist/awi-tty.cjs', import.meta.url))
const FIXTURES = fileURLToPath(new URL('../test/fixtures/web/', import.meta.url))
const CRASH_EVERY = 4 // rounds: a tab's process
const KILL_EVERY = 10 // rounds: the whole browser
const LEFT_NOTHING_MS = 20_000 // the keeper looks at every process of the machine, several times
const MEMORY_SAMPLES = 8
/** Chromium keeps up to six idle connections to a server, and each has two ends in the host's proxy. */
const IDLE_SOCKETS = 12
/** The host's heap comes to its working size in the first minutes, which a short run sees: 10 to 26 MB were measured. */
const HEAP_SLACK_BYTES = 32 << 20

/** @type {Record<string, string>} */
const PAGES = {
  '/form': `<!doctype html><title>Form</title><input id="q" autofocus><p id="out"></p><script>q.focus();q.oninput=()=>{out.textContent='typed: '+q.value}</script>`,
  '/tall': `<!doctype html><title>Tall</title>${Array.from({ length: 300 }, (_, i) => `<div>line ${i}</div>`).join('')}`,
  '/dialog': `<!doctype html><title>Dialog</title><button onclick="out.textContent='said '+confirm('Sure?')">ask me</button><p id="out"></p>`,
  '/later': `<!doctype html><title>First</title><p>soon</p><script>setTimeout(()=>{document.title='Second';document.querySelector('p').textContent='it came'},100);fetch('/data')</script>`,
  '/moving': `<!doctype html><title>Moving</title><p id="t"></p><script>let n=0;(function step(){t.textContent='frame '+n++;requestAnimationFrame(step)})()</script>`,
}

const minutes = minutesOption()
const root = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-soak-web-'))
const server = http.createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost')
  response.setHeader('content-type', 'text/html; charset=utf-8')
  const file = path.join(FIXTURES, path.basename(pathname))
  if (PAGES[pathname] !== undefined) response.end(PAGES[pathname])
  else if (pathname.endsWith('.html')) response.end(fs.readFileSync(file))
  else response.end(`<!doctype html><title>At ${pathname}</title><p>You are at ${pathname}</p>`)
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
const at = (/** @type {string} */ pathname) => `http://127.0.0.1:${port}${pathname}`

const socket = path.join(root, 'a.sock')
const args = [AWI, 'open', at('/start'), '--agent-socket', socket, '--allow-host', `127.0.0.1:${port}`]
const env = {
  ...process.env,
  TRANSOM_HOME: path.join(root, 'home'),
  XDG_STATE_HOME: path.join(root, 'state'),
}
const host = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
const hostPid = host.pid ?? -1
host.stderr.on('data', (chunk) => process.env['SOAK_VERBOSE'] && process.stderr.write(chunk))

try {
  while (!fs.existsSync(socket)) {
    if (host.exitCode !== null) throw new Error('awi-tty open has ended')
    await delay(20)
  }
  const quarter = await work(minutes / 4)
  const end = await work((minutes * 3) / 4)
  console.log(JSON.stringify({ minutes, quarter, end }))
  checkGrowth(quarter.counts, end.counts, {
    sockets: IDLE_SOCKETS,
    fds: IDLE_SOCKETS,
    memoryBytes: HEAP_SLACK_BYTES,
  })
  await checkNothingIsLeft()
} finally {
  host.kill('SIGTERM')
  server.closeAllConnections()
  server.close()
  fs.rmSync(root, { recursive: true, force: true })
}

/** Operates the browser for some minutes, then counts what it holds. */
async function work(/** @type {number} */ forMinutes) {
  const agent = await AgentLine.connect(socket)
  const rounds = await repeatFor(forMinutes, async (ordinal) => {
    if (host.exitCode !== null || host.signalCode !== null)
      throw new Error('awi-tty open has ended by itself')
    await visit(agent)
    await type(agent, `words of round ${ordinal}`)
    await answerDialog(agent)
    await wait(agent)
    await comeAndGo()
    if (ordinal % CRASH_EVERY === CRASH_EVERY - 1) await crash(agent, '--type=renderer')
    if (ordinal % KILL_EVERY === KILL_EVERY - 1) await crash(agent, null)
  })
  // A browser of the same age each time: a tab's memory depends on how many pages it has shown.
  await crash(agent, null)
  await visit(agent)
  await agent.call('navigate', { url: at('/rest') })
  const counted = await count()
  agent.close()
  return { rounds, ...counted }
}

async function visit(/** @type {AgentLine} */ agent) {
  await agent.call('navigate', { url: at('/news.html') })
  await agent.call('click_text', { text: 'submit' })
  await agent.call('wait_for', { text: 'You are at /submit' })
  await agent.call('go_back')
  await agent.call('links')
  for (const page of ['/article.html', '/grid.html', '/modal.html', '/graphics.html']) {
    await agent.call('navigate', { url: at(page) })
    await agent.call('snapshot', { include_meta: true })
  }
  await agent.call('navigate', { url: at('/tall') })
  const { seq } = await agent.call('snapshot')
  await agent.call('scroll', { delta: 20 })
  await agent.call('wait_for', { text: 'line 50' })
  await agent.call('snapshot', { since: seq })
  await agent.call('set_viewport', { cols: 100, rows: 30 })
  await agent.call('snapshot', { format: 'ansi' })
  await agent.call('set_viewport', { cols: 140, rows: 45 })
  await agent.call('screenshot')
}

async function type(/** @type {AgentLine} */ agent, /** @type {string} */ text) {
  await agent.call('navigate', { url: at('/form') })
  await agent.call('type_text', { text })
  await agent.call('wait_for', { text: `typed: ${text}` })
  await agent.call('send_key', { key: 'Tab' })
}

async function answerDialog(/** @type {AgentLine} */ agent) {
  await agent.call('navigate', { url: at('/dialog') })
  await agent.call('click_text', { text: 'ask me' })
  await agent.call('get_dialog')
  await agent.call('answer_dialog', { accept: true })
  await agent.call('wait_for', { text: 'said true' })
}

async function wait(/** @type {AgentLine} */ agent) {
  await agent.call('navigate', { url: at('/later') })
  await agent.call('wait_for', { text: 'it came', network_idle: 20, idle: 50 })
  await agent.fails('wait_for', { text: 'this never comes', timeout_ms: 20 }, ['wait_timeout'])
}

/** Clients that come for a moment, one of them to leave in the middle of its wait. */
async function comeAndGo() {
  const subscriber = await AgentLine.connect(socket)
  const agent = await AgentLine.connect(socket)
  await subscriber.call('subscribe_events')
  await agent.call('navigate', { url: at('/moving') })
  await agent.call('wait_for', { text: 'frame ' })
  agent.abandon('wait_for', { text: 'this never comes' })
  subscriber.close()
}

/** Kills a process of the browser; the page has to come back by itself. */
async function crash(/** @type {AgentLine} */ agent, /** @type {string | null} */ kind) {
  await agent.call('navigate', { url: at('/form') })
  const tree = processTree(hostPid)
  const killed =
    kind === null
      ? tree.filter(({ argv }) => argv.some((part) => part.startsWith('--user-data-dir='))).slice(0, 1)
      : tree.filter(({ argv }) => argv.join(' ').includes(kind)) // those of a fork are one string
  if (killed.length === 0) throw new Error(`no process to kill (${kind ?? 'the browser'})`)
  for (const { pid } of killed) process.kill(pid, 'SIGKILL')
  const troubles = ['page_crashed', 'browser_failed', 'page_unresponsive', 'navigation_failed']
  await agent.fails('navigate', { url: at('/start') }, troubles)
  await agent.call('navigate', { url: at('/again') })
  await agent.call('wait_for', { text: 'You are at /again' })
}

async function count() {
  const samples = []
  for (let sample = 0; sample < MEMORY_SAMPLES; sample++) {
    await delay(500) // the garbage collectors and Chromium's own housekeeping
    const processes = processTree(hostPid).map(({ pid }) => ({ pid, bytes: ownBytes(pid) }))
    const all = processes.reduce((sum, { bytes }) => sum + bytes, 0)
    samples.push({ all, host: processes.find(({ pid }) => pid === hostPid)?.bytes ?? 0 })
  }
  const least = samples.reduce((a, b) => (b.all < a.all ? b : a))
  const files = openFiles(hostPid)
  const counts = {
    fds: files.length,
    sockets: files.filter((target) => target.startsWith('socket:')).length,
    threads: threadCount(hostPid),
    processes: processTree(hostPid).length,
    profiles: profiles().length,
    memoryBytes: least.all,
  }
  return { counts, hostBytes: least.host }
}

/** Without what is mapped from files: another browser on the machine would take a share of that. */
function ownBytes(/** @type {number} */ pid) {
  try {
    const file = `/proc/${pid}/smaps_rollup`
    return memoryBytes(file, 'Pss_Anon') + memoryBytes(file, 'Pss_Shmem')
  } catch {
    return 0 // ended since the listing
  }
}

function profiles() {
  const own = processTree(hostPid).flatMap(({ argv }) =>
    argv.filter((part) => part.startsWith('--user-data-dir=')),
  )
  return [...new Set(own.map((part) => part.slice('--user-data-dir='.length)))]
}

/** A killed host takes its browser and what that kept on disk with it. */
async function checkNothingIsLeft() {
  const folders = profiles()
  const pids = new Set(processTree(hostPid).map(({ pid }) => pid))
  process.kill(hostPid, 'SIGKILL')
  const giveUp = performance.now() + LEFT_NOTHING_MS
  for (;;) {
    const processes = livingProcesses().filter(({ pid }) => pids.has(pid))
    const kept = folders.filter((folder) => fs.existsSync(folder))
    if (processes.length === 0 && kept.length === 0) return
    if (performance.now() > giveUp) {
      throw new Error(`left behind: ${[...processes.map(({ argv }) => argv.join(' ')), ...kept].join('\n')}`)
    }
    await delay(50)
  }
}
