import type { Writer } from '@transom/protocol'
import { removeBlockInput, removeBlockText, writeBlockInput, writeBlockText } from './shells/block-file.ts'
import { OpError } from '@transom/protocol/errors'
import { commandReading, type ShellIntegration } from './shells/integrate-shell.ts'
import { typedText } from './shells/typed-text.ts'
import { shellInFront } from './shell-in-front.ts'
import {
  BlockQueue,
  type BlockFacts,
  type BlockOrdinals,
  type BlockShell,
  type GivenText,
} from './block-queue.ts'

/** Who types an empty text for a shell that reads one although it was given none. */
const HOST: Writer = { actor: { actor: 'host' }, right: null }
/** More of a command is not shown: it is in the block. */
const DISPLAY_LINES_MAX = 20
const DISPLAY_CHARS_MAX = 300
const NEXT_LINE = '\x1bE' // NEL: to the start of the next row, in every mode of a terminal

/** What an integrated shell needs of its session. */
export interface ShellSession {
  readonly session: string
  readonly facts: BlockFacts
  /** Bytes that the program wrote. */
  output(bytes: Buffer): void
  /** Where the cursor is, and how wide the screen. */
  place(): { col: number; cols: number }
  /** Where a text stands on the screen at the end of one of the rows above the cursor; null if it does not. */
  findAbove(text: string): { rows: number; col: number } | null
  /** The process group in front on the terminal; null if that cannot be known. */
  foregroundGroup(): number | null
  /** Types to the program in front. What is secret is logged by its length only; `shown` is seen in place of an echo. */
  type(text: string, options: { writer: Writer; secret: boolean; shown?: string }): void
  /** Gives the shell a text that it asks for. Kept in order with what is recorded, and retried while the disk is full. */
  reply(text: string, options: { writer: Writer; secret: boolean }): void
  /** Whether a caller may still write to the session. */
  mayWrite(writer: Writer): boolean
  /** Runs once everything before it is recorded. */
  after(run: () => void): void
  /** Calls back after a time, unless the returned function is called first. */
  timeout(ms: number, callback: () => void): () => void
}

/** A shell that reports its blocks, which are given to it one by one. */
export class IntegratedShell {
  readonly integration: ShellIntegration
  readonly queue: BlockQueue
  readonly #session: ShellSession
  /** The process group in front while it reads commands: its own, or that of a program that leads to it (ssh). */
  readonly #group: () => number | null
  /** The text that it is going to read, from a file or as it is typed to it. */
  #waitingText: { text: string; writer: Writer } | null = null
  /** What the screen shows of the block that it was given, and where the cursor was then. */
  #shown: { lines: readonly string[]; col: number; cols: number } = { lines: [], col: 0, cols: 1 }

  constructor(
    integration: ShellIntegration,
    {
      session,
      ordinals,
      group,
      expectEcho,
    }: {
      session: ShellSession
      ordinals: BlockOrdinals
      group: () => number | null
      /** The terminal is about to echo this, and the echo must stay hidden; null when that is over. */
      expectEcho: (echo: string | null) => void
    },
  ) {
    this.integration = integration
    this.#session = session
    this.#group = group
    const shell: BlockShell = {
      session: session.session,
      facts: session.facts,
      give: (request, block, writer) => {
        const text = integration.blockText({ ...block, command: this.#fed(request, block), request })
        const line = integration.shortLine(text)
        if (line === null) this.#put(text, writer)
        const lines = this.#shownLines(block.command)
        this.#shown = { lines, ...session.place() }
        const typed = line ?? integration.trigger
        // Its line break stays, so that a block begins after the cursor that its caller gets.
        if (integration.editedLine === null) expectEcho(typed.replace(/\n$/, ''))
        if (block.halfTyped !== null && integration.clearLine !== '')
          session.type(integration.clearLine, { writer, secret: false })
        session.type(typed, { writer, secret: false, shown: `${lines.join('\n')}\n` })
      },
      restore: (halfTyped) => {
        const text = integration.restoreKey ?? halfTyped.toString('utf8')
        if (text !== '') session.reply(text, { writer: HOST, secret: false })
      },
      shown: () => this.#display(),
      tellsTyped: integration.editedLine !== null,
      isInFront: () => this.isInFront,
      foreignShell: () => {
        const inFront = session.foregroundGroup()
        return inFront === null || inFront === this.#group() ? null : shellInFront(inFront)
      },
      taken: () => {
        expectEcho(null)
        this.#remove()
      },
      done: (request) => {
        if (integration.folder !== null) removeBlockInput(integration.folder, request)
      },
      timeout: (ms, callback) => session.timeout(ms, callback),
    }
    this.queue = new BlockQueue(shell, ordinals)
  }

  /** Whether the shell itself has the terminal. */
  get isInFront(): boolean {
    return this.#session.foregroundGroup() === this.#group()
  }

  /** It reads a text from its terminal: that of the block that it was given, or none. */
  answer(): void {
    const waiting = this.#waitingText
    // A caller that has lost its right meanwhile gets its block refused when it is given again.
    const given = waiting !== null && this.#session.mayWrite(waiting.writer) ? waiting : null
    const { text, writer } = given ?? { text: '', writer: HOST }
    this.#session.reply(typedText(text), { writer, secret: false })
  }

  /** The command, with what it reads from its standard input put where it finds it. */
  #fed(request: number, { command, stdin }: GivenText): string {
    if (stdin === null) return command
    const { folder, shell } = this.integration
    if (folder !== null) return commandReading(shell, command, writeBlockInput(folder, request, stdin))
    const message = `a ${shell} inside the session's program may run elsewhere: its commands cannot be given standard input`
    throw new OpError('usage', message, { shell })
  }

  #put(text: string, writer: Writer): void {
    const { folder } = this.integration
    if (folder !== null) writeBlockText(folder, text)
    this.#waitingText = { text, writer }
  }

  #remove(): void {
    const { folder } = this.integration
    if (folder !== null && this.#waitingText !== null) removeBlockText(folder)
    this.#waitingText = null
  }

  /** What is seen of a command, line by line, from where the cursor is. */
  #shownLines(command: string): string[] {
    const lines = command.split('\n', DISPLAY_LINES_MAX + 1).map((line) => shown(line))
    const [first = '', ...others] = lines.slice(0, DISPLAY_LINES_MAX)
    const more = lines.length > DISPLAY_LINES_MAX ? ['…'] : []
    const hasPrompt = this.integration.prompts && this.#session.place().col > 0
    return [`${hasPrompt ? '' : '$ '}${first}`, ...[...others, ...more].map((line) => `> ${line}`)]
  }

  /** Puts a command on the screen, in place of the line by which the shell was made to run it. */
  #display(): string {
    const { editedLine } = this.integration
    const { lines, col, cols } = this.#shown
    // It is looked for: bash draws its prompt again at the left edge, whatever was printed there.
    const found = editedLine === null ? null : this.#session.findAbove(editedLine)
    const typedRows = editedLine === null ? 1 : Math.ceil((col + editedLine.length) / cols)
    const at = found ?? { rows: typedRows, col }
    return `\x1b[${at.rows}A\x1b[${at.col + 1}G\x1b[J${lines.join(NEXT_LINE)}${NEXT_LINE}`
  }
}

/** Text without control characters. */
function shown(line: string): string {
  const text = line.replaceAll('\t', '    ').replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '?')
  return text.length <= DISPLAY_CHARS_MAX ? text : `${text.slice(0, DISPLAY_CHARS_MAX)}…`
}
