// @ts-check
import * as fs from 'node:fs'
import * as path from 'node:path'
import { interleave, summarize, timeMs } from '../measure.mjs'
import { runPtySink } from '../peers.mjs'

const LINES = 2_000_000
const COMMAND = ['seq', '1', String(LINES)]
const WAIT_TIMEOUT_MS = 120_000

/**
 * @typedef {import('../bench-home.mjs').BenchHome} BenchHome
 * @typedef {import('../bench-home.mjs').Client} Client
 * @typedef {import('../peers.mjs').Tmux} Tmux
 */

/** @type {import('../report.mjs').Row} */
export const seq = {
  name: 'seq',
  async run(bench) {
    const home = await bench.openHome()
    const client = await home.connect()
    const tmux = await bench.openTmux()
    const file = path.join(bench.root, 'raw')
    /** Of the host, in the rounds that count and the one before them. @type {number[]} */
    const cpu = []
    let session = ''
    const samples = await interleave(
      bench.rounds(7, 3),
      {
        session: async () => {
          const before = cpuMs(home.host.pid)
          const ms = await timeMs(async () => void (session = await runInSession(home, client)))
          cpu.push(cpuMs(home.host.pid) - before)
          home.removeLog(session) // else the disk fills up round by round
          return ms
        },
        tmux: () => (tmux === null ? Promise.resolve(Number.NaN) : timeMs(() => runInTmux(tmux))),
        sink: async () => (await runPtySink({ command: COMMAND, env: bench.env })).ms,
        file: async () => (await runPtySink({ command: COMMAND, env: bench.env, file })).ms,
      },
      (round) => bench.progress(`round ${round}`),
    )
    const line = { what: `\`seq 1 ${LINES}\` in a session`, unit: 'ms', measured: summarize(samples.session) }
    const tmuxSummary = tmux === null ? null : summarize(samples.tmux)
    return [
      {
        ...line,
        baseline: { what: 'in tmux', summary: tmuxSummary },
        target: { of: 'ratio', max: 1 },
      },
      { ...line, baseline: { what: 'in a bare pty sink', summary: summarize(samples.sink) }, target: null },
      {
        ...line,
        baseline: { what: 'in a pty sink that writes a raw file', summary: summarize(samples.file) },
        target: { of: 'ratio', max: 1.05 },
      },
      {
        what: 'CPU time of the host for it',
        unit: 'ms',
        measured: summarize(cpu.slice(1)),
        baseline: { what: 'with xterm.js in its place', summary: null, why: 'it was 2100 ms' },
        target: { of: 'value', max: 1260 },
      },
    ]
  },
}

/** @type {import('../report.mjs').Row} */
export const logSize = {
  name: 'log-size',
  async run(bench) {
    const home = await bench.openHome()
    const client = await home.connect()
    const file = path.join(bench.root, 'raw')
    const samples = await interleave(
      bench.rounds(3, 1),
      {
        log: async () => {
          const session = await runInSession(home, client)
          // Before compression: the size on disk depends on how far that has got.
          const { bytes } = await client.call('log.verify', { session })
          home.removeLog(session) // else the disk fills up round by round
          return bytes
        },
        raw: async () => (await runPtySink({ command: COMMAND, env: bench.env, file })).bytes,
      },
      (round) => bench.progress(`round ${round}`),
    )
    return [
      {
        what: `Event Log of \`seq 1 ${LINES}\``,
        unit: 'bytes',
        measured: summarize(samples.log),
        baseline: { what: 'its output as a raw file', summary: summarize(samples.raw) },
        target: { of: 'ratio', max: 1.02 },
      },
    ]
  },
}

/**
 * Ends when every byte is in the log and on the screen.
 * @param {BenchHome} home
 * @param {Client} client
 */
async function runInSession(home, client) {
  const session = await home.create(client, COMMAND)
  const { snapshot } = await client.call('session.wait', { session, exit: true, timeout_ms: WAIT_TIMEOUT_MS })
  if (!snapshot.lines.some(({ text }) => text === String(LINES))) throw new Error('the last line is missing')
  return session
}

/** The CPU time that a process has used. @param {number} pid */
function cpuMs(pid) {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number)
  return (user + system) * 10 // clock ticks of a hundredth of a second
}

/**
 * Ends when tmux has taken the last bytes from the pty, but for the few that it holds.
 * @param {Tmux} tmux
 */
async function runInTmux(tmux) {
  await tmux.newSession('seq', ['sh', '-c', `${COMMAND.join(' ')}; tmux wait-for -S done`])
  await tmux.run('wait-for', 'done')
}
