import type { FromApp, ToApp } from '../contract/app-message.ts'

/** An ordered channel to an app process. A linked in-memory pair makes everything above it testable without one. */
export interface AppLink {
  send(message: ToApp): void
  /** Ends the process at once. `onExit` follows. */
  kill(): void
}

export interface AppLinkEvents {
  onMessage(message: FromApp): void
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
