import type { Actor, BlockKind, Fact, ShellMode, Writer } from '@transom/protocol'
import { OpError, next } from '@transom/protocol/errors'
import { freeing, integrating, shortened, talking } from './block-advice.ts'
import { blockId, interactiveId } from './block-ids.ts'
import type { Mark } from './shells/mark-cutter.ts'

/** A block that was asked for. */
export interface BlockRequest {
  readonly command: string
  readonly kind: 'block' | 'interactive'
  readonly writer: Writer
  /** The folder to run it in. */
  readonly cwd: string | null
  /** What it reads from its standard input; null for the terminal. */
  readonly stdin: string | null
  /** Whether it may wait for those before it. */
  readonly queue: boolean
}

/** A block that was accepted: its names are fixed, also while it waits. */
export interface AcceptedBlock {
  readonly id: string
  readonly ordinal: number
  readonly kind: BlockKind
  readonly command: string | null
  readonly queued: boolean
}

interface WaitingBlock extends AcceptedBlock {
  readonly command: string
  readonly writer: Writer
  readonly cwd: string | null
  readonly stdin: string | null
  /** Whether it was given to the shell since the last prompt. */
  given: boolean
  tries: number
}

/** Records what a shell has reported. */
export interface BlockFacts {
  begun(fact: Fact<'block_begin'>): void
  ended(fact: Fact<'block_end'>): void
  prompted(fact: Fact<'prompt'>): void
}

/** A block, as the shell gets it. */
export interface GivenText extends Pick<BlockRequest, 'command' | 'cwd' | 'stdin'> {
  /** What was typed at the prompt and not entered; null if nothing was. */
  readonly halfTyped: Buffer | null
}

/** What the queue does to its session. */
export interface BlockShell {
  readonly session: string
  readonly facts: BlockFacts
  /** Has the shell run a text; it answers with a begin mark that has this number. */
  give(request: number, text: GivenText, writer: Writer): void
  /** Puts back at the prompt what was typed there and not entered. */
  restore(halfTyped: Buffer): void
  /** Whether it reports every command that it begins, including typed ones. */
  readonly tellsTyped: boolean
  /** Whether the shell itself has the terminal. */
  isInFront(): boolean
  /** The name of the program in front, if that is, or leads to, a shell that does not report blocks. */
  foreignShell(): string | null
  /** What the screen is to show of the block that was given to the shell. */
  shown(): string
  /** The shell has begun it. */
  taken(request: number): void
  /** It has ended. */
  done(request: number): void
  /** Calls back after a time, unless the returned function is called first. */
  timeout(ms: number, callback: () => void): () => void
}

/** The ordinal that was given last: the shells of a session count together. */
export interface BlockOrdinals {
  last: number
}

/** A shell that has swallowed a command this often (a ^C at the prompt, say) does not get it again. */
const GIVE_TRIES_MAX = 3
/** A line editor that is silent for this long after Enter keeps the line: fish does that with a syntax error. */
const ENTERED_MS_MAX = 500
/** Asked for and not yet begun. Past this the caller is refused. */
const WAITING_BLOCKS_MAX = 1000
/** Why a block did not begin is kept for so many: their callers ask within moments. */
const FAILED_BLOCKS_MAX = 1000

/** What is typed at a prompt and put back there later: a terminal takes no longer line. */
const HALF_TYPED_BYTES_MAX = 4096

/** What the shell is doing, as far as its marks tell. */
type ShellState =
  /** It has not shown a prompt yet. */
  | { readonly is: 'starting' }
  /** It has ended a command and not yet shown its prompt. */
  | { readonly is: 'between' }
  | { readonly is: 'at_prompt' }
  /** A line was entered at the prompt, and the shell has not reported yet what became of it. */
  | { readonly is: 'entered'; readonly stopTimer: () => void }
  | { readonly is: 'running'; readonly block: AcceptedBlock }
  | { readonly is: 'ended' }

/**
 * The commands for a shell, one after another, and what its marks report of them. The marks decide: a block
 * begins and ends only where a mark says so.
 */
export class BlockQueue {
  readonly #shell: BlockShell
  readonly #waiting: WaitingBlock[] = []
  readonly #failed = new Map<string, string>()
  readonly #ordinals: BlockOrdinals
  #state: ShellState = { is: 'starting' }
  #cwd: Buffer | null = null
  /** Typed at the prompt and not entered. */
  #halfTyped: Buffer | null = null
  /** The same, from a prompt at which a block was given. */
  #kept: Buffer | null = null

  constructor(shell: BlockShell, ordinals: BlockOrdinals) {
    this.#shell = shell
    this.#ordinals = ordinals
  }

  /** Whether the shell has shown a prompt, and lives. */
  get ready(): boolean {
    return this.#state.is !== 'starting' && this.#state.is !== 'ended'
  }

  /** The block that runs, or the first one that waits when none does. */
  get active(): AcceptedBlock | null {
    return this.#running ?? this.#waiting[0] ?? null
  }

  get #running(): AcceptedBlock | null {
    return this.#state.is === 'running' ? this.#state.block : null
  }

  get queuedCount(): number {
    return Math.max(0, this.#waiting.length - (this.#running === null ? 1 : 0))
  }

  get mode(): ShellMode {
    if (this.active === null) return this.#state.is === 'entered' ? 'block_running' : 'idle'
    return this.active.kind === 'interactive' ? 'interactive' : 'block_running'
  }

  /** Whether a block has neither begun nor been given up. */
  isWaiting(id: string): boolean {
    return this.#waiting.some((block) => block.id === id)
  }

  /** Why a block was given up before it began; null if it was not. */
  whyFailed(id: string): string | null {
    return this.#failed.get(id) ?? null
  }

  accept(request: BlockRequest): AcceptedBlock {
    const active = this.active
    if (active !== null) this.#assertMayWait(active, request)
    else if (this.#state.is === 'entered' && !request.queue) {
      const message =
        'the shell is busy with a line that was typed at its prompt; wait for a moment, or queue'
      throw new OpError('shell_busy', message, { mode: this.mode })
    }
    const ordinal = ++this.#ordinals.last
    const block: WaitingBlock = {
      id: blockId(this.#shell.session, ordinal),
      ordinal,
      kind: request.kind,
      command: request.command,
      writer: request.writer,
      cwd: request.cwd,
      stdin: request.stdin,
      queued: active !== null,
      given: false,
      tries: 0,
    }
    this.#waiting.push(block)
    try {
      this.#giveNext()
    } catch (error) {
      this.#waiting.splice(this.#waiting.indexOf(block), 1)
      throw error
    }
    return block
  }

  /** A line was typed. At the prompt, that makes the shell do something, and what is given to it now could go astray. */
  lineEntered(): void {
    this.#halfTyped = null
    if (this.#state.is === 'at_prompt') this.#watchEntered()
  }

  /** Something was typed that does not enter a line. Before a prompt that is to come, it stands there then. */
  typed(bytes: Buffer): void {
    const { is } = this.#state
    if ((is !== 'at_prompt' && is !== 'between') || this.#waiting[0]?.given === true) return
    this.#halfTyped = Buffer.concat([this.#halfTyped ?? Buffer.alloc(0), bytes]).subarray(
      0,
      HALF_TYPED_BYTES_MAX,
    )
  }

  /** Takes a mark. The caller calls advance() after it has processed the mark's chunk. */
  take(mark: Exclude<Mark, { kind: 'asks' }>): void {
    if (this.#state.is === 'entered') this.#leave({ is: 'between' })
    switch (mark.kind) {
      case 'begin':
        return this.#begun(mark.request)
      case 'typed':
        return this.#typed(mark.command, mark.cwd)
      case 'end':
        return this.#ended(mark.exitCode, mark.cwd)
      case 'prompt':
        return this.#prompted(mark.exitCode)
      case 'line':
        return this.#lined(mark.exitCode, mark.cwd)
      default:
        return mark satisfies never
    }
  }

  /** Gives the shell the next block, when it is ready for one. A block that cannot be given is given up. */
  advance(): void {
    try {
      this.#giveNext()
    } catch (error) {
      if (!(error instanceof OpError)) throw error
      const block = this.#waiting.shift()
      if (block !== undefined) this.#giveUp(block, error.message)
    }
  }

  /** The shell has ended: so have its blocks. */
  shellEnded(exitCode: number | null): void {
    this.#endBlock(exitCode, 'exit', null)
    this.#leave({ is: 'ended' })
    for (const block of this.#waiting.splice(0)) this.#giveUp(block, 'the shell ended before it began')
  }

  /** Stops what is timed. */
  close(): void {
    if (this.#state.is === 'entered') this.#leave({ is: 'between' })
  }

  #leave(next: ShellState): void {
    if (this.#state.is === 'entered') this.#state.stopTimer()
    this.#state = next
  }

  #watchEntered(): void {
    const stopTimer = this.#shell.tellsTyped
      ? this.#shell.timeout(ENTERED_MS_MAX, () => this.#enteredForNothing())
      : () => {}
    this.#leave({ is: 'entered', stopTimer })
  }

  #enteredForNothing(): void {
    if (this.#state.is !== 'entered') return
    if (!this.#shell.isInFront()) return this.#watchEntered() // a program that draws its prompt, on a busy machine
    this.#leave({ is: 'at_prompt' })
    this.advance()
  }

  #giveUp({ id }: WaitingBlock, why: string): void {
    this.#failed.set(id, why)
    const [oldest] = this.#failed.keys()
    if (this.#failed.size > FAILED_BLOCKS_MAX && oldest !== undefined) this.#failed.delete(oldest)
  }

  #giveNext(): void {
    if (this.#state.is !== 'at_prompt') return
    const next = this.#waiting[0]
    if (next === undefined) return this.#restoreLine()
    if (next.given) return
    this.#shell.give(next.ordinal, { ...next, halfTyped: this.#halfTyped }, next.writer)
    this.#kept = this.#halfTyped ?? this.#kept
    this.#halfTyped = null
    next.given = true
    next.tries++
  }

  #restoreLine(): void {
    const kept = this.#kept
    if (kept === null) return
    this.#kept = null
    this.#shell.restore(kept)
    this.#halfTyped = Buffer.concat([kept, this.#halfTyped ?? Buffer.alloc(0)])
  }

  #assertMayWait(active: AcceptedBlock, { queue }: BlockRequest): void {
    const words = active.command === null ? 'a typed command' : JSON.stringify(shortened(active.command))
    const details = { block_id: active.id, command: active.command, mode: this.mode }
    const { session } = this.#shell
    if (active.kind === 'interactive') {
      const foreign = this.#shell.foreignShell()
      const message = `the interactive session ${interactiveId(active.id)} (${words}) has the shell`
      const reach = next(
        ...talking(session),
        { call: 'pty.end_session', params: { conversation_id: session }, does: 'ends it' },
        ...(foreign === null ? [] : integrating(session)),
      )
      const session_id = interactiveId(active.id)
      throw new OpError('shell_interactive', message, { ...details, session_id, ...reach })
    }
    if (!queue) {
      const foreign = this.#running === null ? null : this.#shell.foreignShell()
      if (foreign !== null)
        throw new OpError(
          'shell_not_integrated',
          `${foreign} is in front, and the shell there is not integrated`,
          { ...details, program: foreign, ...next(...talking(session), ...integrating(session)) },
        )
      const message = `the shell is running ${words} (block ${active.ordinal})`
      throw new OpError('shell_busy', message, { ...details, ...next(...freeing(session, active.ordinal)) })
    }
    if (this.#waiting.length >= WAITING_BLOCKS_MAX) {
      const message = `${this.#waiting.length} commands wait for the shell already; wait for some of them`
      throw new OpError('shell_busy', message, { ...details, limit: WAITING_BLOCKS_MAX })
    }
  }

  #begun(request: number): void {
    const index = this.#waiting.findIndex(({ ordinal }) => ordinal === request)
    const block = this.#waiting[index]
    if (block === undefined) return
    this.#begin(block, { ...block.writer.actor, shown: this.#shell.shown() })
    this.#waiting.splice(index, 1)
    this.#shell.taken(request)
  }

  #typed(text: Buffer | null, cwd: Buffer): void {
    this.#cwd = cwd
    const ordinal = this.#ordinals.last + 1
    const block: AcceptedBlock = {
      id: blockId(this.#shell.session, ordinal),
      ordinal,
      kind: 'typed',
      command: text?.toString('utf8') ?? null,
      queued: false,
    }
    this.#begin(block, { actor: null })
    this.#ordinals.last = ordinal
  }

  #begin(block: AcceptedBlock, by: Pick<Fact<'block_begin'>, keyof Actor | 'shown'>): void {
    this.#endBlock(null, 'unknown', null)
    const fact = { block: block.id, ordinal: block.ordinal, kind: block.kind, command: block.command }
    this.#shell.facts.begun({ ...fact, ...by, ...folderFields(this.#cwd) })
    this.#leave({ is: 'running', block })
  }

  #ended(exitCode: number, cwd: Buffer): void {
    this.#endBlock(exitCode, 'shell', cwd)
    this.#cwd = cwd
    if (this.#state.is !== 'starting') this.#leave({ is: 'between' })
    const first = this.#waiting[0]
    if (first === undefined || !first.given) return
    // The shell is at a new prompt and has lost what it was given: a user pressed ^C, or another program read it.
    first.given = false
    if (first.tries < GIVE_TRIES_MAX) return
    this.#waiting.shift()
    this.#giveUp(first, `the shell did not take it in ${first.tries} tries`)
  }

  #lined(exitCode: number, cwd: Buffer): void {
    this.#endBlock(exitCode, 'shell', cwd)
    this.#cwd = cwd
  }

  #prompted(exitCode: number): void {
    if (this.#state.is === 'at_prompt') return // the line editor draws its prompt again, after a resize say
    this.#endBlock(exitCode, 'shell', null)
    const taken = this.#waiting.length > 0 ? { taken: true as const } : {}
    this.#shell.facts.prompted({ exit_code: exitCode, ...taken, ...folderFields(this.#cwd) })
    this.#leave({ is: 'at_prompt' })
  }

  #endBlock(exitCode: number | null, endedBy: Fact<'block_end'>['ended_by'], cwd: Buffer | null): void {
    const block = this.#running
    if (block === null) return
    this.#shell.facts.ended({
      block: block.id,
      ordinal: block.ordinal,
      exit_code: exitCode,
      ended_by: endedBy,
      ...folderFields(cwd ?? this.#cwd),
    })
    this.#shell.done(block.ordinal)
    this.#leave({ is: 'between' })
  }
}

function folderFields(cwd: Buffer | null): { cwd: string | null; cwd_b64?: string } {
  if (cwd === null) return { cwd: null }
  const text = cwd.toString('utf8')
  return Buffer.from(text).equals(cwd) ? { cwd: text } : { cwd: text, cwd_b64: cwd.toString('base64') }
}
