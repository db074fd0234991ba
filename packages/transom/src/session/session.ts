import type { Actor, ExitRecord, NeedsInput, SessionKind, Snapshot, WaitResult } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import type { Home } from '../home/home.ts'
import type { Manifest } from '../home/manifest.ts'
import type { EventLog } from '../log/event-log.ts'
import type { Screen, ScreenEvent } from '../screen/screen.ts'
import type { MouseAction } from '../terminal/mouse-encoding.ts'
import { DiskSteps } from './disk-steps.ts'
import { EchoTracker } from './echo.ts'
import { LimitWatch, type LimitedSession, type SessionLimits } from './limits.ts'
import type { HomeUsage, Quota } from './quota.ts'
import { unknownInput } from './input-verdict.ts'
import { takeSnapshot, type SnapshotOptions } from './snapshot.ts'
import { policyOf } from './status-policy.ts'
import { Waits, type WaitRequest, type WaitSubject } from './waits.ts'

export interface SessionDependencies {
  readonly home: Home
  /** Milliseconds since 1970, never going back. */
  readonly now: () => number
  readonly usage: HomeUsage
}

/** What a kind of session brings along. */
export interface SessionParts {
  readonly log: EventLog
  readonly screen: Screen
  readonly limits: SessionLimits
}

/**
 * A live session, of whatever kind: joins a source, its Event Log and its screen. Everything goes one way:
 * what happens is appended to the log, then applied to the screen, then shown to waits and observers.
 */
export abstract class Session implements WaitSubject {
  readonly log: EventLog
  readonly screen: Screen
  readonly echo = new EchoTracker()
  /** What must reach the disk, in order; while it cannot, the source is paused. */
  protected readonly disk: DiskSteps
  readonly #home: Home
  readonly #now: () => number
  readonly #waits: Waits
  readonly #observers = new Set<() => void>()
  readonly #limits: LimitWatch
  readonly #closed: Promise<void>
  #onClosed: () => void = () => {}
  readonly #exited: Promise<void>
  #onExited: () => void = () => {}
  #manifest: Manifest
  #saved: Manifest | null = null
  #lastOutputSeq = 0
  #lastOutputMs: number
  #lastInputSeq = 0
  #lastInputMs: number
  #destroying: Promise<Manifest> | null = null

  /** Writes the manifest and the first record. The kind starts its source next, and then says so with `running()`. */
  protected constructor(dependencies: SessionDependencies, starting: Manifest, parts: SessionParts) {
    this.#home = dependencies.home
    this.#now = dependencies.now
    this.log = parts.log
    this.screen = parts.screen
    this.#closed = new Promise((resolve) => (this.#onClosed = resolve))
    this.#exited = new Promise((resolve) => (this.#onExited = resolve))
    this.#lastOutputMs = this.#lastInputMs = this.now()
    this.#waits = new Waits(this)
    this.disk = new DiskSteps((stalled) => this.#setPaused(stalled ? 'disk' : null))
    this.#limits = new LimitWatch(this.#asLimited(), parts.limits, dependencies.usage)
    this.#manifest = starting
    this.save()
    const { session, kind, command, url, cwd, cols, rows } = starting
    this.apply(this.log.appendFact('created', { session, kind, command, url, cwd, cols, rows }))
  }

  get id(): string {
    return this.#manifest.session
  }

  get kind(): SessionKind {
    return this.#manifest.kind
  }

  get manifest(): Manifest {
    return this.#manifest
  }

  get ended(): boolean {
    return this.#manifest.exit !== null || !policyOf(this.#manifest.status).active
  }

  /** Why it has failed; null when it has not. */
  get failure(): string | null {
    return this.#manifest.failure
  }

  get exit(): ExitRecord | null {
    return this.#manifest.exit
  }

  get lastOutputSeq(): number {
    return this.#lastOutputSeq
  }

  get lastOutputMs(): number {
    return this.#lastOutputMs
  }

  get lastInputSeq(): number {
    return this.#lastInputSeq
  }

  get lastInputMs(): number {
    return this.#lastInputMs
  }

  /** The screen as it is now, for a source that is not read all the time. */
  async look(): Promise<Screen> {
    return this.screen
  }

  /** Whether more is sure to come without anybody's doing: a page that is loading. */
  get busy(): boolean {
    return false
  }

  /** Input that the source has not taken. */
  get inputQueueBytes(): number {
    return 0
  }

  now(): number {
    return this.#now()
  }

  /** Resolves when the session takes commands; rejects when its source could not be started. */
  async whenOpen(): Promise<void> {}

  /** Types a text as at the keyboard: line breaks are the Enter key. Returns the seq of the input's record. */
  abstract type(text: string, actor: Actor): Promise<number>

  /** Presses keys, by their names. */
  abstract press(keys: readonly string[], actor: Actor): Promise<number>

  /** Puts a text in at once, as from a clipboard. */
  abstract paste(text: string, actor: Actor): Promise<{ seq: number; bracketed: boolean }>

  abstract mouse(action: MouseAction, actor: Actor): Promise<number>

  abstract resize(cols: number, rows: number): Promise<number>

  /** Writes the manifest, unless it says on disk what it says here. */
  save(): void {
    if (this.#saved === this.#manifest) return
    this.#home.writeManifest(this.#manifest)
    this.#saved = this.#manifest
  }

  /** Resolves when the session has ended and its log is closed. */
  async whenClosed(): Promise<void> {
    await this.#closed
  }

  /** Names the present moment; returns the seq of the mark's record. */
  mark(label: string, actor: Actor): number {
    this.assertCommandable()
    return this.note(this.log.appendFact('mark', { ...actor, label }))
  }

  async wait(request: WaitRequest, signal: AbortSignal): Promise<WaitResult> {
    const release = this.watch()
    try {
      return await this.#waits.wait(request, signal)
    } finally {
      release()
    }
  }

  /** Who waits for it. */
  get pending(): { waits: number; observers: number } {
    return { waits: this.#waits.count, observers: this.#observers.size }
  }

  /** Whether its program waits for input, as the kernel shows it now. */
  needsInput(): NeedsInput {
    return unknownInput('this kind of session has no terminal')
  }

  snapshot(options: SnapshotOptions): Snapshot {
    return takeSnapshot(this.id, this.screen, options)
  }

  get quota(): Quota {
    return this.#limits.quota
  }

  /** Changes the quota; a program that was paused for it goes on when there is room. */
  setQuota(change: Partial<Quota>): void {
    this.#limits.setQuota(change)
  }

  /** Calls `observer` after every event, until the returned function is called. */
  observe(observer: () => void): () => void {
    this.#observers.add(observer)
    const release = this.watch()
    return () => {
      if (this.#observers.delete(observer)) release()
    }
  }

  /** Ends the program and every process it started. Calls beside a first one share its outcome. */
  async destroy(because: 'destroy' | 'idle_timeout' | 'quota' = 'destroy'): Promise<Manifest> {
    this.#destroying ??= this.#destroy(because)
    return this.#destroying
  }

  /** Takes back a session whose source could not be started: nothing more is recorded. */
  async abandon(): Promise<void> {
    if (this.#destroying !== null) {
      await this.#destroying // which is why it could not be started
      return
    }
    await this.endSource()
    this.closeSource()
    await this.#close()
  }

  assertCommandable(): void {
    const { status } = this.#manifest
    if (policyOf(status).commandable) return
    const message = `session ${this.id} is ${status} and takes no input; "transom list" shows those that do`
    throw new OpError('session_ended', message, { session: this.id, status, exit: this.exit })
  }

  /** Somebody follows what is shown, until the returned function is called. */
  protected watch(): () => void {
    return () => {}
  }

  /** Stops the source from printing, or lets it go on. */
  protected abstract setSourcePaused(paused: boolean): void

  /** Ends every process of the source; returns those that could not be ended. */
  protected abstract endSource(): Promise<number[]>

  /** Lets go of the source, without waiting for anything. */
  protected abstract closeSource(): void

  /** The source has been started. */
  protected running(pid: number): void {
    this.update({ status: 'running', pid })
    this.#lastOutputMs = this.now() // to start a browser takes a while: that is no idleness
    this.#limits.watchIdle()
  }

  /** The program has ended; some of what it printed may still be on the way. */
  protected exiting(): void {
    // In memory only: on disk it says nothing that the exit record will not say a moment later.
    if (this.#manifest.status === 'running') this.#manifest = { ...this.#manifest, status: 'exiting' }
    // What is still on its way is little, and belongs to the log.
    if (this.#manifest.paused === 'quota') this.#setPaused(null)
  }

  /** The program has ended and everything it printed has been recorded. */
  protected exited(exit: ExitRecord): void {
    this.disk.run(() => this.apply(this.log.appendFact('exit', exit)))
    this.disk.run(() => {
      // While it is being destroyed, the end comes when the rest of the tree is gone too.
      const status = this.#destroying === null ? 'exited' : this.#manifest.status
      this.update({
        status,
        exit,
        pid: null,
        ended_by: this.#manifest.ended_by ?? 'exit',
        ended_at: this.#timestamp(),
      })
      this.changed()
      this.#onExited()
      if (this.#destroying === null) void this.#close()
    })
  }

  /** The source is gone and cannot be brought back: whoever waits is told, then `clear` removes what is left of it. */
  protected async failed(
    reason: string,
    because: 'browser_lost',
    clear: () => Promise<unknown>,
  ): Promise<void> {
    if (this.ended || this.#destroying !== null) return
    this.disk.run(() => this.apply(this.log.appendFact('status', { status: 'failed', reason })))
    const ended = { ended_by: because, ended_at: this.#timestamp() }
    this.update({ status: 'failed', failure: reason, pid: null, paused: null, ...ended })
    this.changed()
    try {
      await clear()
    } finally {
      await this.#close()
    }
  }

  /** Passes a record on to the screen. The waits do not see it before `changed()`. */
  protected apply(seq: number, event: ScreenEvent = { type: 'other' }): void {
    this.screen.apply(seq, event)
  }

  /** Something that the source showed was recorded and applied. */
  protected shown(seq: number, bytes: number): void {
    this.#lastOutputSeq = seq
    this.#lastOutputMs = this.now()
    this.changed()
    this.#limits.grown(bytes)
  }

  /** An input was recorded and is on its way to the source. */
  protected entered(seq: number): void {
    this.#lastInputSeq = seq
    this.#lastInputMs = this.now()
    this.changed()
  }

  /** Passes a record on that does not change the screen. */
  protected note(seq: number): number {
    this.apply(seq)
    this.changed()
    return seq
  }

  protected changed(): void {
    this.#waits.check()
    for (const observer of this.#observers) observer()
  }

  protected update(change: Partial<Manifest>): void {
    this.#manifest = { ...this.#manifest, ...change }
    this.disk.run(() => this.save())
  }

  #asLimited(): LimitedSession {
    return {
      logBytes: () => this.log.sizeBytes,
      idleMs: () => (this.busy ? 0 : this.now() - Math.max(this.#lastInputMs, this.#lastOutputMs)),
      setOverQuota: (over) => {
        if (over && this.#manifest.status === 'running') this.#setPaused('quota')
        else if (!over && this.#manifest.paused === 'quota') this.#setPaused(null)
      },
      end: (because) => void this.destroy(because),
    }
  }

  #setPaused(paused: Manifest['paused']): void {
    if (this.#manifest.paused === paused) return
    this.#manifest = { ...this.#manifest, paused }
    this.setSourcePaused(paused !== null)
  }

  async #destroy(because: 'destroy' | 'idle_timeout' | 'quota'): Promise<Manifest> {
    if (this.ended) return this.#manifest
    this.update({ ended_by: because })
    this.#setStatus('destroying', because)
    const survivors = await this.endSource()
    // The last bytes come before the exit; on a full disk they would keep a dead session waiting.
    if (survivors.length === 0 && !this.disk.stalled) await this.#exited
    this.closeSource()
    const failure = survivors.length === 0 ? null : `processes ${survivors.join(', ')} could not be ended`
    this.update({ pid: null, failure, ended_at: this.#manifest.ended_at ?? this.#timestamp() })
    this.#setStatus('destroyed', because)
    this.changed()
    await this.#close()
    return this.#manifest
  }

  #setStatus(status: 'destroying' | 'destroyed', reason: string): void {
    this.disk.run(() => this.apply(this.log.appendFact('status', { status, reason })))
    this.update({ status })
  }

  /** Gives the log back: from here on the session lives on disk only. */
  async #close(): Promise<void> {
    this.#limits.close()
    this.disk.close()
    try {
      await this.log.close()
    } finally {
      this.#onClosed()
    }
  }

  #timestamp(): string {
    return new Date(this.now()).toISOString()
  }
}
