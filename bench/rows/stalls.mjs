// @ts-check
/** What one costly request, or one program's costly output, does to the others. */
import * as path from 'node:path'
import { startEchoSession } from '../echo-session.mjs'
import { summarize } from '../measure.mjs'

/**
 * @typedef {import('../bench-home.mjs').BenchHome} BenchHome
 * @typedef {import('../bench-home.mjs').Client} Client
 * @typedef {{ home: BenchHome, client: Client, folder: string, log: string, large: string, small: string }} Scene
 */

const IDLE_SAMPLES = 300
const STALL_MS_MAX = 250
const LARGE = { cols: 1000, rows: 1000 }
/** Fills every cell, in colour. */
const FILL = `printf '\\033[31m'; head -c 1000000 /dev/zero | tr '\\0' x; echo; echo filled; exec cat`

/** @type {import('../report.mjs').Row} */
export const stalls = {
  name: 'stalls',
  async run(bench) {
    const home = await bench.openHome()
    const client = await home.connect()
    const echo = await startEchoSession(home, await home.connect())
    bench.progress('a long log')
    const scene = await setTheScene(home, client, { folder: bench.root, megabytes: bench.rounds(100, 20) })
    await echo.sample(IDLE_SAMPLES)
    const idle = await echo.sample(IDLE_SAMPLES)
    /** @type {{ name: string, samples: number[] }[]} */
    const measured = []
    for (const [name, request] of Object.entries({ ...REQUESTS, ...outputs() })) {
      bench.progress(name)
      /** @type {number[]} */
      const samples = []
      for (let round = 0; round < bench.rounds(3, 1); round++)
        samples.push(...(await echo.sampleDuring(request(scene))))
      measured.push({ name, samples })
    }
    const idleP99 = summarize([summarize(idle).p99])
    const longest = measured
      .map(({ name, samples }) => ({ name, ms: Math.max(...samples) }))
      .reduce((one, other) => (other.ms > one.ms ? other : one))
    const what = { what: 'p99 while the host is idle', summary: idleP99 }
    return [
      ...measured.map(({ name, samples }) => ({
        what: `type → echo, p99 of ${samples.length}, beside ${name}`,
        unit: 'ms',
        measured: summarize([summarize(samples).p99]),
        baseline: what,
        target: /** @type {const} */ ({ of: 'ratio', max: 5 }),
      })),
      {
        what: `the longest stall, beside ${longest.name}`,
        unit: 'ms',
        measured: summarize([longest.ms]),
        baseline: what,
        target: { of: 'value', max: STALL_MS_MAX },
      },
    ]
  },
}

/**
 * @param {BenchHome} home
 * @param {Client} client
 * @param {{ folder: string, megabytes: number }} options
 * @returns {Promise<Scene>}
 */
async function setTheScene(home, client, { folder, megabytes }) {
  const lines = `seq 1 99999999 | head -c ${megabytes}000000`
  const log = await home.create(client, ['sh', '-c', lines])
  await client.call('session.wait', { session: log, exit: true, timeout_ms: 300_000 })
  const large = await home.create(client, ['sh', '-c', FILL], LARGE)
  await client.call('session.wait', { session: large, text: 'filled' })
  const small = await home.create(client, ['cat'])
  return { home, client, folder, log, large, small }
}

let files = 0
const newFile = (/** @type {Scene} */ { folder }, /** @type {string} */ ending) =>
  path.join(folder, `stall-${++files}${ending}`)
const refused = () => {}

/** @type {Readonly<Record<string, (scene: Scene) => Promise<unknown>>>} */
const REQUESTS = {
  'the largest pattern': ({ client, small }) =>
    client
      .call('session.wait', { session: small, regex: '(?:.{0,30}){20}[xy]Q', timeout_ms: 500 })
      .catch(refused),
  'a pattern on the largest screen': ({ client, large }) =>
    client.call('session.wait', { session: large, regex: 'x+y', timeout_ms: 500 }).catch(refused),
  'a text export of a long log': (scene) =>
    scene.client.call('log.export', { session: scene.log, format: 'text', out: newFile(scene, '.txt') }),
  'a JSON export of a long log': (scene) =>
    scene.client.call('log.export', { session: scene.log, format: 'jsonl', out: newFile(scene, '.jsonl') }),
  'a snapshot of an ended session': ({ client, log }) => client.call('session.snapshot', { session: log }),
  'a recording of a long log': (scene) =>
    scene.client.call('session.export', { session: scene.log, out: newFile(scene, '.cast') }),
  'a bundle of the largest screen': (scene) =>
    scene.client.call('artifacts.bundle', { session: scene.large, out: newFile(scene, '.zip') }),
  'a text of a megabyte': ({ client, small }) =>
    client.call('session.paste', { session: small, text: 'x\n'.repeat(500_000) }).catch(refused),
  'JSON with 50,000 values': ({ client, small }) =>
    client
      .call(
        'session.batch',
        /** @type {any} */ ({
          session: small,
          steps: Array.from({ length: 12_000 }, () => ({ step: [1, 2] })),
        }),
      )
      .catch(refused),
  'a session with 9,000 variables': async ({ client }) => {
    const env = Object.fromEntries(Array.from({ length: 9000 }, (_, index) => [`V${index}`, 'x']))
    await client.call('session.create', { command: ['true'], cwd: '/', env }).catch(refused)
  },
  'a batch of 1000 snapshots': ({ client, small }) =>
    client.call('session.batch', {
      session: small,
      steps: Array.from({ length: 1000 }, () => ({ step: 'snapshot' })),
    }),
  'a snapshot of the largest screen with its cells': ({ client, large }) =>
    client.call('session.snapshot', { session: large, cells: true }),
  'a picture of 400 rows of 1000 cells': (scene) =>
    scene.client.call('session.screenshot', {
      session: scene.large,
      crop_rows: '0-399',
      out: newFile(scene, '.png'),
    }),
  'a difference of the largest screen': ({ client, large }) =>
    client.call('session.diff', /** @type {any} */ ({ session: large, since: 1 })).catch(refused),
  'resizes of the largest screen': async ({ client, large }) => {
    await client.call('session.resize', { session: large, cols: 700, rows: 900 })
    await client.call('session.resize', { session: large, ...LARGE })
  },
}

/** Programs that print 4 KB of a sequence on the largest screen. */
function outputs() {
  const sequences = {
    'scrolls by all rows': '\\033[999S',
    'repeated characters': 'A\\033[99999b',
    'alignment patterns': '\\033#8',
    erasures: '\\033[41m\\033[2J',
    'rectangles that are copied': '\\033[1;1;999;999;1;2;2;1$v',
    'rectangles of attributes': '\\033[1;1;999;999;1;4;7$r',
    'synchronized updates': 'x\\033[?2026h\\033[?2026l',
  }
  return Object.fromEntries(
    Object.entries(sequences).map(([name, sequence]) => [
      `a program that prints ${name}`,
      async (/** @type {Scene} */ { home, client }) => {
        const script = `i=0; while [ $i -lt 300 ]; do printf '${sequence}'; i=$((i+1)); done`
        const session = await home.create(client, ['sh', '-c', script], LARGE)
        await client.call('session.wait', { session, exit: true, timeout_ms: 60_000 })
      },
    ]),
  )
}
