import type { Fact, NeedsInput, TerminalModes } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import type { Manifest } from '../home/manifest.ts'
import { errnoOf, messageOf } from '../lib/system-error.ts'
import { EventLog } from '../log/event-log.ts'
import type { ChildReaper } from '../sources/pty/child-reaper.ts'
import { foregroundGroup, killTree } from '../sources/pty/process-tree.ts'
import { PtySource, type PtyOptions } from '../sources/pty/pty-source.ts'
import type { ShellIntegration } from '../sources/pty/shell-integration/integrate-shell.ts'
import type { NestedShell } from '../sources/pty/shell-integration/nested-shell.ts'
import { TerminalScreen } from '../screen/terminal-screen.ts'
import { encodeKeys } from '../terminal/key-encoding.ts'
import { parseKeys } from '../terminal/key-names.ts'
import { encodeMouse, type MouseAction } from '../terminal/mouse-encoding.ts'
import { encodePaste } from '../terminal/paste-encoding.ts'
import { VtEmulator } from '../terminal/vt/vt-emulator.ts'
import { BlockProjection } from './block-projection.ts'
import { cursorPlace } from './echo.ts'
import { QUIET_MS, judgeInput } from './input-verdict.ts'
import type { SessionLimits } from './limits.ts'
import { Session, type SessionDependencies } from './session.ts'
import type { IntegratedShell, ShellSession } from './integrated-shell.ts'
import { ShellBlocks } from './shell-blocks.ts'

/** A synchronized update that is open for longer is shown as it stands (the value terminals agree on). */
const SYNC_OPEN_MS_MAX = 150
const INTERRUPT = '\x03' // Ctrl+C

/** How long a status waits for a program to pause: one that goes on printing waits for nothing. */
const UNQUIET_MS_MAX = 250

export interface TerminalDependencies extends SessionDependencies {
  readonly reaper: ChildReaper
}

export interface InputOptions {
  readonly via: Fact<'input'>['via']
  readonly actor: string
  /** Logged by its length only, whatever the terminal echoes. */
  readonly secret?: boolean
  /** What is seen of it in place of an echo. */
  readonly shown?: string | undefined
}

/** What a terminal session is started with. */
export interface TerminalParts {
  readonly program: PtyOptions
  readonly limits: SessionLimits
  /** How its shell tells of its blocks; null for a program that does not. */
  readonly integration: ShellIntegration | null
}

/** A live terminal session: a program on a pty. */
export class TerminalSession extends Session {
  declare readonly screen: TerminalScreen
  /** What the log tells of blocks and of the output stream. */
  readonly blocks: BlockProjection
  readonly #reaper: ChildReaper
  readonly #source: PtySource
  #shells: ShellBlocks | null
  #syncTimer: NodeJS.Timeout | undefined

  /**
   * Starts the program of a new session whose folder is there. When that fails nothing of it is left but the
   * folder, which is the caller's.
   */
  static start(
    dependencies: TerminalDependencies,
    starting: Manifest,
    parts: TerminalParts,
  ): TerminalSession {
    const log = EventLog.create(dependencies.home.logPath(starting.session), dependencies.now)
    try {
      return new TerminalSession(dependencies, starting, { ...parts, log })
    } catch (error) {
      // Nothing was appended that anybody waits for; the folder goes, so a failed sync has nothing to say.
      log.close().catch(() => {})
      throw error
    }
  }

  private constructor(
    dependencies: TerminalDependencies,
    starting: Manifest,
    { program, limits, integration, log }: TerminalParts & { log: EventLog },
  ) {
    const screen = new TerminalScreen(new VtEmulator(program.cols, program.rows))
    super(dependencies, starting, { log, screen, limits })
    this.#reaper = dependencies.reaper
    this.blocks = new BlockProjection(starting)
    this.#shells = integration === null ? null : this.#joinShells(integration)
    this.#source = PtySource.start(program, {
      output: (bytes) => {
        if (this.#shells === null) this.disk.run(() => this.#onOutput(bytes))
        else this.#shells.take(bytes)
      },
      exiting: () => this.exiting(),
      exit: (exit) => {
        this.#reaper.forget(this.#source.pid)
        this.#stopSyncWatch()
        this.#shells?.ended(exit.code)
        this.exited(exit)
      },
    })
    this.#reaper.leave(this.#source.pid)
    this.running(this.#source.pid)
  }

  /** The integrated shell in front; null when the program is none, and leads to none. */
  get shell(): IntegratedShell | null {
    return this.#shells?.front ?? null
  }

  /** All integrated shells; null when there never was one. */
  get shells(): ShellBlocks | null {
    return this.#shells
  }

  /** Expects a shell within the program to ask for its integration. */
  inviteShell(nested: NestedShell, actor: string): void {
    this.#shells ??= this.#joinShells(null)
    this.#shells.invite(nested, actor)
  }

  modes(): TerminalModes {
    return this.screen.modes()
  }

  override get inputQueueBytes(): number {
    return this.#source.queuedBytes
  }

  override needsInput(): NeedsInput {
    const quietMs = this.now() - Math.max(this.lastOutputMs, this.lastInputMs)
    const judged = judgeInput(this.#source.sample(), this.screen, quietMs)
    // What the shell has told is surer than what its prompt looks like.
    const told = this.atPrompt && judged.verdict === 'needs_input'
    return told ? { ...judged, reason: 'shell_prompt' } : judged
  }

  /** As needsInput(), once the program has had the time to read what it was given and to say something. */
  async settledInput(signal: AbortSignal): Promise<NeedsInput> {
    if (this.atPrompt) return this.needsInput()
    const quiet = { idle_ms: QUIET_MS, after_input: true, settle_ms: QUIET_MS, timeout_ms: UNQUIET_MS_MAX }
    try {
      await this.wait(quiet, signal)
    } catch (error) {
      // It goes on printing, or it has ended: then that is what there is to see.
      if (!(error instanceof OpError)) throw error
    }
    return this.needsInput()
  }

  /** Whether its shell has said that it is ready for a command. */
  get atPrompt(): boolean {
    return this.shell !== null && this.shell.queue.ready && this.shell.queue.mode === 'idle'
  }

  async type(text: string, actor: string): Promise<number> {
    return this.input(text.replaceAll(/\r\n|\n/g, '\r'), { via: 'type', actor }) // what the Enter key sends
  }

  async press(keys: readonly string[], actor: string): Promise<number> {
    return this.input(encodeKeys(parseKeys(keys), this.modes()), { via: 'keys', actor })
  }

  async paste(text: string, actor: string): Promise<{ seq: number; bracketed: boolean }> {
    const bracketed = this.modes().bracketed_paste
    return { seq: this.input(encodePaste(text, bracketed), { via: 'paste', actor }), bracketed }
  }

  async mouse(action: MouseAction, actor: string): Promise<number> {
    const encoded = encodeMouse(action, this.modes())
    return this.input(Buffer.from(encoded, 'latin1'), { via: 'mouse', actor })
  }

  /** Sends what the keyboard or the mouse would to the program; returns the seq of the input's record. */
  input(input: string | Buffer, { via, actor, secret = false, shown }: InputOptions): number {
    this.assertCommandable()
    const bytes = Buffer.from(input)
    this.#source.assertRoom(bytes.length)
    // What has a shell run a block is no password, whatever the terminal echoes.
    const mode = secret ? 'hidden' : via === 'block' ? 'raw' : this.#source.inputMode()
    const seq = this.log.appendFact('input', {
      actor,
      via,
      length: bytes.length,
      data_b64: mode === 'hidden' ? null : bytes.toString('base64'),
    })
    this.apply(seq)
    this.#source.write(bytes) // before what takes time: the program is at work meanwhile
    if (shown !== undefined) {
      this.echo.typed(seq, shown, this.screen.place(), { echoed: true, byKernel: false })
    } else if (mode !== 'hidden' && via !== 'block' && typeof input === 'string') {
      const echoed = this.lastOutputSeq > this.lastInputSeq
      const place = cursorPlace(this.screen.frame())
      this.echo.typed(seq, input, place, { echoed, byKernel: mode === 'echoed' })
    }
    if (via !== 'block' && entersLine(bytes)) this.shell?.queue.lineEntered()
    this.entered(seq)
    return seq
  }

  /** Presses Ctrl+C. When there is input that the program has not read, that is forgotten, and it gets the signal. */
  interrupt(actor: string): number {
    this.assertCommandable()
    const bytes = Buffer.from(INTERRUPT)
    const fact = { actor, via: 'send' as const, length: bytes.length, data_b64: bytes.toString('base64') }
    const seq = this.log.appendFact('input', fact)
    this.apply(seq)
    if (this.#source.makeWayForInterrupt()) this.#source.write(bytes)
    else this.signal('SIGINT', 'foreground', actor)
    this.entered(seq)
    return seq
  }

  /** The program in front on the terminal, by its process group; null where that cannot be told. */
  foregroundGroup(): number | null {
    return foregroundGroup(this.#source.pid)
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
      throw signalFailed(signal, pid, error)
    }
    return { seq, pid }
  }

  /**
   * Sends signals to the program in front, all to the same one: the first may end it, and the shell that takes its place
   * on the terminal is not meant. None when that is the session's own first process.
   */
  signalProgram(signals: readonly NodeJS.Signals[], actor: string): void {
    this.assertCommandable()
    const group = this.foregroundGroup()
    if (group === null || group === this.#source.pid) return
    for (const signal of signals) {
      this.note(this.log.appendFact('signal', { actor, signal, to: 'foreground' }))
      try {
        process.kill(-group, signal)
      } catch (error) {
        if (errnoOf(error) === 'ESRCH') return // it has ended
        throw signalFailed(signal, group, error)
      }
    }
  }

  async resize(cols: number, rows: number): Promise<number> {
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

  #joinShells(integration: ShellIntegration | null): ShellBlocks {
    const session: ShellSession = {
      session: this.id,
      output: (bytes) => this.disk.run(() => this.#onOutput(bytes)),
      facts: {
        begun: (fact) => this.#tell('block_begin', fact, (at) => this.blocks.begun(fact, at)),
        ended: (fact) => this.#tell('block_end', fact, (at) => this.blocks.ended(fact, at)),
        prompted: (fact) => this.#tell('prompt', fact, (at) => this.blocks.prompted(fact, at)),
      },
      place: () => this.screen.place(),
      findAbove: (text) => this.screen.findAbove(text),
      foregroundGroup: () => this.foregroundGroup(),
      type: (text, options) => void this.input(text, { via: 'block', ...options }),
      step: (run) => this.disk.run(run),
    }
    const first = integration === null ? null : { integration, group: () => this.#source.pid }
    return new ShellBlocks(session, { lastOrdinal: this.manifest.block_base ?? 0, first })
  }

  /** Appends a fact that the blocks are made from. */
  #tell<T extends 'block_begin' | 'block_end' | 'prompt'>(
    type: T,
    fact: Fact<T>,
    project: (at: { seq: number; time: number }) => void,
  ): void {
    const seq = this.log.appendFact(type, fact)
    project({ seq, time: this.log.time })
    const shown = 'shown' in fact ? fact.shown : undefined
    this.apply(seq, shown === undefined ? undefined : { type: 'output', bytes: Buffer.from(shown) })
    this.changed()
  }

  #onOutput(bytes: Buffer): void {
    const seq = this.log.append('output', bytes)
    this.blocks.printed(bytes.length)
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

const PASTE_START = '\x1b[200~'

/** Whether what is typed has an Enter in it. Within a bracketed paste a line break is text. */
function entersLine(bytes: Buffer): boolean {
  return (bytes.includes(0x0d) || bytes.includes(0x0a)) && !bytes.includes(PASTE_START)
}

function signalFailed(signal: NodeJS.Signals, pid: number, error: unknown): OpError {
  return new OpError('io_error', `could not send ${signal} to process ${pid}: ${messageOf(error)}`, {
    pid,
    signal,
  })
}
