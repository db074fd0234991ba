// @ts-check
/** What a run of the bench says, for people and for programs. */
import * as os from 'node:os'

/**
 * @typedef {import('./measure.mjs').Summary} Summary
 * @typedef {{ of: 'ratio' | 'value', max: number }} Target A ratio counts anywhere; a value only on a known machine.
 * @typedef {{ what: string, summary: Summary | null, why?: string }} Baseline `summary` is null when there is no such peer; `why` tells.
 * @typedef {{ what: string, unit: string, measured: Summary, baseline: Baseline, target: Target | null }} Line
 * @typedef {{ name: string, run: (bench: import('./workbench.mjs').Workbench) => Promise<Line[]> }} Row
 * @typedef {Line & { row: string, ratio: number | null, ok: boolean | null }} JudgedLine
 * @typedef {{ row: string, error: string }} Breakage
 * @typedef {{
 *   machine: ReturnType<typeof describeMachine>,
 *   quick: boolean,
 *   lines: JudgedLine[],
 *   missed: string[],
 *   broken: Breakage[],
 * }} Report
 */

/**
 * @param {string} row
 * @param {Line} line
 * @returns {JudgedLine}
 */
export function judge(row, line) {
  const { measured, baseline, target } = line
  const ratio = baseline.summary === null ? null : measured.median / baseline.summary.median
  const judged = target?.of === 'value' ? measured.median : ratio
  const ok = target === null || judged === null ? null : judged <= target.max
  return { row, ...line, ratio, ok }
}

/**
 * @param {{ lines: JudgedLine[], broken: Breakage[], quick: boolean, tmux: string | null }} run
 * @returns {Report}
 */
export function createReport({ lines, broken, quick, tmux }) {
  const missed = lines.filter(({ ok }) => ok === false).map(({ row }) => row)
  return { machine: describeMachine(tmux), quick, lines, missed: [...new Set(missed)], broken }
}

/** @param {Report} report */
export function missesRatio({ lines }) {
  return lines.some(({ ok, target }) => ok === false && target?.of === 'ratio')
}

/** @param {string | null} tmux */
function describeMachine(tmux) {
  const [cpu] = os.cpus()
  return {
    cores: os.availableParallelism(),
    cpu: cpu?.model.trim() ?? 'unknown',
    kernel: `${os.type()} ${os.release()}`,
    node: process.version,
    tmux,
    load: os.loadavg().map((load) => Number(load.toFixed(2))),
    date: new Date().toISOString(),
  }
}

/** @param {Report} report */
export function renderTable({ machine, quick, lines, broken }) {
  const header = ['row', 'measured (p10–p90)', 'baseline (p10–p90)', 'ratio', 'target', '']
  const cells = lines.map((line) => [
    `${line.row}: ${line.what}`,
    quantity(line.measured, line.unit),
    line.baseline.summary === null
      ? `${line.baseline.what}: ${line.baseline.why ?? 'not installed'}`
      : `${line.baseline.what}: ${quantity(line.baseline.summary, line.unit)}`,
    line.ratio === null ? '–' : line.ratio.toFixed(line.unit === 'bytes' ? 4 : 2),
    targetWords(line),
    line.ok === null ? '' : line.ok ? 'ok' : 'MISS',
  ])
  const widths = header.map((_, column) =>
    Math.max(...[header, ...cells].map((row) => row[column]?.length ?? 0)),
  )
  const table = [header, ...cells].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return [
    ...table,
    ...broken.map(({ row, error }) => `${row}: BROKEN: ${error}`),
    '',
    `${machine.cores} cores (${machine.cpu}), ${machine.kernel}, Node ${machine.node}, ${machine.tmux ?? 'no tmux'}, load ${machine.load.join(' ')}`,
    `medians of samples taken in turn with their baseline's${quick ? '; --quick: few samples' : ''}`,
  ].join('\n')
}

/** @param {Line} line */
function targetWords({ target, unit }) {
  if (target === null) return ''
  return target.of === 'ratio' ? `≤ ${target.max} ×` : `≤ ${target.max} ${unit}`
}

/**
 * @param {Summary} summary
 * @param {string} unit
 */
function quantity({ median, p10, p90 }, unit) {
  const digits = unit === 'bytes' || median >= 100 ? 0 : median >= 10 ? 1 : median >= 1 ? 2 : 3
  return `${median.toFixed(digits)} ${unit} (${p10.toFixed(digits)}–${p90.toFixed(digits)})`
}
