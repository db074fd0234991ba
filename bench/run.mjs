// @ts-check
/** `npm run bench`: measures the built product against its baselines, in one run, and prints the ratios. */
import * as fs from 'node:fs'
import { parseArgs } from 'node:util'
import { createReport, judge, missesRatio, renderTable } from './report.mjs'
import { ROWS } from './rows/all.mjs'
import { Workbench } from './workbench.mjs'

const RUN_MS_MAX = 15 * 60_000 // a full run takes two to three minutes; past this something hangs

const HELP = `npm run bench -- [options]

  npm run bench                           every row
  npm run bench -- --only seq --quick     one row, few samples
  npm run bench -- --json --out bench.json

  --only ROW    this row only; may be repeated: ${ROWS.map(({ name }) => name).join(', ')}
  --quick       few samples
  --json        one JSON object on standard output instead of the table
  --out FILE    the JSON object to a file, too
  --check       exit with 1 when a ratio misses its target (absolute times never count)
  --dist DIR    measure this build instead of packages/transom/dist
`

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    out: { type: 'string' },
    only: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    dist: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

if (options.help) process.stdout.write(HELP)
else process.exitCode = await main()

async function main() {
  const rows = selectRows(options.only)
  const bench = await Workbench.open({ quick: options.quick, dist: options.dist, progress: () => {} })
  const watchdog = stopOnSignals(bench)
  /** @type {import('./report.mjs').Report} */
  let report
  try {
    report = createReport({ ...(await runRows(bench, rows)), quick: bench.quick, tmux: bench.tmuxVersion })
  } finally {
    showProgress('')
    await bench.close()
    clearTimeout(watchdog)
  }
  const json = `${JSON.stringify(report, null, 2)}\n`
  process.stdout.write(options.json ? json : `${renderTable(report)}\n`)
  if (options.out !== undefined) fs.writeFileSync(options.out, json)
  return report.broken.length > 0 || (options.check && missesRatio(report)) ? 1 : 0
}

/** @param {string[] | undefined} names */
function selectRows(names) {
  if (names === undefined) return ROWS
  const unknown = names.find((name) => !ROWS.some((row) => row.name === name))
  if (unknown !== undefined) {
    process.stderr.write(`no row "${unknown}"; there are: ${ROWS.map(({ name }) => name).join(', ')}\n`)
    process.exit(64)
  }
  return ROWS.filter(({ name }) => names.includes(name))
}

/**
 * A row that breaks does not keep the others from being measured.
 * @param {Workbench} bench
 * @param {readonly import('./report.mjs').Row[]} rows
 */
async function runRows(bench, rows) {
  /** @type {import('./report.mjs').JudgedLine[]} */
  const lines = []
  /** @type {import('./report.mjs').Breakage[]} */
  const broken = []
  for (const [index, row] of rows.entries()) {
    if (bench.closed) await never // a signal came: its handler ends the process once all is cleaned up
    bench.progress = (text) => showProgress(`[${index + 1}/${rows.length}] ${row.name}: ${text}`)
    try {
      lines.push(...(await row.run(bench)).map((line) => judge(row.name, line)))
    } catch (error) {
      broken.push({ row: row.name, error: error instanceof Error ? error.message : String(error) })
    }
    bench.progress('cleaning up')
    await bench.closeRow()
  }
  return { lines, broken }
}

const never = new Promise(() => {})

/** @param {string} text */
function showProgress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
}

/** @param {Workbench} bench */
function stopOnSignals(bench) {
  const stop = (/** @type {string} */ why, /** @type {number} */ exitCode) => {
    process.stderr.write(`\nbench: ${why}; cleaning up\n`)
    void bench.close().finally(() => process.exit(exitCode))
  }
  process.once('SIGINT', () => stop('interrupted', 130))
  process.once('SIGTERM', () => stop('terminated', 143))
  return setTimeout(() => stop(`not done after ${RUN_MS_MAX / 60_000} minutes`, 1), RUN_MS_MAX)
}
