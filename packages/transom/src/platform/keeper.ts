import { spawn, type ChildProcess } from 'node:child_process'
import { EMPTY_LISTINGS, MARK_SESSION_BITS } from './process-tree.ts'

const LEAVE = 'leave'

/**
 * Reads until the host says that it leaves in order, or is gone (end of file). In the second case it kills
 * everything that carries the host's mark, until it has found nothing several times in a row, and removes the folders
 * that the host has named; the rounds are bounded because a zombie that nobody reaps keeps its mark. Who has no mark
 * never gets one, and is looked at only once: a round must be faster than a process that forks and ends.
 */
const SCRIPT = `
mark=$1
shift
while IFS= read -r line; do
  case $line in ${LEAVE}) exit 0 ;; /*) set -- "$@" "$line" ;; esac
done
round=0 empty=0 innocent=' '
while [ "$empty" -lt ${EMPTY_LISTINGS} ] && [ "$round" -lt 500 ]; do
  empty=$((empty + 1)) round=$((round + 1))
  for folder in /proc/[0-9]*; do
    pid=\${folder#/proc/}
    case $innocent in *" $pid "*) continue ;; esac
    while read -r _ name kind soft _; do
      [ "$name $kind" = 'realtime timeout' ] || continue
      if [ "$soft" != unlimited ] && [ $((soft >> ${MARK_SESSION_BITS})) -eq "$mark" ]; then
        kill -KILL "$pid" && empty=0
      else
        innocent="$innocent$pid "
      fi
      break
    done <"$folder/limits"
  done 2>/dev/null
done
[ $# -eq 0 ] || rm -rf -- "$@"
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
    this.#process.stdin?.on('error', () => {}) // as above
    this.#process.unref()
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  /** When the host is killed, this folder goes with its processes. */
  removeLater(folder: string): void {
    if (!folder.includes('\n')) this.#process.stdin?.write(`${folder}\n`)
  }

  /** The host leaves in order: nothing is to be killed. */
  dismiss(): void {
    this.#process.stdin?.end(`${LEAVE}\n`)
  }
}
