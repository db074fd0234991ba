// @ts-check
import * as path from 'node:path'
import { interleave, summarize, timeMs } from '../measure.mjs'
import { startEchoServer } from '../peers.mjs'

/**
 * @typedef {import('../workbench.mjs').Workbench} Workbench
 * @typedef {import('../bench-home.mjs').Client} Client
 */

/** @type {import('../report.mjs').Row} */
export const socketSnapshot = {
  name: 'socket-snapshot',
  run: (bench) =>
    compareWithEcho(bench, 'snapshot over an open socket', (client, session) =>
      client.call('session.snapshot', { session }),
    ),
}

/** @type {import('../report.mjs').Row} */
export const socketType = {
  name: 'socket-type',
  run: (bench) =>
    compareWithEcho(bench, 'type over an open socket', (client, session) =>
      client.call('session.type', { session, text: 'x', enter: true }),
    ),
}

/**
 * Calls an operation of a session, and a bare server that gives the same answer, in turn.
 * @param {Workbench} bench
 * @param {string} what
 * @param {(client: Client, session: string) => Promise<unknown>} call
 * @returns {Promise<import('../report.mjs').Line[]>}
 */
async function compareWithEcho(bench, what, call) {
  const home = await bench.openHome()
  const client = await home.connect()
  const session = await startFilledScreen(home, client)
  const socket = path.join(bench.root, 'run', `${what.split(' ')[0]}-echo`)
  const server = await startEchoServer({ socket, result: await call(client, session), env: bench.env })
  bench.defer(() => server.close())
  const echo = await home.connectTo(socket)
  const samples = await interleave(
    bench.rounds(2000, 300),
    {
      call: () => timeMs(() => call(client, session)),
      echo: () => timeMs(() => call(echo, session)),
    },
    (round) => bench.progress(`call ${round}`),
  )
  server.close()
  return [
    {
      what,
      unit: 'ms',
      measured: summarize(samples.call),
      baseline: { what: 'the same answer from a bare socket server', summary: summarize(samples.echo) },
      target: { of: 'value', max: 1 },
    },
  ]
}

/**
 * A session whose screen is full of text and whose program reads its input.
 * @param {import('../bench-home.mjs').BenchHome} home
 * @param {Client} client
 */
export async function startFilledScreen(home, client) {
  const script = 'seq 1000 1099 | paste -sd " " - | fold -w 70; seq 1 15; echo ready; cat >/dev/null'
  const session = await home.create(client, ['sh', '-c', script])
  await client.call('session.wait', { session, text: 'ready' })
  return session
}
