// @ts-check
import * as fs from 'node:fs'
import * as path from 'node:path'
import { clockNs, interleave, msSince, summarize, timeMs } from '../measure.mjs'
import { runProcess } from '../peers.mjs'
import { COLS, LAST_LINE, ROWS, servePages } from '../web-browser.mjs'

/**
 * @typedef {import('../workbench.mjs').Workbench} Workbench
 * @typedef {import('../bench-home.mjs').BenchHome} BenchHome
 * @typedef {import('../bench-home.mjs').Client} Client
 * @typedef {(round: number) => string[]} Browser Its command line, for a fresh profile each time.
 */

/** What npm has of 0.0.3. 60 MB to fetch, 170 MB unpacked: fetched when the row runs, and no dependency. */
const CARBONYL = 'carbonyl@0.0.3-next.ab80a27'
const INSTALL_TIMEOUT_MS = 180_000
const SHOWN_TIMEOUT_MS = 30_000

/**
 * Both browsers for people, on the same page, each on a pty of a session.
 * @type {import('../report.mjs').Row}
 */
export const carbonyl = {
  name: 'carbonyl',
  run: async (bench) => {
    const url = await servePages(bench)
    const home = await bench.openHome()
    const client = await home.connect()
    const ours = () => [process.execPath, bench.awiTty, 'open', url, '--allow-host', '127.0.0.1']
    bench.progress(`fetching ${CARBONYL}`)
    const theirs = await findCarbonyl(bench, url)
    if (theirs.browser === null) return compare(bench, { home, client, ours, theirs: null, why: theirs.why })
    const first = await startOnce(home, client, theirs.browser(0)).catch(
      (/** @type {Error} */ error) => error,
    )
    return first instanceof Error
      ? compare(bench, { home, client, ours, theirs: null, why: `it does not run here: ${first.message}` })
      : compare(bench, { home, client, ours, theirs: theirs.browser, why: '' })
  },
}

/**
 * @param {Workbench} bench
 * @param {{ home: BenchHome, client: Client, ours: Browser, theirs: Browser | null, why: string }} peers
 * @returns {Promise<import('../report.mjs').Line[]>}
 */
async function compare(bench, { home, client, ours, theirs, why }) {
  let round = 0
  const browsers = { ours, ...(theirs === null ? {} : { theirs }) }
  const starts = await interleave(
    bench.rounds(15, 3),
    mapValues(browsers, (browser) => () => startOnce(home, client, browser(++round))),
    (at) => bench.progress(`start ${at}`),
  )
  /** @type {Record<string, import('../measure.mjs').Task>} */
  const presses = {}
  for (const [name, browser] of Object.entries(browsers)) {
    presses[name] = await openPresses(home, client, browser(++round))
  }
  const keys = await interleave(bench.rounds(100, 20), presses, (at) => bench.progress(`key ${at}`))
  /** @type {(what: string, samples: Record<string, number[]>) => import('../report.mjs').Line} */
  const line = (what, samples) => ({
    what,
    unit: 'ms',
    measured: summarize(samples['ours'] ?? []),
    baseline: {
      what: 'Carbonyl 0.0.3',
      summary: samples['theirs'] === undefined ? null : summarize(samples['theirs']),
      why,
    },
    target: null,
  })
  return [
    line('`awi-tty open` of a local page → all its text on a pty', starts),
    line('key typed → cells of the pty changed', keys),
  ]
}

/**
 * @template V, W
 * @param {Record<string, V>} record
 * @param {(value: V) => W} map
 * @returns {Record<string, W>}
 */
function mapValues(record, map) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))
}

/**
 * How long a browser takes to show the page.
 * @param {BenchHome} home
 * @param {Client} client
 * @param {string[]} command
 */
async function startOnce(home, client, command) {
  const startNs = clockNs()
  const session = await home.create(client, command, { cols: COLS, rows: ROWS })
  try {
    await shows(client, session, LAST_LINE)
    return msSince(startNs)
  } finally {
    await client.call('session.destroy', { session })
  }
}

/**
 * A browser that shows the page; the task presses a key and waits for what the page says of it.
 * @param {BenchHome} home
 * @param {Client} client
 * @param {string[]} command
 * @returns {Promise<import('../measure.mjs').Task>}
 */
async function openPresses(home, client, command) {
  const session = await home.create(client, command, { cols: COLS, rows: ROWS })
  await shows(client, session, LAST_LINE)
  let pressed = 0
  return async () => {
    await client.call('session.wait', { session, screen_stable_ms: 100, timeout_ms: SHOWN_TIMEOUT_MS })
    const shown = shows(client, session, `pressed-${++pressed}`)
    return timeMs(async () => {
      await Promise.all([client.call('session.keys', { session, keys: ['Right'] }), shown])
    })
  }
}

/**
 * @param {Client} client
 * @param {string} session
 * @param {string} text
 */
async function shows(client, session, text) {
  await client.call('session.wait', { session, text, timeout_ms: SHOWN_TIMEOUT_MS })
}

/**
 * Carbonyl from the npm registry, or why there is none.
 * @param {Workbench} bench
 * @param {string} url
 * @returns {Promise<{ browser: Browser } | { browser: null, why: string }>}
 */
async function findCarbonyl(bench, url) {
  const folder = path.join(bench.root, 'carbonyl')
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, 'package.json'), '{}')
  try {
    const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', CARBONYL]
    await runProcess('npm', args, npmEnvironment(), { cwd: folder, timeoutMs: INSTALL_TIMEOUT_MS })
    const print = ['-p', `require('carbonyl')`]
    const file = (await runProcess(process.execPath, print, bench.env, { cwd: folder })).trim()
    fs.accessSync(file, fs.constants.X_OK)
    const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [] // Chromium has none for root, and ours none either
    return {
      browser: (round) => [file, ...sandbox, `--user-data-dir=${path.join(folder, `profile${round}`)}`, url],
    }
  } catch (error) {
    return { browser: null, why: `it could not be installed: ${reasonOf(error)}` }
  }
}

/** What npm gives for a reason, which comes after the code; else what there is, in one line. */
function reasonOf(/** @type {unknown} */ error) {
  const { message } = /** @type {Error} */ (error)
  const [code, reason] = [...message.matchAll(/npm error (.*)/g)].map(([, words]) => words)
  return reason ?? code ?? message.split('\n')[0]
}

/** The caller's own, with its npm cache and registry, but without what `npm run` adds for this project. */
function npmEnvironment() {
  const entries = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))
  return /** @type {Record<string, string>} */ (Object.fromEntries(entries))
}
