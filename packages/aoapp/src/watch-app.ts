import { watch } from 'node:fs'
import { isBuilt, loadVite } from './build-app.ts'

export interface WatchEvents {
  /** The files of the app are as their sources are now. Called once at the start and after every change. */
  onReady(): void
  onError(error: Error): void
}

export interface Watcher {
  close(): Promise<void>
}

/** Builds an app at every change of its sources; one that is not built is watched itself. */
export function watchApp(dir: string, events: WatchEvents): Promise<Watcher> {
  return isBuilt(dir) ? watchBuild(dir, events) : Promise.resolve(watchFolder(dir, events))
}

async function watchBuild(dir: string, events: WatchEvents): Promise<Watcher> {
  const { build } = await loadVite(dir)
  const watcher = await build({ root: dir, logLevel: 'silent', clearScreen: false, build: { watch: {} } })
  if (!('on' in watcher)) throw new Error('Vite gave no watcher')
  watcher.on('event', (event) => {
    if (event.code === 'BUNDLE_END') void event.result.close()
    if (event.code === 'END') events.onReady()
    if (event.code === 'ERROR') events.onError(event.error)
  })
  return { close: () => watcher.close() }
}

/** An editor writes a file in several steps: what follows at once is the same change. */
const SAME_CHANGE_MS = 50

function watchFolder(dir: string, events: WatchEvents): Watcher {
  let timer: NodeJS.Timeout | undefined
  const watcher = watch(dir, { recursive: true }, (_event, name) => {
    if (name === null || /(^|[/\\])(node_modules|\.git)([/\\]|$)/.test(name)) return
    clearTimeout(timer)
    timer = setTimeout(() => events.onReady(), SAME_CHANGE_MS)
  })
  watcher.on('error', (error) => events.onError(error))
  queueMicrotask(() => events.onReady())
  return {
    close: () => {
      clearTimeout(timer)
      watcher.close()
      return Promise.resolve()
    },
  }
}
