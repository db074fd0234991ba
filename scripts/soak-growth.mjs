// What the soaks have in common: how long they run, what they count, and when a count has grown too much.
import * as fs from 'node:fs'
import { parseArgs } from 'node:util'

const GROWTH_MAX = 1.1
const MEMORY_SLACK_BYTES = 8 << 20 // a garbage collector's mood

/** `--minutes N`; an hour when left out. */
export function minutesOption() {
  const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' } } })
  const minutes = Number(values.minutes)
  if (!(minutes > 0)) throw new Error(`--minutes needs a number above 0 (got ${values.minutes})`)
  return minutes
}

/** Calls `round` again and again for some minutes; resolves with how often. */
export async function repeatFor(
  /** @type {number} */ minutes,
  /** @type {(ordinal: number) => Promise<void>} */ round,
) {
  const end = performance.now() + minutes * 60_000
  let rounds = 0
  while (performance.now() < end) {
    await round(rounds++)
    if (process.stderr.isTTY)
      process.stderr.write(`\r${Math.round((end - performance.now()) / 1000)} s left `)
  }
  return rounds
}

/**
 * Throws when a count is more than a tenth above what it was after a quarter of the run. `slacks` has what may come and
 * go on top of that, by name.
 */
export function checkGrowth(
  /** @type {Record<string, number>} */ quarter,
  /** @type {Record<string, number>} */ end,
  /** @type {Record<string, number>} */ slacks = {},
) {
  const grown = Object.entries(end).filter(([name, count]) => {
    const slack = slacks[name] ?? (name.endsWith('Bytes') ? MEMORY_SLACK_BYTES : 1)
    return count > (quarter[name] ?? 0) * GROWTH_MAX + slack
  })
  if (grown.length > 0)
    throw new Error(`grew by more than a tenth: ${grown.map(([name]) => name).join(', ')}`)
}

/** What the open files of a process are. */
export function openFiles(/** @type {number} */ pid) {
  return fs.readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [fs.readlinkSync(`/proc/${pid}/fd/${fd}`)]
    } catch {
      return [] // closed since the listing
    }
  })
}

export function threadCount(/** @type {number} */ pid) {
  return fs.readdirSync(`/proc/${pid}/task`).length
}

/** A field of /proc/PID/status or /proc/PID/smaps_rollup that is in kB, as bytes. */
export function memoryBytes(/** @type {string} */ file, /** @type {string} */ field) {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(fs.readFileSync(file, 'utf8'))?.[1]) * 1024
}
