import type { PageTarget } from './page-target.ts'

/** Connections that stay open by design: a page with one of them would never be idle. */
const LASTING = new Set(['WebSocket', 'EventSource', 'Ping', 'Media'])

/** Which requests of a page are open, its iframes' included. */
export class NetworkActivity {
  readonly #open = new Set<string>()
  readonly #listeners = new Set<() => void>()
  #quietSinceMs = performance.now()

  watch(target: PageTarget): void {
    const { cdp } = target
    this.#open.clear()
    cdp.on('Network.requestWillBeSent', ({ requestId, type }, session) => {
      if (!target.owns(session) || (type !== undefined && LASTING.has(type))) return
      this.#open.add(requestId)
      this.#changed()
    })
    const ended = ({ requestId }: { requestId: string }) => {
      if (this.#open.delete(requestId)) this.#changed()
    }
    cdp.on('Network.loadingFinished', ended)
    cdp.on('Network.loadingFailed', ended)
  }

  /** Resolves once no request has been open for `idleMs`. */
  async waitForIdle(idleMs: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined
      const stop = () => {
        clearTimeout(timer)
        this.#listeners.delete(check)
        signal.removeEventListener('abort', onAbort)
      }
      const onAbort = () => {
        stop()
        reject(signal.reason as Error)
      }
      const check = () => {
        clearTimeout(timer)
        if (this.#open.size > 0) return
        const dueMs = this.#quietSinceMs + idleMs - performance.now()
        if (dueMs > 0) {
          timer = setTimeout(check, Math.ceil(dueMs))
        } else {
          stop()
          resolve()
        }
      }
      this.#listeners.add(check)
      signal.addEventListener('abort', onAbort)
      check()
    })
  }

  #changed(): void {
    this.#quietSinceMs = performance.now()
    for (const listener of this.#listeners) listener()
  }
}
