import type { Protocol } from 'devtools-protocol'
import { OpError } from '@transom/protocol/errors'
import {
  CALL_TIMEOUT_MS,
  CdpError,
  type CallOptions,
  type CdpClient,
  type CdpEvent,
  type CdpMethod,
} from './cdp-client.ts'
import { TITLE_BINDING, restyleExpression, styleScript } from './page-style.ts'

/** A page of 20,000 pixels takes some seconds. */
const SCREENSHOT_TIMEOUT_MS = 30_000
const RECOVERY_TIMEOUT_MS = 2000
/** A picture takes 50 ms, on a loaded machine some hundreds. */
const CAPTURE_AGAIN_MS = 1000

type Call = CdpClient['call']

/** A world of our own in each document: what a page has changed of its own objects does not reach it. */
export const WORLD_NAME = 'transom'

/** A tab of Chromium and the processes of its cross-site iframes, all set in the cell font. */
export class PageTarget {
  readonly cdp: CdpClient
  readonly targetId: string
  readonly session: string
  /** Sessions of cross-site iframes: their target id is the id of their frame. */
  readonly iframes = new Map<string, { readonly frameId: string; readonly parent: string }>()
  readonly #undo = new Set<() => void>()
  /** The page's own worlds by session and frame. */
  readonly #contexts = new Map<string, Map<string, string>>()
  /** Worlds of our own by session and frame; one that has gone with its document may still be here. */
  readonly #worlds = new Map<string, Map<string, string>>()
  /** The injected script of each session. */
  readonly #scripts = new Map<string, string>()
  readonly #closed = new AbortController()
  /** Aborted when the tab or its browser has gone: nothing that it was to do will be done. */
  readonly gone: AbortSignal
  /**
   * The last picture or change of size. Chromium sets the size for a picture and puts back afterwards what it was: a
   * change in between would be undone, and two pictures would undo each other's.
   */
  #lastTurn: Promise<unknown> = Promise.resolve()
  #scale: number

  static async open(cdp: CdpClient, scale: number): Promise<PageTarget> {
    const { targetId } = await cdp.call('Target.createTarget', { url: 'about:blank' })
    const { sessionId } = await cdp.call('Target.attachToTarget', { targetId, flatten: true })
    const target = new PageTarget(cdp, { targetId, session: sessionId, scale })
    await cdp.call('Runtime.addBinding', { name: TITLE_BINDING }, { session: sessionId })
    await target.#setUp(sessionId)
    return target
  }

  private constructor(cdp: CdpClient, options: { targetId: string; session: string; scale: number }) {
    this.cdp = cdp
    this.targetId = options.targetId
    this.session = options.session
    this.#scale = options.scale
    this.gone = AbortSignal.any([cdp.gone, this.#closed.signal])
    this.#undo.add(cdp.on('Target.attachedToTarget', (event, parent) => this.#onAttached(event, parent)))
    this.#undo.add(
      cdp.on('Target.detachedFromTarget', ({ sessionId }) => {
        this.iframes.delete(sessionId)
        this.#scripts.delete(sessionId)
        this.#contexts.delete(sessionId)
        this.#worlds.delete(sessionId)
      }),
    )
    this.#undo.add(
      cdp.on('Runtime.executionContextCreated', ({ context }, session) => {
        const { frameId, isDefault } = (context.auxData ?? {}) as { frameId?: string; isDefault?: boolean }
        if (session === undefined || !this.owns(session) || frameId === undefined) return
        if (!isDefault && context.name !== WORLD_NAME) return
        const kept = isDefault ? this.#contexts : this.#worlds
        const frames = kept.get(session) ?? new Map<string, string>()
        kept.set(session, frames.set(frameId, context.uniqueId))
      }),
    )
  }

  /** Calls a method of the tab itself. */
  async call<M extends CdpMethod>(
    method: M,
    params?: Parameters<typeof this.cdp.call<M>>[1],
    options: Omit<CallOptions, 'session'> = {},
  ): ReturnType<typeof this.cdp.call<M>> {
    return this.cdp.call(method, params, { ...options, session: this.session })
  }

  /** Listens to the tab itself and not to its iframes. */
  on<E extends CdpEvent>(
    event: E,
    listener: (params: Parameters<Parameters<typeof this.cdp.on<E>>[1]>[0]) => void,
  ): () => void {
    const stop = this.cdp.on(event, (params, session) => {
      if (session === this.session) listener(params)
    })
    this.#undo.add(stop)
    return () => {
      stop()
      this.#undo.delete(stop)
    }
  }

  /** Whether an event came from this tab or from one of its iframes. */
  owns(session: string | undefined): boolean {
    return session !== undefined && (session === this.session || this.iframes.has(session))
  }

  /** The world of our own in a document, if one was made; it may have gone with the document. */
  worldOf(session: string, frameId: string): string | undefined {
    return this.#worlds.get(session)?.get(frameId)
  }

  get sessions(): string[] {
    return [this.session, ...this.iframes.keys()]
  }

  /** Sets the text for another scale, now and in documents to come. */
  async setScale(scale: number): Promise<void> {
    this.#scale = scale
    await this.evaluateEverywhere(restyleExpression(scale))
    for (const session of this.sessions) await this.#addScript(session)
  }

  async setDeviceSize(widthPx: number, heightPx: number): Promise<void> {
    const size = {
      width: Math.ceil(widthPx / this.#scale),
      height: Math.ceil(heightPx / this.#scale),
      deviceScaleFactor: this.#scale,
      mobile: false,
    }
    await this.#inTurn(async () => this.call('Emulation.setDeviceMetricsOverride', size))
  }

  /** A PNG of the page in its own fonts, which it has for this moment. */
  async screenshot(fullPage: boolean): Promise<Buffer> {
    try {
      await this.evaluateEverywhere(restyleExpression(null))
      const { cssContentSize } = await this.call('Page.getLayoutMetrics')
      const options = fullPage
        ? ({ format: 'png', captureBeyondViewport: true, clip: { ...cssContentSize, scale: 1 } } as const)
        : ({ format: 'png' } as const)
      return await this.capture(options, SCREENSHOT_TIMEOUT_MS)
    } finally {
      await this.evaluateEverywhere(restyleExpression(this.#scale))
    }
  }

  /** A PNG of what is painted. */
  async capture(
    options: Protocol.Page.CaptureScreenshotRequest,
    timeoutMs = CALL_TIMEOUT_MS,
  ): Promise<Buffer> {
    return this.#inTurn(async () => this.#takePicture(options, timeoutMs))
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(work)
    this.#lastTurn = turn.catch(() => {}) // its own caller gets the error
    return turn
  }

  /**
   * Chromium forgets that it was asked for a picture when the page is replaced by the next before it is taken: it is
   * asked again then.
   */
  async #takePicture(options: Protocol.Page.CaptureScreenshotRequest, timeoutMs: number): Promise<Buffer> {
    let stop = () => {}
    const endMs = performance.now() + timeoutMs
    const picture = new Promise<Buffer>((resolve, reject) => {
      const ask = () => {
        this.call('Page.captureScreenshot', options, { timeoutMs }).then(
          ({ data }) => resolve(Buffer.from(data, 'base64')),
          (error: Error) => (isBetweenPages(error) && performance.now() < endMs ? undefined : reject(error)),
        )
      }
      const timer = setInterval(ask, CAPTURE_AGAIN_MS)
      const stopListening = this.on('Page.frameNavigated', ({ frame }) => {
        if (frame.parentId === undefined) ask()
      })
      stop = () => {
        clearInterval(timer)
        stopListening()
      }
      ask()
    })
    return picture.finally(stop)
  }

  /** Ends the script that runs, if one does. */
  async stopScripts(): Promise<void> {
    // Without an answer the tab does not listen, which the next question shows.
    await this.call('Runtime.terminateExecution', undefined, { timeoutMs: RECOVERY_TIMEOUT_MS }).catch(
      () => {},
    )
  }

  /** Whether the page's scripts can run: a tab that is free answers in milliseconds. */
  async answers(): Promise<boolean> {
    return this.call('Runtime.evaluate', { expression: '1' }, { timeoutMs: RECOVERY_TIMEOUT_MS }).then(
      () => true,
      () => false,
    )
  }

  /** Whether a script of the page runs without end. A page that is replaced by the next meanwhile does not count. */
  async hangs(): Promise<boolean> {
    return this.call('Runtime.evaluate', { expression: '1' }, { timeoutMs: RECOVERY_TIMEOUT_MS }).then(
      () => false,
      (error: unknown) => error instanceof OpError && error.code === 'page_unresponsive',
    )
  }

  /** Runs an expression in every document of the page, in the page's own world. */
  async evaluateEverywhere(expression: string): Promise<void> {
    for (const session of this.sessions) {
      const { frameTree } = await this.cdp.call('Page.getFrameTree', undefined, { session })
      for (const frame of framesOf(frameTree)) {
        const uniqueContextId = this.#contexts.get(session)?.get(frame.id)
        if (uniqueContextId === undefined) continue // not loaded yet: it will get the script
        await this.cdp.call('Runtime.evaluate', { expression, uniqueContextId }, { session }).catch(() => {})
      }
    }
  }

  async close(): Promise<void> {
    for (const undo of this.#undo) undo()
    this.#closed.abort(new OpError('page_crashed', 'the page was replaced meanwhile; try again'))
    // It may be gone, or hang: then the browser forgets it by itself.
    await this.cdp
      .call('Target.closeTarget', { targetId: this.targetId }, { timeoutMs: 1000 })
      .catch(() => {})
  }

  async #setUp(session: string): Promise<void> {
    const call = (async (method: CdpMethod, params?: never) =>
      this.cdp.call(method, params, { session })) as Call
    await Promise.all([
      call('Page.enable'),
      // Without it the headless shell runs no injected script on a page that has none of its own.
      call('Runtime.enable'),
      call('Network.enable'),
      call('Page.setLifecycleEventsEnabled', { enabled: true }),
      this.#addScript(session),
      call('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }),
    ])
  }

  async #addScript(session: string): Promise<void> {
    const old = this.#scripts.get(session)
    const source = styleScript(this.#scale)
    const options = { session }
    const { identifier } = await this.cdp.call(
      'Page.addScriptToEvaluateOnNewDocument',
      { source, runImmediately: old === undefined },
      options,
    )
    this.#scripts.set(session, identifier)
    if (old !== undefined)
      await this.cdp.call('Page.removeScriptToEvaluateOnNewDocument', { identifier: old }, options)
  }

  #onAttached(event: Protocol.Target.AttachedToTargetEvent, parent: string | undefined): void {
    if (!this.owns(parent) || parent === undefined) return
    const { sessionId: session, targetInfo } = event
    const isFrame = targetInfo.type === 'iframe'
    if (isFrame) this.iframes.set(session, { frameId: targetInfo.targetId, parent })
    const ready = isFrame ? this.#setUp(session) : Promise.resolve()
    ready
      .then(() => this.cdp.call('Runtime.runIfWaitingForDebugger', undefined, { session }))
      .catch(() => this.iframes.delete(session)) // gone before it was set up
  }
}

/** The previous page has closed and the next one is not there yet: it can be asked in a moment. */
function isBetweenPages(error: Error): boolean {
  return error instanceof CdpError && error.message.includes('Not attached to an active page')
}

export function framesOf(tree: Protocol.Page.FrameTree): Protocol.Page.Frame[] {
  return [tree.frame, ...(tree.childFrames ?? []).flatMap(framesOf)]
}
