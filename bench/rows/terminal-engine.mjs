// @ts-check
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { importSource } from '../../scripts/build.mjs'
import { interleave, summarize } from '../measure.mjs'
import { CORPORA } from '../terminal-corpora.mjs'

const [COLS, ROWS] = [120, 40]
const MEGABYTE = 1_000_000
/** What a pty's reader may get at once under load; a frame is read after each, where frames are. */
const CHUNK_BYTES = 64 << 10
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** @typedef {typeof import('../programs/terminal-engine.ts')} Engines */

/** @type {import('../report.mjs').Row} */
export const terminalEngine = {
  name: 'terminal-engine',
  async run(bench) {
    const engines = /** @type {Engines} */ (
      await importSource(path.join(ROOT, 'bench/programs/terminal-engine.ts'))
    )
    const createGhostty = engines.loadGhostty()
    const lines = []
    /** @type {{ xterm: number[], ghostty: number[] }} */
    const logRatios = { xterm: [], ghostty: [] }
    for (const [name, create] of Object.entries(CORPORA)) {
      bench.progress(name)
      const bytes = create(bench.rounds(6, 2) * MEGABYTE)
      const samples = await interleave(bench.rounds(5, 2), {
        write: async () => cpuPerMegabyte(new engines.VtEmulator(COLS, ROWS), bytes),
        frames: async () => cpuPerMegabyte(new engines.VtEmulator(COLS, ROWS), bytes, true),
        xterm: async () => cpuPerMegabyte(new engines.XtermOracle(COLS, ROWS), bytes),
        ghostty: async () =>
          createGhostty === null ? Number.NaN : ghosttyCpu(createGhostty(COLS, ROWS), bytes),
      })
      const write = summarize(samples.write)
      const frames = summarize(samples.frames)
      const xterm = summarize(samples.xterm)
      const ghostty = createGhostty === null ? null : summarize(samples.ghostty)
      logRatios.xterm.push(Math.log(write.median / xterm.median))
      if (ghostty !== null) logRatios.ghostty.push(Math.log(write.median / ghostty.median))
      const baseline = { what: '@xterm/headless', summary: xterm }
      lines.push({ what: name, unit: 'ms CPU/MB', measured: write, baseline, target: ratio(0.4) })
      lines.push({
        what: name,
        unit: 'ms CPU/MB',
        measured: write,
        baseline: { what: 'libghostty-vt', summary: ghostty },
        target: ratio(1),
      })
      lines.push({
        what: `${name}, a frame each 64 KB`,
        unit: 'ms CPU/MB',
        measured: frames,
        baseline,
        target: null,
      })
    }
    lines.push(meanLine('@xterm/headless', logRatios.xterm, 0.25))
    if (createGhostty !== null) lines.push(meanLine('libghostty-vt', logRatios.ghostty, 0.5))
    return lines
  },
}

/**
 * @param {string} what
 * @param {readonly number[]} logRatios
 * @param {number} max
 * @returns {import('../report.mjs').Line}
 */
function meanLine(what, logRatios, max) {
  const mean = Math.exp(logRatios.reduce((sum, value) => sum + value, 0) / logRatios.length)
  return {
    what: 'all of them (geometric mean of the ratios)',
    unit: '×',
    measured: summarize([mean]),
    baseline: { what, summary: summarize([1]) },
    target: ratio(max),
  }
}

/**
 * @param {import('../programs/ghostty-terminal.ts').GhosttyTerminal} terminal
 * @param {Uint8Array} bytes
 */
function ghosttyCpu(terminal, bytes) {
  try {
    return cpuPerMegabyte(terminal, bytes)
  } finally {
    terminal.close()
  }
}

/** @param {number} max @returns {import('../report.mjs').Target} */
function ratio(max) {
  return { of: 'ratio', max }
}

/**
 * @param {{ write(bytes: Uint8Array): void, frame?(): unknown }} emulator
 * @param {Uint8Array} bytes
 */
function cpuPerMegabyte(emulator, bytes, readsFrames = false) {
  const before = process.cpuUsage()
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    emulator.write(bytes.subarray(at, at + CHUNK_BYTES))
    if (readsFrames) emulator.frame?.()
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / (bytes.length / MEGABYTE)
}
