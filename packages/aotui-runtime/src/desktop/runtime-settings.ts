import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { AotuiError } from '../contract/aotui-error.ts'

/** The numbers and places that hold for one desktop. */
export interface RuntimeSettings {
  /** The built program of an app process. */
  readonly processEntry: string
  readonly listWindow: number
  readonly settleMs: number
  readonly serializeMs: number
  readonly requestMs: number
  readonly loadMs: number
  readonly heartbeatMs: number
  readonly heapMb: number
  readonly snapshotChars: number
  readonly jsdom: { readonly url: string; readonly dir: string } | undefined
}

export interface SettingsInput {
  /** The folder of `app-process.mjs`, for a product that bundles this package. */
  runtimeDir?: string
  /** How many items of a list are shown at once; `Infinity` shows all. */
  listWindow?: number
  /** How long an app may go on changing its document before a command is acknowledged as not settled. */
  settleMs?: number
  /** How long an app's `serialize` hook may take; past it the app's data is named as missing. */
  serializeMs?: number
  /** How long an operation may take. */
  timeoutMs?: number
  /** How long an app may take to become ready. */
  loadMs?: number
  /** Three without an answer end the app. */
  heartbeatMs?: number
  /** How long a snapshot may be when its reader does not say; `Infinity` for no limit. */
  snapshotChars?: number
  /** JavaScript heap of one app process. */
  heapMb?: number
}

export function makeSettings(input: SettingsInput): RuntimeSettings {
  const listWindow = input.listWindow ?? 50
  return {
    processEntry: findProcessEntry(input.runtimeDir),
    // Infinity does not survive the JSON of the channel.
    listWindow: Number.isFinite(listWindow) ? listWindow : Number.MAX_SAFE_INTEGER,
    settleMs: input.settleMs ?? 1000,
    serializeMs: input.serializeMs ?? 5000,
    requestMs: input.timeoutMs ?? 30_000,
    loadMs: input.loadMs ?? 20_000,
    heartbeatMs: input.heartbeatMs ?? 2000,
    // happy-dom takes about 4 KB a node: a list of 10,000 rich items is 300 MB.
    heapMb: input.heapMb ?? 1024,
    // About 50,000 tokens: more than an agent reads at once.
    snapshotChars: input.snapshotChars ?? 200_000,
    jsdom: findJsdom(),
  }
}

const ENTRY = 'app-process.mjs'

/** Beside this file when the package is bundled, in `dist` when it runs from source. */
function findProcessEntry(runtimeDir: string | undefined): string {
  const here = import.meta.url === undefined ? undefined : dirname(fileURLToPath(import.meta.url))
  const dirs =
    runtimeDir === undefined
      ? here === undefined
        ? []
        : [here, join(here, '..', '..', 'dist')]
      : [runtimeDir]
  const found = dirs.map((dir) => join(dir, ENTRY)).find((path) => existsSync(path))
  if (found !== undefined) return found
  throw new AotuiError(
    'E_INTERNAL',
    `${ENTRY} is not in ${dirs.join(' or ') || 'any known folder'}; build @aotui/runtime or give runtimeDir`,
    {
      reason: 'not_built',
    },
  )
}

function findJsdom(): RuntimeSettings['jsdom'] {
  if (import.meta.url === undefined) return undefined
  try {
    const path = createRequire(import.meta.url).resolve('jsdom')
    const modules = path.slice(0, path.lastIndexOf(`${sep}node_modules${sep}`) + `${sep}node_modules`.length)
    return { url: pathToFileURL(path).href, dir: modules }
  } catch {
    return undefined // optional: only an app that asks for it needs it
  }
}
