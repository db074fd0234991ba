import type { Actor, Fact, NeedsInput, Writer } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { BlockProjection } from '../../blocks/block-projection.ts'
import type { IntegratedShell, ShellSession } from '../../blocks/integrated-shell.ts'
import { ShellBlocks } from '../../blocks/shell-blocks.ts'
import type { ShellIntegration } from '../../blocks/shells/integrate-shell.ts'
import type { CanonicalText, TextSpan } from '@transom/grid'
import type { Manifest } from '../../home/manifest.ts'
import { errnoOf, messageOf } from '../../lib/system-error.ts'
import type { LogRecord } from '../../log/record.ts'
import { programInside } from '../../platform/bubblewrap.ts'
import type { ChildReaper } from '../../platform/child-reaper.ts'
import { platform } from '../../platform/current-platform.ts'
import { foregroundGroup, killTree } from '../../platform/process-tree.ts'
import type { Capabilities, InputOptions } from '../../session/capabilities.ts'
import type { Act, Acted, EventSink, Source, SourceStart } from '../../session/kind.ts'
import { encodeKeys } from '../../terminal/key-encoding.ts'
import { parseKeys } from '../../terminal/key-names.ts'
import { encodeMouse } from '../../terminal/mouse-encoding.ts'
import { encodePaste } from '../../terminal/paste-encoding.ts'
import type { Frame } from '../../terminal/emulator.ts'
import { EchoTracker, cursorPlace } from './echo.ts'
import { judgeInput, promptOf } from './input-verdict.ts'
import { asksForPassword } from './password-prompt.ts'
import { PtySource, type PtyOptions } from './pty-source.ts'
import type { TerminalProjection } from './terminal-projection.ts'

/** A synchronized update that is open for longer is shown as it stands (the value terminals agree on). */
const SYNC_OPEN_MS_MAX = 150
const INTERRUPT = '\x03' // Ctrl+C

export interface TerminalStart extends SourceStart<TerminalProjection> {
  readonly program: PtyOptions
  /** Whether bubblewrap runs the program, with processes of its own between it and the pty. */
  readonly isolated: boolean
  /** How its shell reports its blocks; null for a program that does not. */
  readonly integration: ShellIntegration | null
  readonly reaper: ChildReaper
  /** The session's clock. */
  readonly now: () => number
}

/** A program on a pty. */
export class TerminalSource implements Source {
  readonly capabilities: Pick<Capabilities, 'tty' | 'blocks' | 'needs_input'>
  readonly #manifest: Manifest
  readonly #screen: TerminalProjection
  readonly #sink: EventSink
  readonly #start: TerminalStart
  readonly #blocks: BlockProjection
  readonly #echo = new EchoTracker()
  readonly #pty: PtySource
  /** The isolated program, once it was seen. */
  #isolatedPid: number | null = null
  #shells: ShellBlocks | null
  #lastOutputMs: number
  #lastInputMs: number
  /** Whether the program has printed since the last input. */
  #printedSinceInput = false
  #stopSyncTimer: (() => void) | null = null

  constructor(start: TerminalStart) {
    const { manifest, projection, sink, scope, reaper, integration } = start
    this.#start = start
    this.#manifest = manifest
    this.#screen = projection
    this.#sink = sink
    this.#lastOutputMs = this.#lastInputMs = start.now()
    this.#blocks = new BlockProjection(manifest)
    this.#shells = integration === null ? null : this.#joinShells(integration)
    this.#pty = PtySource.start(start.program, {
      output: scope.guard((bytes: Buffer) => {
        if (start.isolated && this.#isolatedPid === null) sink.started(this.#programPid())
        if (this.#shells === null) this.#print(bytes)
        else this.#shells.take(bytes)
      }),
      turnLength: (bytes) => projection.turnLength(bytes),
      exiting: scope.guard(() => sink.exiting()),
      exit: scope.guard((exit) => {
        reaper.forget(this.#pty.pid)
        this.#stopSyncWatch()
        this.#shells?.ended(exit.code)
        sink.exited(exit)
      }),
    })
    reaper.leave(this.#pty.pid)
    this.capabilities = this.#capabilities()
    sink.started(this.#pty.pid)
  }

  get queuedBytes(): number {
    return this.#pty.queuedBytes
  }

  dropQueued(): void {
    this.#pty.dropQueued()
  }

  async act(act: Act, writer: Writer): Promise<Acted> {
    const modes = this.#screen.modes()
    switch (act.act) {
      case 'type': // what the Enter key sends
        return {
          seq: this.#input(act.text.replaceAll(/\r\n|\n/g, '\r'), {
            via: 'type',
            writer,
            secret: act.secret,
          }),
        }
      case 'keys':
        return { seq: this.#input(encodeKeys(parseKeys(act.keys), modes), { via: 'keys', writer }) }
      case 'paste': {
        const bracketed = modes.bracketed_paste
        const seq = this.#input(encodePaste(act.text, bracketed), { via: 'paste', writer })
        return { seq, bracketed }
      }
      case 'mouse': {
        const encoded = Buffer.from(encodeMouse(act.mouse, modes), 'latin1')
        return { seq: this.#input(encoded, { via: 'mouse', writer }) }
      }
      case 'resize':
        return { seq: this.#resize(act.cols, act.rows, writer) }
      default:
        return act satisfies never
    }
  }

  pause(reasons: ReadonlySet<unknown>): void {
    if (reasons.size > 0) this.#pty.pause()
    else this.#pty.resume()
  }

  async end(): Promise<readonly number[]> {
    const { session, process_mark: mark } = this.#manifest
    return killTree({ session, mark: BigInt(mark), leaderPid: this.#pty.pid }, this.#start.reaper)
  }

  close(): void {
    this.#stopSyncWatch()
    this.#shells?.close()
    this.#pty.close()
  }

  recorded(record: LogRecord): void {
    this.#blocks.apply(record)
  }

  echoes(seq: number, frame: Frame, canonical: CanonicalText): TextSpan[] {
    return this.#echo.echoes(seq, frame, canonical)
  }

  #capabilities(): Pick<Capabilities, 'tty' | 'blocks' | 'needs_input'> {
    const shells = () => this.#shells
    const atPrompt = () => this.#atPrompt
    return {
      tty: {
        input: (input, options) => this.#input(input, options),
        interrupt: (writer) => this.#interrupt(writer),
        signal: (signal, to, writer) => this.#signal(signal, to, writer),
        signalProgram: (signals, writer) => this.#signalProgram(signals, writer),
        foregroundGroup: () => foregroundGroup(this.#pty.pid),
      },
      blocks: {
        projection: this.#blocks,
        get shell() {
          return shells()?.front ?? null
        },
        get shells() {
          return shells()
        },
        get atPrompt() {
          return atPrompt()
        },
        inviteShell: (nested, writer) => {
          this.#shells ??= this.#joinShells(null)
          this.#shells.invite(nested, writer)
        },
      },
      needs_input: { needsInput: () => this.#needsInput() },
    }
  }

  get #shell(): IntegratedShell | null {
    return this.#shells?.front ?? null
  }

  get #atPrompt(): boolean {
    const shell = this.#shell
    return shell !== null && shell.queue.ready && shell.queue.mode === 'idle'
  }

  #needsInput(): NeedsInput {
    const quietMs = this.#start.now() - Math.max(this.#lastOutputMs, this.#lastInputMs)
    const judged = judgeInput(this.#pty.sample(), this.#screen, quietMs)
    // What the shell has reported is surer than what its prompt looks like.
    const reported = this.#atPrompt && judged.verdict === 'needs_input'
    return reported ? { ...judged, reason: 'shell_prompt' } : judged
  }

  /** Sends what the keyboard or the mouse would to the program; returns the seq of the input's record. */
  #input(input: string | Buffer, { via, writer, secret = false, shown }: InputOptions): number {
    const bytes = Buffer.from(input)
    this.#pty.assertRoom(bytes.length)
    // What has a shell run a block is no password, whatever the terminal echoes.
    const mode = secret ? 'hidden' : via === 'block' ? 'raw' : this.#inputMode()
    const data_b64 = mode === 'hidden' ? null : bytes.toString('base64')
    const seq = this.#sink.act('input', { via, length: bytes.length, data_b64 }, writer)
    this.#pty.write(bytes) // before what takes time: the program is at work meanwhile
    if (shown !== undefined) {
      this.#echo.typed(seq, shown, this.#screen.place(), { echoed: true, byKernel: false })
    } else if (mode !== 'hidden' && via !== 'block' && typeof input === 'string') {
      const place = cursorPlace(this.#screen.frame())
      this.#echo.typed(seq, input, place, { echoed: this.#printedSinceInput, byKernel: mode === 'echoed' })
    }
    if (via !== 'block') this.#noteTyped(bytes)
    this.#entered(seq)
    return seq
  }

  /** As the terminal has it. A program that handles its input itself may ask for a password: only its prompt says so. */
  #inputMode(): 'echoed' | 'raw' | 'hidden' {
    const mode = this.#pty.inputMode()
    return mode === 'raw' && !this.#atPrompt && asksForPassword(promptOf(this.#screen)) ? 'hidden' : mode
  }

  #noteTyped(bytes: Buffer): void {
    if (entersLine(bytes)) this.#shell?.queue.lineEntered()
    else this.#shell?.queue.typed(bytes)
  }

  #interrupt(writer: Writer): number {
    const bytes = Buffer.from(INTERRUPT)
    const input = { via: 'send' as const, length: bytes.length, data_b64: bytes.toString('base64') }
    const seq = this.#sink.act('input', input, writer)
    if (this.#pty.makeWayForInterrupt()) this.#pty.write(bytes)
    else this.#signal('SIGINT', 'foreground', writer)
    this.#shell?.queue.lineEntered()
    this.#entered(seq)
    return seq
  }

  #entered(seq: number): void {
    this.#printedSinceInput = false
    this.#lastInputMs = this.#start.now()
    this.#sink.entered(seq)
  }

  /** The session's program; bubblewrap's process until an isolated one has been started. */
  #programPid(): number {
    if (this.#start.isolated) this.#isolatedPid ??= programInside(this.#pty.pid)
    return this.#isolatedPid ?? this.#pty.pid
  }

  /** A shell that is not the first process of its terminal makes a process group of its own. */
  #programGroup(): number {
    const pid = this.#programPid()
    return pid === this.#pty.pid ? pid : (platform().processFacts(pid)?.group ?? pid)
  }

  #signal(signal: NodeJS.Signals, to: 'foreground' | 'leader', writer: Writer): { seq: number; pid: number } {
    const seq = this.#commitSignal({ signal, to }, writer)
    const leader = this.#programPid()
    const pid = to === 'leader' ? leader : (foregroundGroup(this.#pty.pid) ?? leader)
    try {
      process.kill(to === 'leader' ? pid : -pid, signal)
    } catch (error) {
      throw signalFailed(signal, pid, error)
    }
    return { seq, pid }
  }

  #signalProgram(signals: readonly NodeJS.Signals[], writer: Writer): void {
    const group = foregroundGroup(this.#pty.pid)
    if (group === null || group === this.#programGroup()) return
    for (const signal of signals) {
      this.#commitSignal({ signal, to: 'foreground' }, writer)
      try {
        process.kill(-group, signal)
      } catch (error) {
        if (errnoOf(error) === 'ESRCH') return // it has ended
        throw signalFailed(signal, group, error)
      }
    }
  }

  #commitSignal(signal: Omit<Fact<'signal'>, keyof Actor>, writer: Writer): number {
    const seq = this.#sink.act('signal', signal, writer)
    this.#sink.changed()
    return seq
  }

  #resize(cols: number, rows: number, writer: Writer): number {
    // Logged before the program can know: what it then draws comes after it in every replay.
    const seq = this.#sink.act('resize', { cols, rows }, writer)
    this.#pty.resize(cols, rows)
    this.#sink.describe({ cols, rows })
    this.#sink.changed()
    return seq
  }

  #joinShells(integration: ShellIntegration | null): ShellBlocks {
    const { sink } = this.#start
    const session: ShellSession = {
      session: this.#manifest.session,
      output: (bytes) => this.#print(bytes),
      facts: {
        begun: (fact) => sink.append('block_begin', fact),
        ended: (fact) => sink.append('block_end', fact),
        prompted: (fact) => sink.append('prompt', fact),
      },
      place: () => this.#screen.place(),
      findAbove: (text) => this.#screen.findAbove(text),
      foregroundGroup: () => foregroundGroup(this.#pty.pid),
      type: (text, options) => void this.#input(text, { via: 'block', ...options }),
      reply: (text, { writer, secret }) => {
        const bytes = Buffer.from(text)
        const data_b64 = secret ? null : bytes.toString('base64')
        const fact = { ...writer.actor, via: 'block' as const, length: bytes.length, data_b64 }
        sink.append('input', fact, () => this.#pty.write(bytes))
      },
      mayWrite: (writer) => sink.mayWrite(writer),
      after: (run) => sink.after(run),
      timeout: (ms, run) => this.#start.scope.timeout(ms, run),
    }
    const first = integration === null ? null : { integration, group: () => this.#programGroup() }
    return new ShellBlocks(session, { lastOrdinal: this.#manifest.block_base ?? 0, first })
  }

  #print(bytes: Buffer): void {
    this.#sink.output(bytes, () => {
      this.#printedSinceInput = true
      this.#lastOutputMs = this.#start.now()
      for (const answer of this.#screen.takeAnswers()) this.#answer(Buffer.from(answer))
      this.#watchSync()
    })
  }

  #answer(bytes: Buffer): void {
    this.#sink.appendBytes('answer', bytes, () => this.#pty.write(bytes))
  }

  #watchSync(): void {
    if (!this.#screen.syncActive) return this.#stopSyncWatch()
    this.#stopSyncTimer ??= this.#start.scope.timeout(SYNC_OPEN_MS_MAX, () => {
      this.#stopSyncTimer = null
      this.#sink.append('sync_release', {})
    })
  }

  #stopSyncWatch(): void {
    this.#stopSyncTimer?.()
    this.#stopSyncTimer = null
  }
}

const PASTE_START = '\x1b[200~'

/**
 * Whether what is typed makes a shell at its prompt do something: Enter, or Ctrl+C, which gives the line up and draws the
 * prompt again. Within a bracketed paste a line break is text.
 */
function entersLine(bytes: Buffer): boolean {
  const hasEnter = bytes.includes(0x0d) || bytes.includes(0x0a)
  return (hasEnter && !bytes.includes(PASTE_START)) || bytes.includes(INTERRUPT)
}

function signalFailed(signal: NodeJS.Signals, pid: number, error: unknown): OpError {
  return new OpError('io_error', `could not send ${signal} to process ${pid}: ${messageOf(error)}`, {
    pid,
    signal,
  })
}
