import type { WireError } from './aotui-error.ts'
import type { EntityInfo, FragmentSplice, OperationInfo } from './fragment.ts'

/**
 * The channel between the desktop and an app process: ordered both ways, so that whatever an app pushed before an
 * ack is applied before the ack. `app` is the instance (`app_1`), because system apps share one process; a view is
 * named by the process's own handle, and only the desktop knows its `view_001`.
 */
export type ToApp =
  | { type: 'policy'; policy: ProcessPolicy }
  | { type: 'load'; app: string; spec: AppSpec }
  | { type: 'execute'; app: string; seq: number; request: OperationRequest }
  | { type: 'mount'; app: string; seq: number; view: string; mounted: boolean }
  | { type: 'page'; app: string; seq: number; view: string; list: string; ordinal: number; from: number }
  | { type: 'serialize'; app: string; seq: number }
  | { type: 'call'; app: string; seq: number; name: string; json: string; timeoutMs: number }
  | { type: 'ping'; seq: number }
  | { type: 'credit'; app: string }
  | { type: 'net'; seq: number; path?: string; error?: WireError }

export type FromApp =
  | { type: 'up' }
  | { type: 'ready'; app: string; hooks: boolean; appData: AppData }
  | { type: 'failed'; app: string; error: WireError }
  | { type: 'views'; app: string; views: ViewInfo[] }
  | FragmentMessage
  | { type: 'pushed'; app: string; appData: AppData }
  | { type: 'ack'; app: string; seq: number; outcome: Outcome }
  | { type: 'log'; app: string; log: LogName; level: LogLevel; text: string; at?: string }
  | { type: 'pong'; seq: number }
  | { type: 'net'; seq: number; host: string; port: number }

export type LogLevel = 'info' | 'warning' | 'error'

/** `app`: what the app says to the agent. `developer`: what its author should know. */
export type LogName = 'app' | 'developer'

export type Outcome =
  | { ok: true; settled: boolean; warnings: string[]; appData: AppData; result?: string }
  | { ok: false; error: WireError; appData: AppData }

export interface FragmentMessage {
  type: 'fragment'
  app: string
  view: string
  /** Never the same twice in the life of a process. */
  version: number
  splice: FragmentSplice
  operations?: OperationInfo[]
  entities?: EntityInfo[]
}

/** What the app's `serialize` hook gave, or why it gave nothing; `same` is what it gave the last time. */
export type AppData =
  { kind: 'none' } | { kind: 'same' } | { kind: 'data'; json: string } | { kind: 'failed'; error: WireError }

export interface ViewInfo {
  handle: string
  name: string
  state: ViewPresence
}

/** `absent`: the app's own view is not in its document now; `dismounted`: it could be shown and is not. */
export type ViewPresence = 'mounted' | 'dismounted' | 'absent'

export interface OperationRequest {
  view: string
  operation: string
  args: Record<string, unknown>
  stable_keys: string[]
  /** The items that the refs meant, to tell whether they are still there. */
  refs: ItemRef[]
  /** The item whose operation it is, when it was declared inside items. */
  item?: ItemRef
  timeoutMs: number
}

/** A warning of an ack: the operation was delivered, and nothing was seen to come of it. */
export const NO_EFFECT = 'no_effect'

/** An item as the agent saw it. */
export interface ItemRef {
  /** The handle of the view that showed it. */
  view: string
  list: string
  key?: string
  value?: string
  /** Which fragment of the view showed it, and as which of its items: the element itself, if it still exists. */
  version: number
  position: number
}

/** What one process may do: the guard in the process and the flags around it are made from the same grants. */
export interface ProcessPolicy {
  tier: 'trusted' | 'standard' | 'strict'
  appId: string
  read: string[]
  write: string[]
  net: string[]
  spawn: string[]
  /** More than one app lives here: browser globals follow the app that is running. */
  shared: boolean
}

export interface AppSpec {
  appId: string
  name: string
  dir: string
  entryUrl: string
  dom: 'happy-dom' | 'jsdom'
  /** Where the app's engine is loaded from, when it is not the bundled one. */
  domUrl?: string
  views: { name: string; url: string; mount: 'auto' | 'manual' }[]
  dataDir?: string
  listWindow: number
  settleMs: number
  /** How long the `serialize` hook may take. */
  serializeMs: number
  /** Handle → wanted state, for a restart or a restore: the app's own views come back as they were left. */
  restored?: { json?: string; mounted: Record<string, boolean> }
}
