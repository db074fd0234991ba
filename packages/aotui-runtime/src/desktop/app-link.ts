import type { ToApp } from '../contract/app-message.ts'

/** An ordered channel to an app process. */
export interface AppLink {
  /** Of the process, as the system knows it. */
  readonly pid: number | undefined
  send(message: ToApp): void
  /** Opens a connection on the app's behalf and returns the path of its socket file. Rejects where none is allowed. */
  connect(host: string, port: number): Promise<string>
  /** Ends the process at once. `onExit` follows. */
  kill(): void
}

export interface AppLinkEvents {
  /** What the process sent, of any shape. */
  onMessage(message: unknown): void
  /** What it sent is no message at all. */
  onBadChannel(problem: string): void
  /** Once, after the last message. */
  onExit(exit: LinkExit): void
}

export interface LinkExit {
  /** What the system says: `exit code 1`, `signal SIGKILL`. */
  readonly how: string
  /** The end of what the process wrote to its standard error. */
  readonly stderr: string
}

export type OpenLink = (events: AppLinkEvents) => AppLink
