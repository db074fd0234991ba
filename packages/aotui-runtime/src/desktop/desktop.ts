import type { AotuiError } from '../contract/aotui-error.ts'
import type { Tier } from '../contract/command.ts'
import type { CommandInputStream } from './command-input.ts'
import type { DeveloperLine } from './developer-log.ts'
import type { Snapshot, SnapshotOptions } from './snapshot.ts'
import type { SignalOutputStream } from './signal-output.ts'

/** One isolated environment: running apps, their views, and the snapshots that were taken of them. */
export interface Desktop {
  readonly id: string
  /** Settles when every app that was to be started is ready or has failed; it never rejects. */
  readonly ready: Promise<DesktopReady>
  readonly input: CommandInputStream
  readonly output: SignalOutputStream
  snapshot(options?: SnapshotOptions): Snapshot
  /** Calls a function that an app exposes to the product (`aotui.expose`); `app` is its instance or id. */
  call(app: string, name: string, args?: Readonly<Record<string, unknown>>): Promise<unknown>
  /** What is installed, and how it is. */
  apps(): AppInfo[]
  /** What app authors should know, from a line's number on: warnings, errors with their place, refused permissions. */
  developerLog(from?: number): DeveloperLine[]
  /** Calls back with the lines that there are and each that comes; returns the function that ends this. */
  followDeveloperLog(listener: (line: DeveloperLine) => void): () => void
}

export interface DesktopReady {
  /** The apps that could not be started, or not with their data; they stay on the desktop as failed. */
  readonly failures: readonly { instance: string; appId: string; error: AotuiError }[]
}

export interface AppInfo {
  readonly instance: string
  readonly appId: string
  readonly name: string
  readonly system: boolean
  readonly tier: Tier
  /** What its manifest asks for. */
  readonly permissions: readonly string[]
  /** While it runs. `count` is how often it was started; times are milliseconds. */
  readonly process?: {
    readonly pid: number
    readonly startedAt: number
    readonly readyMs: number
    readonly count: number
  }
  readonly status: 'closed' | 'starting' | 'running' | 'collapsed' | 'failed'
  readonly error?: AotuiError
  readonly views: readonly { id: string; name: string; mounted: boolean; hidden: boolean }[]
}
