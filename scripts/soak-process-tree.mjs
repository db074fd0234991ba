// Processes and their parents, from /proc.
import * as fs from 'node:fs'

/** @typedef {{ pid: number, parent: number, argv: string[] }} Process */

/** @returns {Process[]} */
export function livingProcesses() {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)))
}

/** A process and all that descend from it, parents first. */
export function processTree(/** @type {number} */ root) {
  const all = livingProcesses()
  const tree = all.filter(({ pid }) => pid === root)
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid))
  return tree
}

/** @returns {Process[]} */
function readProcess(/** @type {number} */ pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (state === 'Z') return []
    return [
      { pid, parent: Number(parent), argv: fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0') },
    ]
  } catch {
    return [] // ended between the listing and the look
  }
}
