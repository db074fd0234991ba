import type { Actor, ExitRecord, Fact, LeasePolicy, NeedsInput, WaitResult, Writer } from '@transom/protocol'
import type { OpError } from '@transom/protocol/errors'
import type { CanonicalText, TextSpan } from '@transom/grid'
import type { Home } from '../home/home.ts'
import type { Manifest } from '../home/manifest.ts'
import { Scope } from '../lib/scope.ts'
import type { EventStore } from '../log/event-store.ts'
import type { Frame } from '../terminal/emulator.ts'
import { ActivityJudge, type ActiveSession } from './activity.ts'
import type { Capabilities, Capability } from './capabilities.ts'
import { Journal } from './journal.ts'
import type { Act, Acted, EventSink, KindDefinition, SessionPlan, Source } from './kind.ts'
import { wrongKind } from './kind-registry.ts'
import type { EndReason } from './lifecycle.ts'
import { Lease, type LeasedSession } from './lease.ts'
import { LimitWatch, type LimitedSession, type SessionLimits } from './limits.ts'
import { ManifestKeeper } from './manifest-keeper.ts'
import { PauseReasons } from './pause-reasons.ts'
import type { Projection } from './projection.ts'
import type { HomeUsage, Quota } from './quota.ts'
import { SessionEnding } from './session-ending.ts'
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
  readonly leasePolicy: LeasePolicy
  /** As the session is born. */
  readonly manifest: Manifest
  /** Who creates it. */
  readonly actor: Actor
  /** Called with an error that made the session fail, for the host's own records. */
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
  readonly #scope = new Scope((error) => this.#ending.bug(error))
  readonly #manifest: ManifestKeeper
  readonly #journal: Journal
  readonly #pauses: PauseReasons
  readonly #limits: LimitWatch
  readonly lease: Lease
  readonly #ending: SessionEnding
  #source: Source | null = null
  #waitCount = 0

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
      onFailure: (error) => this.#ending.bug(error),
    })
    this.#limits = new LimitWatch(this.#asLimited(), limits, usage)
    this.lease = new Lease(this.#asLeased(), parts.leasePolicy)
    this.#ending = new SessionEnding({
      manifest: this.#manifest,
      journal: this.#journal,
      limits: this.#limits,
      scope: this.#scope,
      source: () => this.#source,
      now,
      onError: parts.onError,
    })
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
    return this.#ending.ended
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

  get networkIdleForMs(): number | null {
    return this.#source?.capabilities.page?.networkIdleForMs() ?? null
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
    await this.#ending.whenClosed()
  }

  /** Types, presses keys, pastes, uses the mouse, resizes. */
  async act(act: Act, writer: Writer): Promise<Acted> {
    this.assertCommandable()
    if (this.#source === null) throw new Error('a session that takes commands has a source')
    return this.#source.act(act, writer)
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

  async wait(request: WaitRequest, signal: AbortSignal): Promise<WaitResult> {
    if (request.needs_input) this.capability('needs_input')
    if (request.network_idle_ms !== undefined) this.capability('page')
    this.#waitCount++
    try {
      if (this.#source?.refresh !== undefined) await this.look()
      return await waitForConditions(this, request, signal)
    } finally {
      this.#waitCount--
    }
  }

  /** Judges what the session is doing, for as long as a caller watches it. */
  activity(): ActivityJudge {
    return new ActivityJudge(this.#asActive())
  }

  needsInput(): NeedsInput {
    return this.capability('needs_input').needsInput()
  }

  echoes(seq: number, frame: Frame, canonical: CanonicalText): readonly TextSpan[] {
    return this.#source?.echoes?.(seq, frame, canonical) ?? []
  }

  /** As subscribe(), for what does not look at the screen: a page is read no more often for it. */
  observe(observer: () => void): () => void {
    return this.#journal.changes.subscribe(observer)
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

  /** Changes the quota; a program that was paused for it goes on if there is room. Recorded if a caller did it. */
  setQuota(change: Partial<Quota>, actor?: Actor): void {
    this.#limits.setQuota(change)
    const { sessionBytes: bytes, policy } = this.quota
    if (actor !== undefined && Object.keys(change).length > 0)
      this.#journal.appendFact('quota', { ...actor, bytes, policy })
  }

  save(): void {
    this.#manifest.save()
  }

  /** Ends the program and every process it started. Calls beside a first one share its outcome. */
  async destroy(because: EndReason = 'destroy', actor?: Actor): Promise<Manifest> {
    return this.#ending.destroy(because, actor)
  }

  /** Discards a session whose source failed to start: nothing more is recorded. */
  async discard(): Promise<void> {
    await this.#ending.discard()
  }

  /** Appended records may not survive a power cut, so nothing more is recorded. */
  diskFailed(error: OpError): void {
    this.#onError(error)
    this.#ending.fail(error.message, 'session_error')
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
      act: (type, act, { actor, right }) => {
        if (right !== null) this.lease.assert(right)
        // The parts of a record's fields; TypeScript cannot join them again by a key.
        return journal.commit(type, { ...actor, ...act } as Fact<typeof type>)
      },
      mayWrite: ({ right }) => right === null || this.lease.allows(right),
      entered: (seq) => journal.entered(seq),
      changed: () => journal.changes.announce(),
      after: (run) => journal.after(run),
      describe: (change) => {
        this.#manifest.change(change)
        this.#saveLater()
      },
      exiting: () => {
        // In memory only: on disk the exit record, a moment later, makes it redundant.
        this.#manifest.advance({ type: 'exiting' })
        // What is still on its way is little, and belongs to the log.
        this.#pauses.set('quota', false)
      },
      exited: (exit) => this.#ending.exited(exit),
      lost: (reason, cause) => this.#ending.fail(reason, cause),
    }
  }

  #onStarted(pid: number): void {
    const isFirst = this.#manifest.lifecycle.status === 'starting'
    this.#manifest.advance({ type: 'started', pid })
    this.#saveLater()
    if (!isFirst) return
    this.#journal.lastOutputMs = this.now() // the time to start a browser does not count as idle
    this.#limits.watchIdle()
  }

  #saveLater(): void {
    this.#journal.write(() => this.#manifest.save())
  }

  #asActive(): ActiveSession {
    return {
      recency: this.recency,
      now: this.now,
      needsInput: () => this.needsInput(),
      look: () => {
        const { ended_at } = this.manifest
        const { needs_input, blocks } = this.#source?.capabilities ?? {}
        const running = blocks?.projection.running().at(-1) ?? null
        return {
          ended: this.ended,
          endedMs: ended_at === null ? null : Date.parse(ended_at),
          busy: this.busy,
          holder: this.lease.state.holder,
          page: this.screen.views.page?.() ?? null,
          shellAtPrompt: blocks?.atPrompt ?? false,
          runningSinceMs: running?.ts_begin ?? null,
          canNeedInput: needs_input !== undefined,
        }
      },
    }
  }

  #asLeased(): LeasedSession {
    const journal = this.#journal
    return {
      id: this.id,
      now: this.now,
      commit: (fact) => void journal.commit('lease', fact),
      append: (fact) => journal.appendFact('lease', fact),
      announce: () => journal.changes.announce(),
      queuedBytes: () => this.inputQueueBytes,
      dropQueued: () => this.#source?.dropQueued?.(),
      timeout: (ms, callback) => this.#scope.timeout(ms, callback),
    }
  }

  #asLimited(): LimitedSession {
    return {
      logBytes: () => this.log.sizeBytes,
      idleMs: () =>
        this.busy ? 0 : this.now() - Math.max(this.recency.lastInputMs, this.recency.lastOutputMs),
      setOverQuota: (over) =>
        this.#pauses.set('quota', over && this.#manifest.lifecycle.status === 'running'),
      end: (because) => void this.destroy(because), // it never rejects
      timeout: (ms, callback) => this.#scope.timeout(ms, callback),
    }
  }
}
