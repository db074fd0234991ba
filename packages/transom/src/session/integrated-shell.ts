import { removeBlockText, writeBlockText } from '../sources/pty/shell-integration/block-file.ts'
import type { ShellIntegration } from '../sources/pty/shell-integration/integrate-shell.ts'
import type { BlockText } from '../sources/pty/shell-integration/shell-script.ts'
import { typedText } from '../sources/pty/shell-integration/typed-text.ts'
import { shellInFront } from '../sources/pty/shell-in-front.ts'
import { BlockQueue, type BlockFacts, type BlockOrdinals, type BlockShell } from './block-queue.ts'

/** More of a command is not shown: it is in the block. */
const DISPLAY_LINES_MAX = 20
const DISPLAY_CHARS_MAX = 300
/** What a line with a short text in it has beside that, which is in it twice: a guess. */
const SHORT_LINE_CELLS = 130
const NEXT_LINE = '\x1bE' // NEL: a line break, without a character that a shell would take for one

/** What an integrated shell needs of its session. */
export interface ShellSession {
  readonly session: string
  readonly facts: BlockFacts
  /** Bytes that the program wrote. */
  output(bytes: Buffer): void
  /** Where the cursor is, and how wide the screen. */
  place(): { col: number; cols: number }
  /** The process group in front on the terminal; null where that cannot be told. */
  foregroundGroup(): number | null
  /** Types to the program in front. What is secret is logged by its length only; `shown` is seen in place of an echo. */
  type(text: string, options: { actor: string; secret: boolean; shown?: string }): void
  /** Runs a step that must reach the disk, after those before it. */
  step(run: () => void): void
}

/** A shell that tells of its blocks, which are given to it one by one. */
export class IntegratedShell {
  readonly integration: ShellIntegration
  readonly queue: BlockQueue
  readonly #session: ShellSession
  /** The process group in front while it reads commands: its own, or that of a program that leads to it (ssh). */
  readonly #group: () => number | null
  /** The text that it is going to read, from a file or as it is typed to it. */
  #waitingText: { text: string; actor: string } | null = null

  constructor(
    integration: ShellIntegration,
    {
      session,
      ordinals,
      group,
    }: { session: ShellSession; ordinals: BlockOrdinals; group: () => number | null },
  ) {
    this.integration = integration
    this.#session = session
    this.#group = group
    const shell: BlockShell = {
      session: session.session,
      facts: session.facts,
      give: (request, block, actor) => {
        const shown = this.#shownLines(block.command)
        const line = this.#line({ ...block, request }, shown)
        if (line === null) {
          const display = this.#display(shown, this.#rowsOf(integration.lineCells))
          this.#put(integration.blockText({ ...block, request, display }), actor)
        }
        const options = { actor, secret: false, shown: `${shown.join('\n')}\n` }
        session.type(line ?? integration.trigger, options)
      },
      isEditing: () => integration.shell !== 'sh' && session.foregroundGroup() === this.#group(),
      foreignShell: () => {
        const inFront = session.foregroundGroup()
        return inFront === null || inFront === this.#group() ? null : shellInFront(inFront)
      },
      taken: () => this.#remove(),
    }
    this.queue = new BlockQueue(shell, ordinals)
  }

  /** It reads a text from its terminal: that of the block that it was told to run, or none. */
  answer(): void {
    const { text, actor } = this.#waitingText ?? { text: '', actor: 'host' }
    this.#session.type(typedText(text), { actor, secret: false })
  }

  #put(text: string, actor: string): void {
    const { folder } = this.integration
    if (folder !== null) writeBlockText(folder, text)
    this.#waitingText = { text, actor }
  }

  #remove(): void {
    const { folder } = this.integration
    if (folder !== null && this.#waitingText !== null) removeBlockText(folder)
    this.#waitingText = null
  }

  /** A line that has the shell run a block without a file; null when it takes none, or not this one. */
  #line(block: Omit<BlockText, 'display'>, shown: readonly string[]): string | null {
    const { integration } = this
    // The line says how many rows it has itself. One that says more is no shorter: this comes to an end.
    for (let rows = this.#rowsOf(SHORT_LINE_CELLS + 2 * block.command.length); ;) {
      const display = this.#display(shown, rows)
      const line = integration.shortLine(block.request, integration.blockText({ ...block, display }))
      const typedRows = line === null ? rows : this.#rowsOf(line.length - 1) // without its end
      if (typedRows === rows) return line
      rows = typedRows
    }
  }

  /** How many rows a line takes that is typed where the cursor is. */
  #rowsOf(lineCells: number): number {
    const { col, cols } = this.#session.place()
    return Math.ceil((col + lineCells) / cols)
  }

  /** What is seen of a command, line by line, from where the cursor is. */
  #shownLines(command: string): string[] {
    const lines = command.split('\n', DISPLAY_LINES_MAX + 1).map((line) => shown(line))
    const [first = '', ...others] = lines.slice(0, DISPLAY_LINES_MAX)
    const more = lines.length > DISPLAY_LINES_MAX ? ['…'] : []
    const prompt = this.#session.place().col === 0 ? '$ ' : ''
    return [`${prompt}${first}`, ...[...others, ...more].map((line) => `> ${line}`)]
  }

  /** Puts lines on the screen in place of the `rows` by which the shell is made to run a command. */
  #display(lines: readonly string[], rows: number): string {
    const { col } = this.#session.place()
    return `\x1b[${rows}A\x1b[${col + 1}G\x1b[J${lines.join(NEXT_LINE)}${NEXT_LINE}`
  }
}

/** Text without control characters. */
function shown(line: string): string {
  const text = line.replaceAll('\t', '    ').replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '?')
  return text.length <= DISPLAY_CHARS_MAX ? text : `${text.slice(0, DISPLAY_CHARS_MAX)}…`
}
