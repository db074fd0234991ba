import { spawn, type ChildProcess } from 'node:child_process'
import { MARK_SESSION_BITS } from './process-tree.ts'

/**
 * Reads until the host says a word (it leaves in order) or is gone (end of file). In the second case it kills
 * everything that carries the host's mark, as often as it still finds something; the rounds are bounded because
 * a zombie that nobody reaps keeps its mark.
 */
const SCRIPT = `
read -r word && exit 0
round=0 found=1
while [ "$found" ] && [ "$round" -lt 20 ]; do
  found= round=$((round + 1))
  for folder in /proc/[0-9]*; do
    while read -r _ name kind soft _; do
      [ "$name $kind" = 'realtime timeout' ] || continue
      [ "$soft" = unlimited ] || [ $((soft >> ${MARK_SESSION_BITS})) -ne "$1" ] || { kill -KILL "\${folder#/proc/}" && found=1; }
      break
    done <"$folder/limits"
  done 2>/dev/null
done
`

/**
 * A shell of one megabyte that outlives the host for a moment: when the host is killed, no process of its
 * sessions remains, even one that ignores the hang-up of its terminal or has left it.
 */
export class Keeper {
  readonly #process: ChildProcess

  constructor(hostMark: bigint) {
    this.#process = spawn('/bin/sh', ['-c', SCRIPT, 'transom-keeper', String(hostMark)], {
      detached: true, // a signal to the host's group must not end it too
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
    })
    this.#process.on('error', () => {}) // without a shell there is no keeper, and the next host cleans up
    this.#process.unref()
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  /** The host leaves in order: nothing is to be killed. */
  dismiss(): void {
    this.#process.stdin?.end('leave\n')
  }
}
