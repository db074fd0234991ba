import type { Command } from '@transom/protocol'
import type { ExportOutput } from './export-to-stdout.ts'

/** What a command needs of the process that it runs in. */
export interface CliProcess {
  readonly program: string
  readonly argv: readonly string[]
  readonly env: NodeJS.ProcessEnv
  /** Throws `cwd_not_found` if the folder has been removed: read only when it is needed. */
  readonly cwd: string
  readonly commands: readonly Command[]
  readonly hostScript: string
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal
  readonly pretty: boolean
  /** Whether standard input is a pipe or a file. */
  readonly hasInput: boolean
  readonly exportOutput: ExportOutput
  readText(file: string): string
  /** The first line of standard input; on a terminal it is asked for, and not shown. */
  readSecret(): Promise<string>
  /** Shows the progress of a long command on a terminal; empty text clears it. */
  progress(text: string): void
  out(text: string): void
  err(text: string): void
}
