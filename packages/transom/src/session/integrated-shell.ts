import { removeBlockText, writeBlockText } from '../sources/pty/shell-integration/block-file.ts'
import type { ShellIntegration } from '../sources/pty/shell-integration/integrate-shell.ts'
import { typedText } from '../sources/pty/shell-integration/typed-text.ts'
import { shellInFront } from '../sources/pty/shell-in-front.ts'
import { BlockQueue, type BlockOrdinals, type BlockShell } from './block-queue.ts'

/** More of a command is not shown: it is in the block. */
const DISPLAY_LINES_MAX = 20
const DISPLAY_CHARS_MAX = 300
const NEXT_LINE = '\x1bE' // NEL: a line break, without a character that a shell would take for one

/** What an integrated shell needs of its session. */
export interface ShellSession {
  readonly session: string
  readonly appendFact: BlockShell['appendFact']
  /** Bytes that the program wrote. */
  output(bytes: Buffer): void
  /** Where the cursor is, and how wide the screen. */
  cursor(): { col: number; cols: number }
  /** The process group in front on the terminal; null where that cannot be told. */
  foregroundGroup(): number | null
  /** Types to the program in front. What is secret is logged by its length only. */
  type(text: string, options: { actor: string; secret: boolean }): void
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
  #typed: { text: string; actor: string } | null = null

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
      appendFact: (type, fact) => session.appendFact(type, fact),
      give: (request, block, actor) => {
        const display = this.#display(block.command)
        this.#put(integration.blockText({ ...block, request, display }), actor)
        session.type(integration.trigger, { actor, secret: false })
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
    const { text, actor } = this.#typed ?? { text: '', actor: 'host' }
    this.#session.type(typedText(text), { actor, secret: false })
  }

  #put(text: string, actor: string): void {
    const { folder } = this.integration
    if (folder === null) this.#typed = { text, actor }
    else writeBlockText(folder, text)
  }

  #remove(): void {
    const { folder } = this.integration
    if (folder === null) this.#typed = null
    else removeBlockText(folder)
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
}

/** Text without control characters. */
function shown(line: string): string {
  const text = line.replaceAll('\t', '    ').replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '?')
  return text.length <= DISPLAY_CHARS_MAX ? text : `${text.slice(0, DISPLAY_CHARS_MAX)}…`
}
