// @ts-check
import * as fs from 'node:fs'
import { summarize } from '../measure.mjs'

const SESSIONS = 20
const MANY_SESSIONS = 200
const SIZE = { cols: 120, rows: 40 }
/** Waits for Enter, fills the scrollback (1000 lines in a session, 2000 in tmux), and is idle again. */
const COMMAND = ['sh', '-c', 'read go; seq 1 3000; exec cat']
const SETTLE_MS = 1500
const SAMPLES = 5
const SAMPLE_GAP_MS = 200

/**
 * @typedef {{ rss: number, pss: number }} Memory in MB of 10⁶ bytes
 * @typedef {{ rss: import('../measure.mjs').Summary, pss: import('../measure.mjs').Summary }} MemorySummary
 */

/** @type {import('../report.mjs').Row} */
export const idleSessions = {
  name: 'idle-sessions',
  async run(bench) {
    const host = await openHost(bench, SESSIONS)
    const tmux = await openTmux(bench)
    bench.progress('fresh')
    const fresh = { host: await measure(host.pids()), tmux: tmux && (await measure([tmux.pid])) }
    await host.fill()
    await tmux?.fill()
    bench.progress('full scrollback')
    const full = { host: await measure(host.pids()), tmux: tmux && (await measure([tmux.pid])) }
    await host.close()
    bench.progress(`${MANY_SESSIONS} sessions`)
    const many = { host: await measure((await openHost(bench, MANY_SESSIONS)).pids()), tmux: null }
    return [
      line('RSS of host and keeper, 20 idle sessions', 'rss', fresh, atMost(130)),
      line('PSS of the same', 'pss', fresh, null),
      line('RSS with 20 full scrollbacks', 'rss', full, atMost(80)),
      line(`RSS of host and keeper, ${MANY_SESSIONS} idle sessions`, 'rss', many, atMost(110)),
    ]
  },
}

/**
 * @param {string} what
 * @param {'rss' | 'pss'} kind
 * @param {{ host: MemorySummary, tmux: MemorySummary | null }} memory
 * @param {import('../report.mjs').Target | null} target
 * @returns {import('../report.mjs').Line}
 */
function line(what, kind, { host, tmux }, target) {
  const baseline = { what: 'tmux server with 20', summary: tmux?.[kind] ?? null }
  return { what, unit: 'MB', measured: host[kind], baseline, target }
}

/** @param {number} max @returns {import('../report.mjs').Target} */
function atMost(max) {
  return { of: 'value', max }
}

/**
 * @param {import('../workbench.mjs').Workbench} bench
 * @param {number} count
 */
async function openHost(bench, count) {
  const home = await bench.openHome()
  const client = await home.connect()
  /** @type {string[]} */
  const sessions = []
  while (sessions.length < count) sessions.push(await home.create(client, COMMAND, SIZE))
  const { pid } = home.host
  return {
    pids: () => [pid, ...keepersOf(pid)],
    close: async () => home.close(),
    async fill() {
      for (const session of sessions) {
        await client.call('session.type', { session, text: '', enter: true })
        await client.call('session.wait', { session, regex: '(?m)^3000$' })
      }
    },
  }
}

/** @param {import('../workbench.mjs').Workbench} bench */
async function openTmux(bench) {
  const tmux = await bench.openTmux()
  if (tmux === null) return null
  const names = Array.from({ length: SESSIONS }, (_, index) => `idle${index}`)
  for (const name of names) await tmux.newSession(name, COMMAND, SIZE)
  return {
    pid: await tmux.serverPid(),
    async fill() {
      for (const name of names) await tmux.run('send-keys', '-t', name, 'Enter')
    },
  }
}

/**
 * The processes that the host keeps for itself, beside those of its sessions.
 * @param {number} pid
 */
function keepersOf(pid) {
  const children = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return children
    .map(Number)
    .filter((child) => fs.readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('transom-keeper'))
}

/**
 * @param {number[]} pids
 * @returns {Promise<MemorySummary>}
 */
async function measure(pids) {
  await pause(SETTLE_MS)
  const samples = []
  for (let taken = 0; taken < SAMPLES; taken++) {
    samples.push(pids.map(readMemory))
    await pause(SAMPLE_GAP_MS)
  }
  const total = (/** @type {Memory[]} */ all, /** @type {'rss' | 'pss'} */ kind) =>
    all.reduce((sum, memory) => sum + memory[kind], 0)
  return {
    rss: summarize(samples.map((all) => total(all, 'rss'))),
    pss: summarize(samples.map((all) => total(all, 'pss'))),
  }
}

/**
 * @param {number} pid
 * @returns {Memory}
 */
function readMemory(pid) {
  const rollup = fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const megabytes = (/** @type {string} */ key) =>
    (Number(new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1]) * 1024) / 1e6
  return { rss: megabytes('Rss'), pss: megabytes('Pss') }
}

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
