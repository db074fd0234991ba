import type { Fact, TerminalModes } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import type { Manifest } from '../home/manifest.ts'
import { messageOf } from '../lib/system-error.ts'
import { EventLog } from '../log/event-log.ts'
import type { ChildReaper } from '../sources/pty/child-reaper.ts'
import { foregroundGroup, killTree } from '../sources/pty/process-tree.ts'
import { PtySource, type PtyOptions } from '../sources/pty/pty-source.ts'
import { Screen } from '../terminal/screen.ts'
import { XtermEmulator } from '../terminal/xterm-emulator.ts'
import type { SessionLimits } from './limits.ts'
import { Session, type SessionDependencies } from './session.ts'

/** A synchronized update that is open for longer is shown as it stands (the value terminals agree on). */
const SYNC_OPEN_MS_MAX = 150

export interface TerminalDependencies extends SessionDependencies {
  readonly reaper: ChildReaper
}

export interface InputOptions {
  readonly via: Fact<'input'>['via']
  readonly actor: string
}

/** A live terminal session: a program on a pty. */
export class TerminalSession extends Session {
  readonly #reaper: ChildReaper
  readonly #source: PtySource
  #syncTimer: NodeJS.Timeout | undefined

  /**
   * Starts the program of a new session whose folder is there. When that fails nothing of it is left but the
   * folder, which is the caller's.
   */
  static start(
    dependencies: TerminalDependencies,
    starting: Manifest,
    program: PtyOptions,
    limits: SessionLimits,
  ): TerminalSession {
    const log = EventLog.create(dependencies.home.logPath(starting.session), dependencies.now)
    try {
      return new TerminalSession(dependencies, starting, { program, limits, log })
    } catch (error) {
      // Nothing was appended that anybody waits for; the folder goes, so a failed sync has nothing to say.
      log.close().catch(() => {})
      throw error
    }
  }

  private constructor(
    dependencies: TerminalDependencies,
    starting: Manifest,
    { program, limits, log }: { program: PtyOptions; limits: SessionLimits; log: EventLog },
  ) {
    const screen = new Screen(new XtermEmulator(program.cols, program.rows))
    super(dependencies, starting, { log, screen, limits })
    this.#reaper = dependencies.reaper
    this.#source = PtySource.start(program, {
      output: (bytes) => this.disk.run(() => this.#onOutput(bytes)),
      exiting: () => this.exiting(),
      exit: (exit) => {
        this.#reaper.forget(this.#source.pid)
        this.#stopSyncWatch()
        this.exited(exit)
      },
    })
    this.#reaper.leave(this.#source.pid)
    this.running(this.#source.pid)
  }

  modes(): TerminalModes {
    return this.screen.modes()
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
    this.apply(seq)
    if (mode !== 'hidden' && typeof input === 'string') {
      const echoed = this.lastOutputSeq > this.lastInputSeq
      this.echo.typed(seq, input, frame, { echoed, byKernel: mode === 'echoed' })
    }
    this.#source.write(bytes)
    this.entered(seq)
    return seq
  }

  /** Sends a signal to the program in front or to the first process, and says to whom. */
  signal(signal: NodeJS.Signals, to: 'foreground' | 'leader', actor: string): { seq: number; pid: number } {
    this.assertCommandable()
    const seq = this.note(this.log.appendFact('signal', { actor, signal, to }))
    const leader = this.#source.pid
    const pid = to === 'leader' ? leader : (foregroundGroup(leader) ?? leader)
    try {
      process.kill(to === 'leader' ? pid : -pid, signal)
    } catch (error) {
      throw new OpError('io_error', `could not send ${signal} to process ${pid}: ${messageOf(error)}`, {
        pid,
        signal,
      })
    }
    return { seq, pid }
  }

  resize(cols: number, rows: number): number {
    this.assertCommandable()
    // Logged before the program can know: what it then draws comes after it in every replay.
    const seq = this.log.appendFact('resize', { cols, rows })
    this.apply(seq, { type: 'resize', cols, rows })
    this.#source.resize(cols, rows)
    this.update({ cols, rows })
    this.changed()
    return seq
  }

  protected override setSourcePaused(paused: boolean): void {
    if (paused) this.#source.pause()
    else this.#source.resume()
  }

  protected override async endSource(): Promise<number[]> {
    const tree = { mark: BigInt(this.manifest.process_mark), leaderPid: this.#source.pid }
    return killTree(tree, this.#reaper)
  }

  protected override closeSource(): void {
    this.#stopSyncWatch()
    this.#source.close()
  }

  #onOutput(bytes: Buffer): void {
    const seq = this.log.append('output', bytes)
    this.apply(seq, { type: 'output', bytes })
    for (const answer of this.screen.takeAnswers()) this.#answer(Buffer.from(answer))
    this.#watchSync()
    this.shown(seq, bytes.length)
  }

  #answer(bytes: Buffer): void {
    this.disk.run(() => {
      this.apply(this.log.append('answer', bytes))
      this.#source.write(bytes)
    })
  }

  #watchSync(): void {
    if (!this.screen.syncActive) return this.#stopSyncWatch()
    this.#syncTimer ??= setTimeout(() => {
      this.#syncTimer = undefined
      this.disk.run(() => {
        this.apply(this.log.appendFact('sync_release', {}), { type: 'sync_release' })
        this.changed()
      })
    }, SYNC_OPEN_MS_MAX)
  }

  #stopSyncWatch(): void {
    clearTimeout(this.#syncTimer)
    this.#syncTimer = undefined
  }
}
