import { spawn, type ChildProcess } from 'node:child_process'
import script from './keeper.sh'
import { platform } from './current-platform.ts'
import { MARK_SESSION_BITS } from './platform.ts'
import { EMPTY_LISTINGS } from './process-tree.ts'

/** The word by which keeper.sh knows that the host leaves in order. */
const LEAVE = 'leave'

/**
 * A shell of one megabyte that outlives the host for a moment: when the host is killed, no process of its
 * sessions remains, even one that ignores the hang-up of its terminal or has left it.
 */
export class Keeper {
  readonly #process: ChildProcess

  constructor(hostMark: bigint) {
    const groups = platform().groupsOfHost(hostMark) ?? ''
    const values = [String(hostMark), String(MARK_SESSION_BITS), String(EMPTY_LISTINGS), groups]
    this.#process = spawn('/bin/sh', ['-c', script, 'transom-keeper', ...values], {
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
