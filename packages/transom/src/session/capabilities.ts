/**
 * What only some kinds of session can do. Operations ask for a capability, never for a kind: a kind that is added
 * offers those that it has.
 */
import type { Capability, Fact, NeedsInput, Result, Writer } from '@transom/protocol'
import type { BlockProjection } from '../blocks/block-projection.ts'
import type { IntegratedShell } from '../blocks/integrated-shell.ts'
import type { ShellBlocks } from '../blocks/shell-blocks.ts'
import type { NestedShell } from '../blocks/shells/nested-shell.ts'

export type { Capability }

export interface Capabilities extends Record<Capability, object> {
  readonly tty: TtyControl
  readonly blocks: BlockControl
  readonly needs_input: InputJudge
  readonly page: PageControl
}

/** How a message names each of them. */
export const CAPABILITY_WORDS: Readonly<Record<Capability, string>> = {
  tty: 'a program on a terminal',
  blocks: 'a shell with blocks',
  needs_input: 'a program that can be seen waiting for input',
  page: 'a web page',
}

/** A program on a terminal, beyond what can be typed to every session. */
export interface TtyControl {
  /** Sends bytes to the program exactly as they are; returns the seq of the input's record. */
  input(input: string | Buffer, options: InputOptions): number
  /** Presses Ctrl+C. Input that the program has not read is dropped, and it gets the signal. */
  interrupt(writer: Writer): number
  /** Sends a signal to the program in front or to the first process; returns which process got it. */
  signal(signal: NodeJS.Signals, to: 'foreground' | 'leader', writer: Writer): { seq: number; pid: number }
  /**
   * Sends signals to the program in front, all to the same one: the first may end it, and the shell that takes its
   * place on the terminal is not meant. None if that is the session's own first process.
   */
  signalProgram(signals: readonly NodeJS.Signals[], writer: Writer): void
  /** The process group of the program in front; null where that is not known. */
  foregroundGroup(): number | null
}

export interface InputOptions {
  readonly via: Fact<'input'>['via']
  readonly writer: Writer
  /** Logged by its length only, whatever the terminal echoes. */
  readonly secret?: boolean | undefined
  /** What is seen of it in place of an echo. */
  readonly shown?: string | undefined
}

/** Whether a program waits for input. */
export interface InputJudge {
  /** As the kernel shows it now. */
  needsInput(): NeedsInput
}

export interface BlockControl {
  /** The blocks and the output stream, as the log has them. */
  readonly projection: BlockProjection
  /** The integrated shell in front; null if the program is none, and leads to none. */
  readonly shell: IntegratedShell | null
  /** All integrated shells; null if there never was one. */
  readonly shells: ShellBlocks | null
  /** Whether the shell in front has reported that it is ready for a command. */
  readonly atPrompt: boolean
  /** Expects a shell within the program to ask for its integration. */
  inviteShell(nested: NestedShell, writer: Writer): void
}

export interface PageControl {
  /** Resolves when the page has loaded. */
  navigate(url: string, writer: Writer, options?: NavigateOptions): Promise<number>
  /** A step through the history; `moved` is false at its end. */
  step(via: 'go_back' | 'go_forward', writer: Writer): Promise<{ seq: number; moved: boolean }>
  reload(writer: Writer): Promise<number>
  setZoom(percent: number, writer: Writer): Promise<number>
  answerDialog(accept: boolean, text: string | undefined, writer: Writer): Promise<number>
  links(): Promise<Result<'web.links'>['links']>
  /**
   * What only the page knows. With a limit, what was known last if the page does not answer in that time: one that
   * hangs, or has a dialog open.
   */
  details(maxWaitMs?: number): Promise<Pick<Result<'web.state'>, 'scroll' | 'focus' | 'caret'>>
  /** Asks the browser for address, title and history, which it answers while the page hangs, too. */
  refreshState(): Promise<void>
  /** Device pixels for a CSS pixel. */
  scale(): number
  /** For how long no request has been open; null while one is. */
  networkIdleForMs(): number | null
  /** What the browser paints with the page's own fonts, as PNG. */
  paint(fullPage: boolean): Promise<Buffer>
}

export interface NavigateOptions {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}
