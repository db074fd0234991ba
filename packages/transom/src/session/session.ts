import type { Actor, ExitRecord, Fact, NeedsInput, Snapshot, WaitResult } from '@transom/protocol'
import type { OpError } from '@transom/protocol/errors'
import type { CanonicalText, TextSpan } from '@transom/grid'
import type { Home } from '../home/home.ts'
import type { Manifest } from '../home/manifest.ts'
import { Deferred } from '../lib/deferred.ts'
import { Scope } from '../lib/scope.ts'
import { messageOf } from '../lib/system-error.ts'
import type { EventStore } from '../log/event-store.ts'
import type { Frame } from '../terminal/emulator.ts'
import type { Capabilities, Capability } from './capabilities.ts'
import { Journal } from './journal.ts'
import type { Act, Acted, EventSink, KindDefinition, SessionPlan, Source } from './kind.ts'
import { wrongKind } from './kind-registry.ts'
import { hasEnded, type EndReason, type FailureCause } from './lifecycle.ts'
import { LimitWatch, type LimitedSession, type SessionLimits } from './limits.ts'
import { ManifestKeeper } from './manifest-keeper.ts'
import { PauseReasons } from './pause-reasons.ts'
import type { Projection } from './projection.ts'
import type { HomeUsage, Quota } from './quota.ts'
import { takeSnapshot, type SnapshotOptions } from './snapshot.ts'
import { policyOf, takesNoInput } from './status-policy.ts'
import { waitForConditions, type Recency, type WaitRequest, type WaitSubject } from './waits.ts'

/** What a session is made of. */
export interface SessionParts {
  readonly home: Home
  /** Milliseconds since 1970, never going back. */
  readonly now: () => number
  readonly usage: HomeUsage
  /** The session's own: it is closed with the session. */
  readonly log: EventStore
  readonly kind: KindDefinition
  readonly plan: SessionPlan
  readonly limits: SessionLimits
  /** As the session is born. */
  readonly manifest: Manifest
  /** Who creates it. */
  readonly actor: Actor
  /** Told of an error that made the session fail, for the host's own records. */
  readonly onError: (error: unknown) => void
}

/**
 * A live session, of whatever kind: joins an Event Log, a kind and its tasks. Everything goes one way: what happens is
 * appended to the log, then applied to the projection, then announced to those that wait. An error in anything that
 * the session started fails this session and no other.
 */
export class Session implements WaitSubject {
  readonly now: () => number
  readonly #kind: KindDefinition
  readonly #onError: (error: unknown) => void
  readonly #scope = new Scope((error) => this.#onBug(error))
  readonly #manifest: ManifestKeeper
  readonly #journal: Journal
  readonly #pauses: PauseReasons
  readonly #limits: LimitWatch
  readonly #closed = new Deferred<void>()
  readonly #exited = new Deferred<void>()
  #source: Source | null = null
  #waitCount = 0
  #ending: Promise<Manifest> | null = null
  #closing: Promise<void> | null = null

  /**
   * Writes the manifest and the first record, and starts the source. If that fails nothing is left but the session's
   * folder and log, which are the caller's.
   */
  static start(parts: SessionParts): Session {
    const session = new Session(parts)
    session.#source = parts.plan.start({
      manifest: session.manifest,
      projection: session.screen,
      sink: session.#sink(),
      scope: session.#scope,
      actor: parts.actor,
    })
    return session
  }

  private constructor({ home, now, kind, log, manifest, limits, usage, ...parts }: SessionParts) {
    this.#kind = kind
    this.now = now
    this.#onError = parts.onError
    this.#manifest = new ManifestKeeper(home, manifest)
    this.#manifest.save()
    const { session, command, url, cwd, cols, rows } = manifest
    const about = { session, kind: kind.name, command, url, cwd, cols, rows, engine: kind.engine }
    const created = { ...parts.actor, ...about, ...parts.plan.created }
    this.#pauses = new PauseReasons((reasons) => {
      this.#manifest.change({ paused: this.#pauses.shown })
      this.#source?.pause(reasons)
    })
    this.#journal = new Journal({
      log,
      projection: kind.project(created),
      now,
      onRecord: (record) => this.#source?.recorded?.(record),
      onStall: (stalled) => this.#pauses.set('disk', stalled),
      onFailure: (error) => this.#onBug(error),
    })
    this.#limits = new LimitWatch(this.#asLimited(), limits, usage)
    this.#journal.commit('created', created)
  }

  get id(): string {
    return this.manifest.session
  }

  get manifest(): Manifest {
    return this.#manifest.content
  }

  get log(): EventStore {
    return this.#journal.log
  }

  /** What the session shows. */
  get screen(): Projection {
    return this.#journal.projection
  }

  get ended(): boolean {
    return hasEnded(this.#manifest.lifecycle)
  }

  /** Why it has failed; null if it has not. */
  get failure(): string | null {
    return this.manifest.failure
  }

  get exit(): ExitRecord | null {
    return this.manifest.exit
  }

  get recency(): Recency {
    return this.#journal
  }

  get busy(): boolean {
    return this.#source?.busy ?? false
  }

  get inputQueueBytes(): number {
    return this.#source?.queuedBytes ?? 0
  }

  get pending(): { waits: number; observers: number } {
    const { observerCount } = this.#journal.changes
    return { waits: this.#waitCount, observers: observerCount - this.#waitCount }
  }

  get quota(): Quota {
    return this.#limits.quota
  }

  /** What only some kinds can do; throws `wrong_kind` if this one cannot. */
  capability<C extends Capability>(wanted: C): Capabilities[C] {
    const found = this.#source?.capabilities[wanted]
    if (found !== undefined) return found
    throw wrongKind({ session: this.id, kind: this.#kind.name, words: this.#kind.words }, wanted)
  }

  /** Resolves when the session takes commands; rejects if its source could not be started. */
  async whenOpen(): Promise<void> {
    await this.#source?.opened
  }

  /** Resolves when the session has ended and its log is closed. */
  async whenClosed(): Promise<void> {
    await this.#closed.promise
  }

  /** Types, presses keys, pastes, uses the mouse, resizes. */
  async act(act: Act, actor: Actor): Promise<Acted> {
    this.assertCommandable()
    if (this.#source === null) throw new Error('a session that takes commands has a source')
    return this.#source.act(act, actor)
  }

  /** Names the present moment; returns the seq of the mark's record. */
  mark(label: string, actor: Actor): number {
    this.assertCommandable()
    const seq = this.#journal.commit('mark', { ...actor, label })
    this.#journal.changes.announce()
    return seq
  }

  /** The screen as it is now, for a source that is not read all the time. */
  async look(): Promise<Projection> {
    await this.#source?.refresh?.()
    return this.screen
  }

  snapshot(options: SnapshotOptions): Snapshot {
    return takeSnapshot(this.id, this.screen, options)
  }

  async wait(request: WaitRequest, signal: AbortSignal): Promise<WaitResult> {
    if (request.needs_input) this.capability('needs_input')
    this.#waitCount++
    try {
      return await waitForConditions(this, request, signal)
    } finally {
      this.#waitCount--
    }
  }

  needsInput(): NeedsInput {
    return this.capability('needs_input').needsInput()
  }

  echoes(seq: number, frame: Frame, canonical: CanonicalText): readonly TextSpan[] {
    return this.#source?.echoes?.(seq, frame, canonical) ?? []
  }

  /** Calls `observer` after every event, until the returned function is called. */
  subscribe(observer: () => void): () => void {
    const unsubscribe = this.#journal.changes.subscribe(observer)
    const release = this.#source?.watch?.()
    return () => {
      unsubscribe()
      release?.()
    }
  }

  /** Changes the quota; a program that was paused for it goes on if there is room. */
  setQuota(change: Partial<Quota>): void {
    this.#limits.setQuota(change)
  }

  save(): void {
    this.#manifest.save()
  }

  /** Ends the program and every process it started. Calls beside a first one share its outcome. */
  async destroy(because: EndReason = 'destroy', actor?: Actor): Promise<Manifest> {
    this.#ending ??= this.#destroy(because, actor)
    return this.#ending
  }

  /** Discards a session whose source failed to start: nothing more is recorded. */
  async discard(): Promise<void> {
    if (this.#ending !== null)
      await this.#ending // which is why it could not be started
    else await this.#source?.end()
    await this.#close()
  }

  /** What was appended may not survive a power cut: nothing more is to be recorded as if it would. */
  diskFailed(error: OpError): void {
    this.#onError(error)
    this.#fail(error.message, 'session_error')
  }

  assertCommandable(): void {
    if (!policyOf(this.manifest.status).commandable) throw takesNoInput(this.manifest)
  }

  #sink(): EventSink {
    const journal = this.#journal
    return {
      started: (pid) => this.#onStarted(pid),
      output: (bytes, onRecorded) => {
        journal.append(this.#kind.shows, bytes, { isOutput: true, onRecorded })
        this.#limits.check()
      },
      append: (type, fact, onRecorded) => journal.appendFact(type, fact, onRecorded),
      appendBytes: (type, bytes, onRecorded) => journal.append(type, bytes, { onRecorded }),
      commit: (type, fact) => journal.commit(type, fact),
      entered: (seq) => journal.entered(seq),
      changed: () => journal.changes.announce(),
      after: (run) => journal.after(run),
      describe: (change) => {
        this.#manifest.change(change)
        this.#saveLater()
      },
      exiting: () => {
        // In memory only: on disk it says nothing that the exit record will not say a moment later.
        this.#manifest.advance({ type: 'exiting' })
        // What is still on its way is little, and belongs to the log.
        this.#pauses.set('quota', false)
      },
      exited: (exit) => this.#onExit(exit),
      lost: (reason, cause) => this.#fail(reason, cause),
    }
  }

  #onStarted(pid: number): void {
    const isFirst = this.#manifest.lifecycle.status === 'starting'
    this.#manifest.advance({ type: 'started', pid })
    this.#saveLater()
    if (!isFirst) return
    this.#journal.lastOutputMs = this.now() // to start a browser takes a while: that is no idleness
    this.#limits.watchIdle()
  }

  #saveLater(): void {
    this.#journal.write(() => this.#manifest.save())
  }

  #onExit(record: ExitRecord): void {
    if (this.#manifest.lifecycle.status === 'failed') return // its end is recorded
    this.#journal.appendFact('exit', record, () => {
      this.#manifest.advance({ type: 'exited', record, at: this.#timestamp() })
      this.#saveLater()
      this.#journal.after(() => {
        this.#exited.resolve()
        // While it is being destroyed, the end comes when the rest of the tree is gone, too.
        if (this.#ending === null) void this.#close()
      })
    })
  }

  async #destroy(because: EndReason, actor?: Actor): Promise<Manifest> {
    if (this.ended) return this.manifest
    this.#manifest.advance({ type: 'destroy', because })
    this.#appendStatus('destroying', because, actor)
    try {
      const survivors = (await this.#source?.end()) ?? []
      // The last bytes come before the exit; on a full disk they would keep a dead session waiting.
      if (survivors.length === 0 && !this.#journal.stalled) await this.#exited.promise
      const failure = survivors.length === 0 ? null : `processes ${survivors.join(', ')} could not be ended`
      this.#manifest.advance({ type: 'destroyed', failure, at: this.#timestamp() })
      if (this.#manifest.lifecycle.status === 'destroyed') this.#appendStatus('destroyed', because)
    } catch (error) {
      this.#onError(error)
      this.#advanceToFailed(`it could not be ended: ${messageOf(error)}`, 'session_error')
    }
    await this.#close()
    return this.manifest
  }

  #onBug(error: unknown): void {
    this.#onError(error)
    this.#fail(`an error in the session itself: ${messageOf(error)}`, 'session_error')
  }

  /** Ends a session that cannot go on. */
  #fail(failure: string, cause: FailureCause): void {
    if (this.ended) return
    this.#advanceToFailed(failure, cause)
    this.#exited.resolve() // its exit may not be seen any more, and an end that is under way waits for it
    this.#ending ??= this.#close().then(() => this.manifest)
  }

  #advanceToFailed(failure: string, cause: FailureCause): void {
    this.#manifest.advance({ type: 'failed', cause, failure, at: this.#timestamp() })
    this.#manifest.change({ paused: null })
    this.#appendStatus('failed', failure)
  }

  #appendStatus(status: Fact<'status'>['status'], reason: string, actor?: Actor): void {
    this.#journal.appendFact('status', { ...actor, status, reason })
    this.#saveLater()
  }

  /** Gives the log back: from here on the session lives on disk only. */
  async #close(): Promise<void> {
    this.#closing ??= this.#closeParts().finally(() => this.#closed.resolve())
    return this.#closing
  }

  async #closeParts(): Promise<void> {
    this.#limits.close()
    const steps = [
      // A source whose program has ended has nothing left to end.
      async () => void (this.#manifest.lifecycle.status === 'failed' && (await this.#source?.end())),
      async () => this.#source?.close(),
      async () => this.#scope.close(),
      async () => this.#journal.close(),
    ]
    for (const step of steps) {
      try {
        await step()
      } catch (error) {
        // The other steps are taken all the same; the manifest is saved by the session's owner.
        this.#onError(error)
        const failure = `it could not be closed: ${messageOf(error)}`
        this.#manifest.advance({ type: 'failed', cause: 'session_error', failure, at: this.#timestamp() })
      }
    }
  }

  #asLimited(): LimitedSession {
    return {
      logBytes: () => this.log.sizeBytes,
      idleMs: () =>
        this.busy ? 0 : this.now() - Math.max(this.recency.lastInputMs, this.recency.lastOutputMs),
      setOverQuota: (over) =>
        this.#pauses.set('quota', over && this.#manifest.lifecycle.status === 'running'),
      end: (because) => void this.destroy(because),
    }
  }

  #timestamp(): string {
    return new Date(this.now()).toISOString()
  }
}
