// @ts-check
import { BarePty } from '../bare-pty.mjs'
import { interleave, msSince, summarize } from '../measure.mjs'
import { programPath } from '../peers.mjs'

const COMMAND = [process.execPath, programPath('printer.mjs')]

/**
 * @typedef {import('../bench-home.mjs').BenchHome} BenchHome
 * @typedef {import('../measure.mjs').Task} Task
 */

/** @type {import('../report.mjs').Row} */
export const printToWait = {
  name: 'print-to-wait',
  async run(bench) {
    const wait = await sessionTask(await bench.openHome())
    const bare = await barePtyTask(bench)
    const samples = await interleave(bench.rounds(300, 60), { wait, bare: bare.task }, (round) =>
      bench.progress(`line ${round}`),
    )
    bare.close()
    return [
      {
        what: 'text printed → wait returns',
        unit: 'ms',
        measured: summarize(samples.wait),
        baseline: { what: 'text printed → read from a bare pty', summary: summarize(samples.bare) },
        target: { of: 'value', max: 5 },
      },
    ]
  },
}

/**
 * @param {BenchHome} home
 * @returns {Promise<Task>}
 */
async function sessionTask(home) {
  const client = await home.connect()
  const session = await home.create(client, COMMAND)
  await client.call('session.wait', { session, text: 'ready' })
  let count = 0
  return async () => {
    count++
    const [{ match }] = await Promise.all([
      client.call('session.wait', { session, text: `printed-${count} at ` }),
      client.call('session.keys', { session, keys: ['x'] }),
    ])
    return ageMs(match?.line ?? '', count)
  }
}

/**
 * @param {import('../workbench.mjs').Workbench} bench
 * @returns {Promise<{ task: Task, close: () => void }>}
 */
async function barePtyTask(bench) {
  let count = 0
  /** @type {(text: string) => void} */
  let onText = () => {}
  const ready = new Promise((resolve) => (onText = resolve))
  const onData = (/** @type {Buffer} */ chunk) => onText(chunk.toString('latin1'))
  const pty = new BarePty({ command: COMMAND, env: bench.env, onData })
  bench.defer(() => pty.close())
  await ready
  const task = async () => {
    count++
    const line = new Promise((/** @type {(text: string) => void} */ resolve) => (onText = resolve))
    pty.write('x')
    return ageMs(await line, count)
  }
  return { task, close: () => pty.close() }
}

/**
 * How long ago the program printed this line.
 * @param {string} line
 * @param {number} count
 */
function ageMs(line, count) {
  const found = /printed-(\d+) at (\d+)\./.exec(line)
  if (Number(found?.[1]) !== count) throw new Error(`expected line ${count}, got ${JSON.stringify(line)}`)
  return msSince(BigInt(found?.[2] ?? 0))
}
