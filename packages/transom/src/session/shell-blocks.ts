import * as fs from 'node:fs'
import { MarkCutter, type Mark } from '../sources/pty/shell-integration/mark-cutter.ts'
import {
  removeBlockText,
  writeBlockText,
  type ShellIntegration,
} from '../sources/pty/shell-integration/integrate-shell.ts'
import { BlockQueue, type BlockShell } from './block-queue.ts'

/** What may be the start of a mark is held back no longer than this when nothing follows: then it is none. */
const HELD_MS_MAX = 50

/** More of a command is not shown: it is in the block. */
const DISPLAY_LINES_MAX = 20
const DISPLAY_CHARS_MAX = 300
const NEXT_LINE = '\x1bE' // NEL: a line break, without a character that a shell would take for one

/** What an integrated shell needs of its session. */
export interface ShellSession {
  readonly session: string
  readonly lastOrdinal: number
  readonly appendFact: BlockShell['appendFact']
  /** Bytes that the program wrote. */
  output(bytes: Buffer): void
  /** Where the cursor is, and how wide the screen. */
  cursor(): { col: number; cols: number }
  /** Whether the shell itself, and no program that it started, has the terminal. */
  isInFront(): boolean
  /** Types to the shell. */
  type(text: string, actor: string): void
  /** Runs a step that must reach the disk, after those before it. */
  step(run: () => void): void
}

/** The shell of a session: its marks are cut out of what it prints, and its blocks are given to it one by one. */
export class ShellBlocks {
  readonly queue: BlockQueue
  readonly integration: ShellIntegration
  readonly #session: ShellSession
  readonly #cutter: MarkCutter
  #releaseTimer: NodeJS.Timeout | undefined
  #takenCount = 0

  constructor(integration: ShellIntegration, session: ShellSession) {
    const { folder, trigger } = integration
    this.integration = integration
    this.#session = session
    this.#cutter = new MarkCutter(integration.nonce, (quoted) => integration.unquote(quoted))
    this.queue = new BlockQueue(
      {
        session: session.session,
        appendFact: (type, fact) => session.appendFact(type, fact),
        give: (request, block, actor) => {
          const display = this.#display(block.command)
          writeBlockText(folder, integration.blockText({ ...block, request, display }))
          session.type(trigger, actor)
        },
        isEditing: () => integration.shell !== 'sh' && session.isInFront(),
        taken: () => removeBlockText(folder),
      },
      session.lastOrdinal,
    )
  }

  /** Takes what the pty gave: bytes go on as output, marks become facts. */
  take(chunk: Buffer): void {
    clearTimeout(this.#releaseTimer)
    this.#takenCount++
    let marked = false
    for (const part of this.#cutter.take(chunk)) {
      if (Buffer.isBuffer(part)) this.#session.output(part)
      else {
        marked = true
        this.#takeMark(part)
      }
    }
    if (marked) this.#session.step(() => this.queue.advance())
    if (this.#cutter.unsure) this.#releaseLater()
  }

  /** The shell has ended, and nothing more comes from it. */
  ended(exitCode: number | null): void {
    clearTimeout(this.#releaseTimer)
    this.#release()
    this.#session.step(() => this.queue.shellEnded(exitCode))
    fs.rmSync(this.integration.folder, { recursive: true, force: true })
  }

  /** Puts the command on the screen in place of the line by which the shell is made to run it. */
  #display(command: string): string {
    const { col, cols } = this.#session.cursor()
    const rows = Math.ceil((col + this.integration.lineCells) / cols)
    const lines = command.split('\n', DISPLAY_LINES_MAX + 1).map((line) => shown(line))
    const [first = '', ...others] = lines.slice(0, DISPLAY_LINES_MAX)
    const more = lines.length > DISPLAY_LINES_MAX ? ['…'] : []
    const prompt = col === 0 ? '$ ' : ''
    const text = [`${prompt}${first}`, ...[...others, ...more].map((line) => `> ${line}`)].join(NEXT_LINE)
    return `\x1b[${rows}A\x1b[${col + 1}G\x1b[J${text}${NEXT_LINE}`
  }

  #takeMark(mark: Mark): void {
    this.#session.step(() => this.queue.take(mark))
  }

  #releaseLater(): void {
    const count = this.#takenCount
    this.#releaseTimer = setTimeout(() => {
      // A host that was busy for so long has not read yet what was written meanwhile: that comes first.
      setImmediate(() => {
        if (this.#takenCount === count) this.#release()
      })
    }, HELD_MS_MAX)
  }

  #release(): void {
    const held = this.#cutter.release()
    if (held.length > 0) this.#session.output(held)
  }
}

/** Text without control characters. */
function shown(line: string): string {
  const text = line.replaceAll('\t', '    ').replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '?')
  return text.length <= DISPLAY_CHARS_MAX ? text : `${text.slice(0, DISPLAY_CHARS_MAX)}…`
}
