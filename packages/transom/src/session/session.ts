import type { ExitRecord, Fact, Snapshot, TerminalModes, WaitResult } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import type { Home } from '../home/home.ts'
import type { Manifest } from '../home/manifest.ts'
import { messageOf } from '../lib/system-error.ts'
import { EventLog } from '../log/event-log.ts'
import type { ChildReaper } from '../sources/pty/child-reaper.ts'
import { foregroundGroup, killTree } from '../sources/pty/process-tree.ts'
import { PtySource, type PtyOptions } from '../sources/pty/pty-source.ts'
import { Screen, type ScreenEvent } from '../terminal/screen.ts'
import { XtermEmulator } from '../terminal/xterm-emulator.ts'
import { DiskSteps } from './disk-steps.ts'
import { EchoTracker } from './echo.ts'
import { LimitWatch, type LimitedSession, type SessionLimits } from './limits.ts'
import type { HomeUsage, Quota } from './quota.ts'
import { takeSnapshot, type SnapshotOptions } from './snapshot.ts'
import { policyOf } from './status-policy.ts'
import { Waits, type WaitRequest, type WaitSubject } from './waits.ts'

/** A synchronized update that is open for longer is shown as it stands (the value terminals agree on). */
const SYNC_OPEN_MS_MAX = 150

export interface SessionDependencies {
  readonly home: Home
  readonly reaper: ChildReaper
  /** Milliseconds since 1970, never going back. */
  readonly now: () => number
  readonly usage: HomeUsage
}

export interface InputOptions {
  readonly via: Fact<'input'>['via']
  readonly actor: string
}

/**
 * A live terminal session: joins a program on a pty, its Event Log and its screen. Everything goes one way:
 * what happens is appended to the log, then applied to the screen, then shown to waits and observers.
 */
export class Session implements WaitSubject {
  readonly screen: Screen
  readonly echo = new EchoTracker()
  readonly log: EventLog
  readonly #home: Home
  readonly #reaper: ChildReaper
  readonly #now: () => number
  readonly #source: PtySource
  readonly #waits: Waits
  readonly #observers = new Set<() => void>()
  readonly #disk: DiskSteps
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
  #syncTimer: NodeJS.Timeout | undefined
  #destroying: Promise<Manifest> | null = null

  /**
   * Starts the program of a new session whose folder is there. When that fails nothing of it is left but the
   * folder, which is the caller's.
   */
  static start(
    dependencies: SessionDependencies,
    starting: Manifest,
    program: PtyOptions,
    limits: SessionLimits,
  ): Session {
    const log = EventLog.create(dependencies.home.logPath(starting.session), dependencies.now)
    try {
      return new Session(dependencies, starting, { program, limits, log })
    } catch (error) {
      // Nothing was appended that anybody waits for; the folder goes, so a failed sync has nothing to say.
      log.close().catch(() => {})
      throw error
    }
  }

  private constructor(
    dependencies: SessionDependencies,
    starting: Manifest,
    { program, limits, log }: { program: PtyOptions; limits: SessionLimits; log: EventLog },
  ) {
    this.#home = dependencies.home
    this.#reaper = dependencies.reaper
    this.#now = dependencies.now
    this.log = log
    this.#closed = new Promise((resolve) => (this.#onClosed = resolve))
    this.#exited = new Promise((resolve) => (this.#onExited = resolve))
    this.#lastOutputMs = this.#lastInputMs = this.now()
    this.screen = new Screen(new XtermEmulator(program.cols, program.rows))
    this.#waits = new Waits(this)
    this.#disk = new DiskSteps((stalled) => this.#setPaused(stalled ? 'disk' : null))
    this.#limits = new LimitWatch(this.#asLimited(), limits, dependencies.usage)
    this.#manifest = starting
    this.save()
    const { session, command, cwd, cols, rows } = starting
    this.#apply(log.appendFact('created', { session, command, cwd, cols, rows }), { type: 'other' })
    this.#source = PtySource.start(program, {
      output: (bytes) => this.#disk.run(() => this.#onOutput(bytes)),
      exiting: () => this.#onExiting(),
      exit: (exit) => this.#onExit(exit),
    })
    this.#reaper.leave(this.#source.pid)
    this.#update({ status: 'running', pid: this.#source.pid })
    this.#limits.watchIdle()
  }

  get id(): string {
    return this.#manifest.session
  }

  get manifest(): Manifest {
    return this.#manifest
  }

  get ended(): boolean {
    return this.#manifest.exit !== null || !policyOf(this.#manifest.status).active
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

  now(): number {
    return this.#now()
  }

  modes(): TerminalModes {
    return this.screen.modes()
  }

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

  /** Sends what the keyboard or the mouse would to the program; returns the seq of the input's record. */
  input(input: string | Buffer, { via, actor }: InputOptions): number {
    this.assertCommandable()
    const bytes = Buffer.from(input)
    this.#source.assertRoom(bytes.length)
    const mode = this.#source.inputMode()
    const frame = this.screen.frame()
    const seq = this.log.appendFact('input', {
      actor,
      via,
      length: bytes.length,
      data_b64: mode === 'hidden' ? null : bytes.toString('base64'),
    })
    this.#apply(seq, { type: 'other' })
    if (mode !== 'hidden' && typeof input === 'string') {
      const echoed = this.#lastOutputSeq > this.#lastInputSeq
      this.echo.typed(seq, input, frame, { echoed, byKernel: mode === 'echoed' })
    }
    this.#lastInputSeq = seq
    this.#lastInputMs = this.now()
    this.#source.write(bytes)
    this.#changed()
    return seq
  }

  /** Names the present moment; returns the seq of the mark's record. */
  mark(label: string, actor: string): number {
    this.assertCommandable()
    return this.#note(this.log.appendFact('mark', { actor, label }))
  }

  /** Sends a signal to the program in front or to the first process, and says to whom. */
  signal(signal: NodeJS.Signals, to: 'foreground' | 'leader', actor: string): { seq: number; pid: number } {
    this.assertCommandable()
    const seq = this.#note(this.log.appendFact('signal', { actor, signal, to }))
    const leader = this.#source.pid
    const pid = to === 'leader' ? leader : (foregroundGroup(leader) ?? leader)
    try {
      process.kill(to === 'leader' ? pid : -pid, signal)
    } catch (error) {
      const message = `could not send ${signal} to process ${pid}: ${messageOf(error)}`
      throw new OpError('io_error', message, { pid, signal })
    }
    return { seq, pid }
  }

  resize(cols: number, rows: number): number {
    this.assertCommandable()
    // Logged before the program can know: what it then draws comes after it in every replay.
    const seq = this.log.appendFact('resize', { cols, rows })
    this.#apply(seq, { type: 'resize', cols, rows })
    this.#source.resize(cols, rows)
    this.#update({ cols, rows })
    this.#changed()
    return seq
  }

  async wait(request: WaitRequest, signal: AbortSignal): Promise<WaitResult> {
    return this.#waits.wait(request, signal)
  }

  /** What waits for it, and what it has not taken yet. */
  get pending(): { waits: number; observers: number; inputBytes: number } {
    const { count } = this.#waits
    return { waits: count, observers: this.#observers.size, inputBytes: this.#source.queuedBytes }
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
    return () => this.#observers.delete(observer)
  }

  /** Ends the program and every process it started. Calls beside a first one share its outcome. */
  async destroy(because: 'destroy' | 'idle_timeout' | 'quota' = 'destroy'): Promise<Manifest> {
    this.#destroying ??= this.#destroy(because)
    return this.#destroying
  }

  assertCommandable(): void {
    const { status } = this.#manifest
    if (policyOf(status).commandable) return
    const message = `session ${this.id} is ${status} and takes no input; "transom list" shows those that do`
    throw new OpError('session_ended', message, { session: this.id, status, exit: this.exit })
  }

  #onOutput(bytes: Buffer): void {
    const seq = this.log.append('output', bytes)
    this.#apply(seq, { type: 'output', bytes })
    this.#lastOutputSeq = seq
    this.#lastOutputMs = this.now()
    for (const answer of this.screen.takeAnswers()) this.#answer(Buffer.from(answer))
    this.#watchSync()
    this.#changed()
    this.#limits.grown(bytes.length)
  }

  #asLimited(): LimitedSession {
    return {
      logBytes: () => this.log.sizeBytes,
      idleMs: () => this.now() - Math.max(this.#lastInputMs, this.#lastOutputMs),
      setOverQuota: (over) => {
        if (over && this.#manifest.status === 'running') this.#setPaused('quota')
        else if (!over && this.#manifest.paused === 'quota') this.#setPaused(null)
      },
      end: (because) => void this.destroy(because),
    }
  }

  /** Stops reading, so that the kernel stops the program, or goes on. */
  #setPaused(paused: Manifest['paused']): void {
    if (this.#manifest.paused === paused) return
    this.#manifest = { ...this.#manifest, paused }
    if (paused === null) this.#source.resume()
    else this.#source.pause()
  }

  #answer(bytes: Buffer): void {
    this.#disk.run(() => {
      this.#apply(this.log.append('answer', bytes), { type: 'other' })
      this.#source.write(bytes)
    })
  }

  #watchSync(): void {
    if (!this.screen.syncActive) {
      clearTimeout(this.#syncTimer)
      this.#syncTimer = undefined
      return
    }
    this.#syncTimer ??= setTimeout(() => {
      this.#syncTimer = undefined
      this.#disk.run(() => {
        this.#apply(this.log.appendFact('sync_release', {}), { type: 'sync_release' })
        this.#changed()
      })
    }, SYNC_OPEN_MS_MAX)
  }

  /** In memory only: on disk it says nothing that the exit record will not say a moment later. */
  #onExiting(): void {
    if (this.#manifest.status === 'running') this.#manifest = { ...this.#manifest, status: 'exiting' }
    // What is still in the pty is little, and belongs to the log.
    if (this.#manifest.paused === 'quota') this.#setPaused(null)
  }

  #onExit(exit: ExitRecord): void {
    this.#reaper.forget(this.#source.pid)
    this.#disk.run(() => this.#apply(this.log.appendFact('exit', exit), { type: 'other' }))
    this.#disk.run(() => {
      // While it is being destroyed, the end comes when the rest of the tree is gone too.
      const status = this.#destroying === null ? 'exited' : this.#manifest.status
      const endedBy = this.#manifest.ended_by ?? 'exit'
      this.#update({ status, exit, pid: null, ended_by: endedBy, ended_at: this.#timestamp() })
      this.#changed()
      this.#onExited()
      if (this.#destroying === null) void this.#close()
    })
  }

  async #destroy(because: 'destroy' | 'idle_timeout' | 'quota'): Promise<Manifest> {
    if (this.ended) return this.#manifest
    this.#update({ ended_by: because })
    this.#setStatus('destroying', because)
    const tree = { mark: BigInt(this.#manifest.process_mark), leaderPid: this.#source.pid }
    const survivors = await killTree(tree, this.#reaper)
    // The last bytes come before the exit; on a full disk they would keep a dead session waiting.
    if (survivors.length === 0 && !this.#disk.stalled) await this.#exited
    this.#source.close()
    const failure = survivors.length === 0 ? null : `processes ${survivors.join(', ')} could not be ended`
    this.#update({ pid: null, failure, ended_at: this.#manifest.ended_at ?? this.#timestamp() })
    this.#setStatus('destroyed', because)
    this.#changed()
    await this.#close()
    return this.#manifest
  }

  #setStatus(status: 'destroying' | 'destroyed', reason?: string): void {
    const fact = reason === undefined ? { status } : { status, reason }
    this.#disk.run(() => this.#apply(this.log.appendFact('status', fact), { type: 'other' }))
    this.#update({ status })
  }

  /** Gives the log back: from here on the session lives on disk only. */
  async #close(): Promise<void> {
    clearTimeout(this.#syncTimer)
    this.#limits.close()
    this.#disk.close()
    try {
      await this.log.close()
    } finally {
      this.#onClosed()
    }
  }

  /** Passes a record on that does not change the screen. */
  #note(seq: number): number {
    this.#apply(seq, { type: 'other' })
    this.#changed()
    return seq
  }

  #apply(seq: number, event: ScreenEvent): void {
    this.screen.apply(seq, event)
  }

  #changed(): void {
    this.#waits.check()
    for (const observer of this.#observers) observer()
  }

  #update(change: Partial<Manifest>): void {
    this.#manifest = { ...this.#manifest, ...change }
    this.#disk.run(() => this.save())
  }

  #timestamp(): string {
    return new Date(this.now()).toISOString()
  }
}
