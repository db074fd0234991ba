import * as fs from 'node:fs'
import { becomeSubreaper, reapChild } from '../lib/native.ts'
import { processState } from './process-tree.ts'

/**
 * Makes this process the parent of every orphan below it: it takes them off the process table when they end, and
 * tells whoever waits for a process tree to be gone. Children that libuv or the pty binding wait for are theirs.
 */
export class ChildReaper {
  readonly #ownChildren = new Set<number>()
  readonly #waiting = new Set<() => void>()
  readonly #onSignal = () => this.#childEnded()

  start(): void {
    becomeSubreaper()
    process.on('SIGCHLD', this.#onSignal)
  }

  stop(): void {
    process.off('SIGCHLD', this.#onSignal)
  }

  /** Leaves `pid` alone until forget(): somebody else waits for it. */
  leave(pid: number): void {
    this.#ownChildren.add(pid)
  }

  forget(pid: number): void {
    this.#ownChildren.delete(pid)
  }

  /** Resolves at the next end of a child, or when `signal` aborts. */
  async nextExit(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    await new Promise<void>((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      this.#waiting.add(wake)
      signal.addEventListener('abort', wake)
    })
  }

  #childEnded(): void {
    for (const pid of readChildren()) {
      if (!this.#ownChildren.has(pid) && processState(pid) === 'Z') reapChild(pid)
    }
    for (const wake of this.#waiting) wake()
  }
}

function readChildren(): number[] {
  // Children belong to the thread that forked them: the main one, whose id is the process id.
  const file = `/proc/self/task/${process.pid}/children`
  try {
    return fs.readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return [] // a kernel without this file: orphans stay as zombies until the host ends
  }
}
