import type { Actor, ExitRecord, Fact } from '@transom/protocol'
import type { Manifest } from '../home/manifest.ts'
import { Deferred } from '../lib/deferred.ts'
import type { Scope } from '../lib/scope.ts'
import { messageOf } from '../lib/system-error.ts'
import type { Journal } from './journal.ts'
import type { Source } from './kind.ts'
import { hasEnded, type EndReason, type FailureCause } from './lifecycle.ts'
import type { LimitWatch } from './limits.ts'
import type { ManifestKeeper } from './manifest-keeper.ts'

export interface EndingParts {
  readonly manifest: ManifestKeeper
  readonly journal: Journal
  readonly limits: LimitWatch
  readonly scope: Scope
  /** Null until it has been started. */
  readonly source: () => Source | null
  readonly now: () => number
  /** Called with an error that made the session fail, for the host's own records. */
  readonly onError: (error: unknown) => void
}

/**
 * How a session ends: by the exit of its program, destroyed by a caller or a limit, or failed. Whichever comes first,
 * the source, the tasks and the log are closed once. Nothing here throws for a session that cannot be ended in order:
 * that session has failed.
 */
export class SessionEnding {
  readonly #parts: EndingParts
  readonly #exited = new Deferred<void>()
  readonly #closed = new Deferred<void>()
  #ending: Promise<Manifest> | null = null
  #closing: Promise<void> | null = null

  constructor(parts: EndingParts) {
    this.#parts = parts
  }

  /** Whether nothing will happen to the program any more. */
  get ended(): boolean {
    return hasEnded(this.#parts.manifest.lifecycle)
  }

  /** Resolves when the session has ended and its log is closed. */
  async whenClosed(): Promise<void> {
    await this.#closed.promise
  }

  /** The program has ended, and everything that it printed is recorded. */
  exited(record: ExitRecord): void {
    const { manifest, journal } = this.#parts
    if (manifest.lifecycle.status === 'failed') return // its end is recorded
    journal.appendFact('exit', record, () => {
      manifest.advance({ type: 'exited', record, at: this.#timestamp() })
      journal.write(() => manifest.save())
      journal.after(() => {
        this.#exited.resolve()
        // While it is being destroyed, the session ends only after the rest of the process tree.
        if (this.#ending === null) void this.#close()
      })
    })
  }

  /** Ends the program and every process it started. Calls beside a first one share its outcome. */
  async destroy(because: EndReason, actor?: Actor): Promise<Manifest> {
    this.#ending ??= this.#destroy(because, actor)
    return this.#ending
  }

  /** Discards a session whose source failed to start: nothing more is recorded. */
  async discard(): Promise<void> {
    if (this.#ending !== null)
      await this.#ending // which is why it could not be started
    else await this.#parts.source()?.end()
    await this.#close()
  }

  /** An error in something that the session started. */
  bug(error: unknown): void {
    this.#parts.onError(error)
    this.fail(`an error in the session itself: ${messageOf(error)}`, 'session_error')
  }

  /** Ends a session that cannot go on. */
  fail(failure: string, cause: FailureCause): void {
    if (this.ended) return
    this.#advanceToFailed(failure, cause)
    this.#exited.resolve() // its exit may not be seen any more, and an end that is under way waits for it
    this.#ending ??= this.#close().then(() => this.#parts.manifest.content)
  }

  async #destroy(because: EndReason, actor?: Actor): Promise<Manifest> {
    const { manifest, journal, source } = this.#parts
    if (this.ended) return manifest.content
    manifest.advance({ type: 'destroy', because })
    try {
      this.#appendStatus('destroying', because, actor)
      const survivors = (await source()?.end()) ?? []
      // The last bytes come before the exit; on a full disk they would keep a dead session waiting.
      if (survivors.length === 0 && !journal.stalled) await this.#exited.promise
      const failure = survivors.length === 0 ? null : `processes ${survivors.join(', ')} could not be ended`
      manifest.advance({ type: 'destroyed', failure, at: this.#timestamp() })
      if (manifest.lifecycle.status === 'destroyed') this.#appendStatus('destroyed', because)
    } catch (error) {
      this.#parts.onError(error)
      this.#advanceToFailed(`it could not be ended: ${messageOf(error)}`, 'session_error')
    }
    await this.#close()
    return manifest.content
  }

  #advanceToFailed(failure: string, cause: FailureCause): void {
    const { manifest, onError } = this.#parts
    manifest.advance({ type: 'failed', cause, failure, at: this.#timestamp() })
    manifest.change({ paused: null })
    try {
      this.#appendStatus('failed', failure)
    } catch (error) {
      onError(error) // the manifest has the failure
    }
  }

  #appendStatus(status: Fact<'status'>['status'], reason: string, actor?: Actor): void {
    const { manifest, journal } = this.#parts
    journal.appendFact('status', { ...actor, status, reason })
    journal.write(() => manifest.save())
  }

  /** Gives the log back: from here on the session lives on disk only. */
  async #close(): Promise<void> {
    this.#closing ??= this.#closeParts().finally(() => this.#closed.resolve())
    return this.#closing
  }

  async #closeParts(): Promise<void> {
    const { manifest, journal, limits, scope, source, onError } = this.#parts
    limits.close()
    const steps = [
      // A source whose program has ended has nothing left to end.
      async () => void (manifest.lifecycle.status === 'failed' && (await source()?.end())),
      async () => source()?.close(),
      async () => scope.close(),
      async () => journal.close(),
    ]
    for (const step of steps) {
      try {
        await step()
      } catch (error) {
        // The other steps are taken all the same; the manifest is saved by the session's owner.
        onError(error)
        const failure = `it could not be closed: ${messageOf(error)}`
        manifest.advance({ type: 'failed', cause: 'session_error', failure, at: this.#timestamp() })
      }
    }
  }

  #timestamp(): string {
    return new Date(this.#parts.now()).toISOString()
  }
}
