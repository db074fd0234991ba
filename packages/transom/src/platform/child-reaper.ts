import { platform } from './current-platform.ts'

/**
 * Makes this process the parent of every orphan below it: it takes them off the process table when they end, and
 * notifies callers that wait for a process tree to end. Children that libuv or the pty binding wait for are theirs.
 */
export class ChildReaper {
  readonly #leftAlone = new Set<number>()
  readonly #waiting = new Set<() => void>()
  readonly #onSignal = () => this.#childEnded()

  start(): void {
    platform().adoptOrphans()
    process.on('SIGCHLD', this.#onSignal)
  }

  stop(): void {
    process.off('SIGCHLD', this.#onSignal)
  }

  /** Leaves `pid` alone until forget(): another owner waits for it. */
  leave(pid: number): void {
    this.#leftAlone.add(pid)
  }

  forget(pid: number): void {
    this.#leftAlone.delete(pid)
  }

  /** The orphans that have come to this process. */
  adopted(): number[] {
    return platform()
      .ownChildren()
      .filter((pid) => !this.#leftAlone.has(pid))
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
    const system = platform()
    for (const pid of this.adopted()) if (system.processFacts(pid)?.state === 'Z') system.reapChild(pid)
    for (const wake of this.#waiting) wake()
  }
}
