import type { PageTarget } from './page-target.ts'

/** Connections that stay open by design: a page with one of them would never be idle. */
const LASTING = new Set(['WebSocket', 'EventSource', 'Ping', 'Media'])

interface OpenRequest {
  /** Of the tab itself or of one of its iframes. */
  readonly session: string | undefined
  readonly frameId: string | undefined
  readonly loaderId: string
  /** It requests the next document of its frame, and belongs to no document yet. */
  leads: boolean
}

/**
 * Which requests of a page are open, its iframes' included. Chromium does not tell the end of every request: those of
 * a document that is left, and of a frame that is removed, end with it and without a word.
 */
export class NetworkActivity {
  readonly #open = new Map<string, OpenRequest>()
  readonly #onIdle: () => void
  #undo: (() => void)[] = []
  #quietSinceMs = performance.now()

  /** `onIdle` is called when no request is open any more. */
  constructor(onIdle: () => void) {
    this.#onIdle = onIdle
  }

  /** Follows this tab, and no longer the one before. */
  watch(target: PageTarget): void {
    for (const undo of this.#undo) undo()
    this.#drop(() => true)
    const { cdp } = target
    const ended = ({ requestId }: { requestId: string }) => {
      if (this.#open.delete(requestId)) this.#changed()
    }
    this.#undo = [
      cdp.on('Network.requestWillBeSent', ({ requestId, type, frameId, loaderId }, session) => {
        if (!target.owns(session) || (type !== undefined && LASTING.has(type))) return
        this.#open.set(requestId, { session, frameId, loaderId, leads: requestId === loaderId })
        this.#changed()
      }),
      cdp.on('Network.loadingFinished', ended),
      cdp.on('Network.loadingFailed', ended),
      cdp.on('Page.frameNavigated', ({ frame }, session) => {
        if (target.owns(session)) this.#onDocument(frame.id, frame.loaderId, frame.id === target.targetId)
      }),
      cdp.on('Page.frameDetached', ({ frameId, reason }) => {
        // A frame that only moves to another process goes on there.
        if (reason !== 'swap') this.#drop((request) => request.frameId === frameId)
      }),
      cdp.on('Target.detachedFromTarget', ({ sessionId }) =>
        this.#drop((request) => request.session === sessionId),
      ),
    ]
  }

  /** For how long no request has been open; null while one is. */
  get idleForMs(): number | null {
    return this.#open.size > 0 ? null : performance.now() - this.#quietSinceMs
  }

  /** A frame shows another document. The whole page's takes the iframes of the one before with it. */
  #onDocument(frameId: string, loaderId: string, isWholePage: boolean): void {
    const own = this.#open.get(loaderId)
    if (own !== undefined) own.leads = false
    this.#drop((request) => {
      if (request.frameId !== frameId) return isWholePage
      // A request that leads to the next document has begun meanwhile, and its end is reported.
      return request.loaderId !== loaderId && !request.leads
    })
  }

  #drop(isOver: (request: OpenRequest) => boolean): void {
    const over = [...this.#open].filter(([, request]) => isOver(request))
    for (const [requestId] of over) this.#open.delete(requestId)
    if (over.length > 0) this.#changed()
  }

  #changed(): void {
    this.#quietSinceMs = performance.now()
    if (this.#open.size === 0) this.#onIdle()
  }
}
