import type { WireError } from './aotui-error.ts'

/** Spec section 5.5, plus `view`: the view that the agent named in its context. */
export interface Command {
  app: string
  operation: string
  args: Record<string, unknown>
  /** Injected by the bridge, not by the agent. Needed only when an argument is a ref. */
  snapshot_id?: string
  view?: string
}

export interface CommandAck {
  ok: true
  /** The snapshot that is current once the command has taken effect. */
  snapshot_id: string
  /** False when the app was still changing its document after the settle limit. */
  settled: boolean
  /**
   * `item_unmounted`: the item was gone; the operation ran with the data that the agent had seen. `no_effect`: the app
   * listens for operations, and nothing was seen to come of this one.
   */
  warnings: string[]
  /** How many commands ran: more than one when the text held several contexts. */
  command_count: number
}

/** Spec section 5.4, plus `waitUntil`: the ack waits for the promise, as in a service worker's events. */
export interface TuiOperationDetail {
  operation: string
  args: Record<string, unknown>
  stable_keys?: string[]
  waitUntil(promise: PromiseLike<unknown>): void
}

export interface ExecuteOptions {
  /** The token of the lease that `acquire` gave. */
  lease: string
  /** For the text form, where the bridge cannot write it into the command. */
  snapshot_id?: string
  /** Milliseconds until `E_TIMEOUT`. */
  timeoutMs?: number
}

export interface UpdateSignal {
  desktopId: string
  timestamp: number
  reason: 'dom_mutation' | 'app_opened' | 'app_closed'
}

export interface DesktopState {
  /** Format of this object; a runtime refuses one that it does not know. */
  version: 1
  id: string
  createdAt: number
  /** The next view number: ids are never reused, not even after a restore. */
  nextView: number
  apps: AppState[]
  /** Apps that are installed and not open. */
  installed: InstalledState[]
  log: SavedLines
}

export interface InstalledState {
  instance: string
  appId: string
  dir: string
  tier: Tier
}

export interface AppState {
  appId: string
  status: 'running' | 'minimized'
  mountedViews: string[]
  appData?: unknown
  /** What spec section 9.3 leaves out and an equal snapshot needs. */
  instance: string
  dir: string
  system: boolean
  tier: Tier
  views: ViewState[]
  log: SavedLines
  appLog?: SavedLines
  /** Present when the app could not give its data, or was down: it is kept in the state and named. */
  error?: WireError
}

export interface ViewState {
  id: string
  handle: string
  name: string
  presence: 'mounted' | 'dismounted' | 'absent'
  hidden: boolean
  /** Where the windows on long lists stood: list name → first index. */
  pages: Record<string, number>
}

export interface SavedLines {
  first: number
  lines: string[]
}

/** How far an app is trusted: see docs/sandbox.md for what each tier stops. */
export type Tier = 'trusted' | 'standard' | 'strict'
