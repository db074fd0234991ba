import * as fs from 'node:fs'
import type { Writer } from '@transom/protocol'
import { EchoCutter } from './shells/echo-cutter.ts'
import { MarkCutter, type CutMark } from './shells/mark-cutter.ts'
import type { ShellIntegration } from './shells/integrate-shell.ts'
import type { NestedShell } from './shells/nested-shell.ts'
import { typedText } from './shells/typed-text.ts'
import { blockId, interactiveId } from './block-ids.ts'
import type { AcceptedBlock, BlockOrdinals } from './block-queue.ts'
import { IntegratedShell, type ShellSession } from './integrated-shell.ts'

/** What may be the start of a mark is held back no longer than this when nothing follows: then it is none. */
const HELD_MS_MAX = 50
/** More shells than anyone integrates at once. Past this the oldest invitation is void. */
const INVITED_MAX = 20

/**
 * The shells of a session: the one that it was started with, and those within it that were integrated later. Their
 * marks are cut out of what the pty prints. The shell whose mark came last is the one in front; those that it had
 * started have ended, or come back with a mark of their own (`fg`).
 */
export class ShellBlocks {
  readonly #session: ShellSession
  readonly #ordinals: BlockOrdinals
  readonly #echo = new EchoCutter()
  readonly #cutter = new MarkCutter()
  readonly #shells = new Map<string, IntegratedShell>()
  readonly #invited = new Map<string, { nested: NestedShell; writer: Writer }>()
  /** Outermost first. */
  readonly #nesting: IntegratedShell[] = []
  readonly #first: IntegratedShell | null
  #stopReleaseTimer: () => void = () => {}
  #takenCount = 0

  /** `first` is the session's own program, where that is a shell with integration. */
  constructor(
    session: ShellSession,
    options: { lastOrdinal: number; first: { integration: ShellIntegration; group: () => number } | null },
  ) {
    this.#session = session
    this.#ordinals = { last: options.lastOrdinal }
    this.#first = options.first === null ? null : this.#add(options.first.integration, options.first.group)
    if (this.#first !== null) this.#nesting.push(this.#first)
  }

  /** The shell that reads commands, or waits for one to end; null if none of the session's is integrated. */
  get front(): IntegratedShell | null {
    return this.#nesting.at(-1) ?? null
  }

  /** The innermost interactive session: it lasts while shells within it have blocks of their own. */
  get interactive(): AcceptedBlock | null {
    const active = this.#nesting.map(({ queue }) => queue.active)
    return active.findLast((block) => block?.kind === 'interactive') ?? null
  }

  /** The ordinal of the block that was asked for or typed last; 0 before the first. */
  get lastOrdinal(): number {
    return this.#ordinals.last
  }

  blockId(ordinal: number): string {
    return blockId(this.#session.session, ordinal)
  }

  /** Whether a block has neither begun nor been given up. */
  isWaiting(id: string): boolean {
    return [...this.#shells.values()].some(({ queue }) => queue.isWaiting(id))
  }

  /** Why a block was given up before it began; null if it was not. */
  whyFailed(id: string): string | null {
    for (const { queue } of this.#shells.values()) {
      const why = queue.whyFailed(id)
      if (why !== null) return why
    }
    return null
  }

  /** Expects a shell to ask for its script: it gets it whenever it does. */
  invite(nested: NestedShell, writer: Writer): void {
    this.#invited.set(nested.invitation, { nested, writer })
    this.#cutter.know(nested.invitation, (quoted) => quoted)
    const [oldest] = this.#invited.keys()
    if (this.#invited.size > INVITED_MAX && oldest !== undefined) this.#uninvite(oldest)
  }

  /** Whether the shell with this nonce has reported that it is integrated. */
  hasJoined(nonce: string): boolean {
    const shell = this.#shells.get(nonce)
    return shell !== undefined && this.#nesting.includes(shell)
  }

  /** Takes what the pty gave: bytes go on as output, marks become facts. */
  take(chunk: Buffer): void {
    this.#stopReleaseTimer()
    this.#takenCount++
    let marked = false
    for (const part of this.#cutter.take(this.#echo.take(chunk))) {
      if (Buffer.isBuffer(part)) this.#session.output(part)
      else {
        marked = true
        this.#takeMark(part)
      }
    }
    if (marked) this.#session.after(() => this.front?.queue.advance())
    if (this.#cutter.unsure || this.#echo.unsure) this.#releaseLater()
  }

  /** The program has ended, and nothing more comes from it. */
  ended(exitCode: number | null): void {
    this.#stopReleaseTimer()
    this.#release()
    for (const shell of [...this.#nesting].reverse())
      this.#shellEnded(shell, shell === this.#first ? exitCode : null)
    const folder = this.#first?.integration.folder ?? null
    if (folder !== null) fs.rmSync(folder, { recursive: true, force: true })
  }

  /** Stops what is timed; nothing is taken afterwards. */
  close(): void {
    this.#stopReleaseTimer()
    for (const { queue } of this.#shells.values()) queue.close()
  }

  #add(integration: ShellIntegration, group: () => number | null): IntegratedShell {
    const shell = new IntegratedShell(integration, {
      session: this.#session,
      ordinals: this.#ordinals,
      group,
      expectEcho: (echo) => this.#echo.expect(echo),
    })
    this.#shells.set(integration.nonce, shell)
    // Known for good: a shell that was stopped may come back, and its nonce must not get into the log.
    this.#cutter.know(integration.nonce, (quoted) => integration.unquote(quoted))
    return shell
  }

  #uninvite(invitation: string): void {
    this.#invited.delete(invitation)
    this.#cutter.forget(invitation)
  }

  #takeMark({ nonce, mark }: CutMark): void {
    const invited = this.#invited.get(nonce)
    if (invited !== undefined) {
      if (mark.kind === 'asks') this.#admit(invited)
      return
    }
    const shell = this.#shells.get(nonce)
    if (shell === undefined) return
    if (mark.kind === 'asks') return this.#session.after(() => shell.answer())
    this.#bringToFront(shell)
    this.#session.after(() => shell.queue.take(mark))
  }

  #admit({ nested, writer }: { nested: NestedShell; writer: Writer }): void {
    this.#uninvite(nested.invitation)
    const group = this.#session.foregroundGroup()
    this.#add(nested.integration, () => group)
    this.#session.reply(typedText(nested.script), { writer, secret: true })
  }

  #bringToFront(shell: IntegratedShell): void {
    const at = this.#nesting.indexOf(shell)
    if (at < 0) this.#nesting.push(shell)
    else for (const gone of this.#nesting.splice(at + 1).reverse()) this.#shellEnded(gone, null)
  }

  #shellEnded({ queue }: IntegratedShell, exitCode: number | null): void {
    this.#session.after(() => queue.shellEnded(exitCode))
  }

  #releaseLater(): void {
    const count = this.#takenCount
    this.#stopReleaseTimer = this.#session.timeout(HELD_MS_MAX, () => {
      // A host that was busy for so long has not read yet what was written meanwhile: that comes first.
      this.#stopReleaseTimer = this.#session.timeout(0, () => {
        if (this.#takenCount === count) this.#release()
      })
    })
  }

  #release(): void {
    const held = Buffer.concat([this.#cutter.release(), this.#echo.release()])
    if (held.length > 0) this.#session.output(held)
  }
}

/** The id of the interactive session that has a session's terminal; null if none has. */
export function activeInteractive(shells: ShellBlocks | null): string | null {
  const block = shells?.interactive ?? null
  return block === null ? null : interactiveId(block.id)
}
