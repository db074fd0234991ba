import { OpError } from '@transom/protocol/errors'
import type { ChromiumPageOptions } from './chromium-page-options.ts'
import type { Chromium } from './chromium.ts'
import { WebFrames } from './frame-grid.ts'
import type { DecodedFrame } from './frame-decoding.ts'
import { NetworkActivity } from './network-activity.ts'
import { OperatedPage } from './operated-page.ts'
import { StuckTab, loadBy, loadOptions, loadPage, loadStep, type LoadOptions } from './page-navigation.ts'
import { PageObservers } from './page-observers.ts'
import { readLinks } from './page-links.ts'
import { readDetails } from './page-queries.ts'
import { Recovery, replacedMeanwhile } from './page-recovery.ts'
import { EMPTY_STATE, dialogOpen, readState, unlessLeft, watchState } from './page-state.ts'
import { PageTarget } from './page-target.ts'
import { Screencast } from './screencast.ts'
import { CELL_HEIGHT_PX, CELL_WIDTH_PX, type WebFrame } from './web-frame.ts'
import type { PageDetails, PageDialog, PageEvents, PageLink, PageState, WebPage } from './web-page.ts'

const LAST_FRAME_SENT_SINCE = 156 // the version of Chromium; 147 does not

/** A page in its own Chromium. If the page hangs, or its tab or browser ends, it is restored. */
export class ChromiumPage extends OperatedPage implements WebPage {
  readonly #options: ChromiumPageOptions
  readonly #frames = new WebFrames()
  readonly #observers = new PageObservers()
  readonly #network = new NetworkActivity(() => this.#observers.tell((observer) => observer.networkIdle?.()))
  #chromium: Chromium
  #target: PageTarget
  #screencast: Screencast
  #cols: number
  #rows: number
  #scale: number
  #frame: WebFrame | null = null
  #framesPaused = false
  #state: PageState = EMPTY_STATE
  #dialog: PageDialog | null = null
  readonly #recovery = new Recovery()
  #isLost = false
  #crashes = 0
  #navigations = 0
  #closed = false

  static async open(options: ChromiumPageOptions): Promise<ChromiumPage> {
    const chromium = await options.start()
    try {
      const target = await PageTarget.open(chromium.cdp, options.scale ?? 1)
      const page = new ChromiumPage(options, chromium, target)
      await page.#begin(chromium, target)
      return page
    } catch (error) {
      await chromium.close()
      throw error
    }
  }

  private constructor(options: ChromiumPageOptions, chromium: Chromium, target: PageTarget) {
    super()
    this.#options = options
    this.#cols = options.cols
    this.#rows = options.rows
    this.#scale = options.scale ?? 1
    this.#chromium = chromium
    this.#target = target
    this.#screencast = this.#screencastOf(target)
  }

  get frame(): WebFrame | null {
    return this.#frame
  }

  get state(): PageState {
    return this.#state
  }

  get dialog(): PageDialog | null {
    return this.#dialog
  }

  get chromium(): Chromium {
    return this.#chromium
  }

  get size(): { cols: number; rows: number } {
    return { cols: this.#cols, rows: this.#rows }
  }

  get scale(): number {
    return this.#scale
  }

  async navigate(url: string, options: { timeoutMs?: number; signal?: AbortSignal } = {}): Promise<void> {
    const load = { ...loadOptions(url), ...options }
    // Set before Chromium reports it and until the page is read: a wait for quiet means the requested page.
    this.#navigations++
    this.#setState({ loading: true })
    const done = this.#operate(async (current) => {
      // A page that hangs could not be left: its end is part of the way to the next one.
      if (!(await current.answers())) await this.#free(current)
      const isFirst = this.#state.url === 'about:blank' && !this.#state.canGoBack
      const target = await this.#load(load)
      if (isFirst) await unlessLeft(target.call('Page.resetNavigationHistory'))
      await this.#arrived(target)
    })
    await done.finally(() => {
      this.#navigations--
      this.#setState({ loading: false })
    })
  }

  async goBack(): Promise<boolean> {
    return this.#step(-1)
  }

  async goForward(): Promise<boolean> {
    return this.#step(1)
  }

  async reload(): Promise<void> {
    await this.#operate(async (target) => {
      await loadBy(target, async () => target.call('Page.reload'), loadOptions(this.#state.url))
      await this.#arrived(target)
    })
  }

  async setViewport(cols: number, rows: number): Promise<void> {
    this.#cols = cols
    this.#rows = rows
    await this.#operate(async (target) => {
      await this.#applyViewport(target)
      await this.#capture()
    })
  }

  async setZoom(percent: number): Promise<void> {
    this.#scale = percent / 100
    await this.#operate(async (target) => {
      await target.setScale(this.#scale)
      await this.#applyViewport(target)
      await this.#capture()
    })
  }

  async readState(): Promise<PageState> {
    await this.#recovery.done()
    this.#setState(await readState(this.#target))
    return this.#state
  }

  async look(): Promise<WebFrame | null> {
    if (this.#dialog === null && !this.#recovery.isRunning) await this.#screencast.look()
    return this.#frame
  }

  async links(): Promise<PageLink[]> {
    return this.#operate(async (target) => {
      await this.#capture() // cells and DOM must be of one moment, also just after the page has scrolled
      return readLinks(target, this.#frame)
    })
  }

  async details(): Promise<PageDetails> {
    return this.#operate(async (target) => readDetails(target, this.#frame))
  }

  async answerDialog(accept: boolean, promptText?: string): Promise<void> {
    if (this.#dialog === null) throw new OpError('usage', 'the page has no dialog open')
    const answer = promptText === undefined ? { accept } : { accept, promptText }
    await this.#target.call('Page.handleJavaScriptDialog', answer)
    this.#screencast.settle()
  }

  async screenshot({ fullPage = false }: { fullPage?: boolean } = {}): Promise<Buffer> {
    return this.#operate(async (target) => {
      this.#framesPaused = true // for this moment the page is not in the cell font
      try {
        return await target.screenshot(fullPage)
      } finally {
        this.#framesPaused = false
        await this.#capture()
      }
    })
  }

  get networkIdleForMs(): number | null {
    return this.#network.idleForMs
  }

  hold(): () => void {
    const release = this.#observers.hold()
    this.#screencast.wake()
    return release
  }

  observe(events: Partial<PageEvents>): () => void {
    const stop = this.#observers.add(events)
    if (events.frame !== undefined) this.#screencast.wake()
    return stop
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#screencast.close()
    await this.#recovery.done()
    await this.#chromium.close()
  }

  async #begin(chromium: Chromium, target: PageTarget): Promise<void> {
    chromium.cdp.scope.run(async () => {
      const error = await chromium.ended
      await this.#recovery.done() // of a tab, which has failed with its browser
      if (this.#chromium === chromium && !this.#isLost) this.#recover(error, async () => this.#restart())
    })
    chromium.cdp.on('Target.targetCrashed', ({ targetId }) => {
      if (targetId !== this.#target.targetId || this.#closed) return
      const { url } = this.#state
      const error = new OpError('page_crashed', `the page's process ended: ${url} is loaded again`, { url })
      this.#recover(error, async () => this.#renewTarget())
    })
    await chromium.cdp.call('Target.setDiscoverTargets', { discover: true })
    await chromium.cdp.call('Browser.setDownloadBehavior', { behavior: 'deny' })
    await this.#use(target)
  }

  /** Makes a tab the one that this page is shown in. */
  async #use(target: PageTarget): Promise<void> {
    this.#target = target
    this.#screencast.close()
    this.#screencast = this.#screencastOf(target)
    watchState(target, {
      state: (change) => this.#target === target && this.#setState(change),
      dialog: (dialog) => this.#target === target && this.#setDialog(dialog),
      windowOpened: (url) => target.cdp.scope.run(async () => this.#openInPlace(url)),
    })
    this.#network.watch(target)
    await this.#applyViewport(target)
    await this.#screencast.start()
  }

  #screencastOf(target: PageTarget): Screencast {
    return new Screencast({
      target,
      decoder: this.#options.decoder,
      size: () => this.size,
      need: () => this.#observers.need,
      sendsLastFrame: this.#chromium.majorVersion >= LAST_FRAME_SENT_SINCE,
      onFrame: (frame) => this.#onFrame(frame),
    })
  }

  async #applyViewport(target: PageTarget): Promise<void> {
    await target.setDeviceSize(this.#cols * CELL_WIDTH_PX, this.#rows * CELL_HEIGHT_PX)
  }

  #onFrame(decoded: DecodedFrame): boolean {
    if (this.#framesPaused) return false
    const frame = this.#frames.frameOf(decoded, this.#scale, this.#frame)
    if (frame === this.#frame) return false
    this.#frame = frame
    this.#observers.tell((observer) => observer.frame?.(frame))
    return true
  }

  /** A page has loaded: what is asked next is answered from it and not from the one before. */
  async #arrived(target: PageTarget): Promise<void> {
    this.#setState((await unlessLeft(readState(target))) ?? {})
    await this.#capture()
  }

  async #capture(): Promise<void> {
    this.#screencast.hurry()
    await this.#screencast.capture()
  }

  #setState(change: Partial<PageState>): void {
    const state = { ...this.#state, ...change, ...(this.#navigations > 0 ? { loading: true } : {}) }
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return
    this.#state = state
    this.#screencast.hurry()
    this.#observers.tell((observer) => observer.state?.(state))
  }

  #setDialog(dialog: PageDialog | null): void {
    this.#dialog = dialog
    if (dialog?.type === 'beforeunload') {
      // The caller asked for another page, so the answer is to leave this one.
      this.#target.call('Page.handleJavaScriptDialog', { accept: true }).catch(() => {})
    }
    this.#observers.tell((observer) => observer.dialog?.(dialog))
  }

  /** There is one tab: what a page opens in a new window is opened in its place. */
  async #openInPlace(url: string): Promise<void> {
    const open = async () => this.navigate(this.#options.checkUrl?.(url) ?? url)
    await open().catch((error: Error) => this.#observers.tell((observer) => observer.trouble?.(error)))
  }

  async #step(by: -1 | 1): Promise<boolean> {
    return this.#operate(async (target) => {
      const isThere = await loadStep(target, by)
      if (isThere) await this.#arrived(target)
      return isThere
    })
  }

  /** Loads a page into the tab, or into a new one when the page before keeps it away; returns the one it is in. */
  async #load(load: LoadOptions): Promise<PageTarget> {
    try {
      await loadPage(this.#target, load)
    } catch (error) {
      if (!(error instanceof StuckTab)) throw error
      await this.#renewTarget('about:blank')
      await loadPage(this.#target, load)
    }
    return this.#target
  }

  /** An input: its effect is looked for at once, and a dialog that it opens ends it, because the page stands still. */
  protected async act(run: (target: PageTarget) => Promise<void>): Promise<void> {
    this.#screencast.expect()
    await this.#operate(async (target) => this.#observers.untilDoneOrDialog(run(target)))
    this.#screencast.settle()
  }

  /** Runs something on the tab; if the tab hangs it is freed, and the error reports that. */
  async #operate<T>(run: (target: PageTarget) => Promise<T>): Promise<T> {
    await this.#recovery.done()
    if (this.#dialog !== null && this.#dialog.type !== 'beforeunload') throw dialogOpen(this.#dialog)
    const target = this.#target
    try {
      return await run(target)
    } catch (error) {
      if (error instanceof OpError && error.code === 'page_unresponsive') {
        if (this.#dialog !== null) throw dialogOpen(this.#dialog)
        const free = async () =>
          error instanceof StuckTab ? this.#renewTarget('about:blank') : this.#free(target)
        if (target === this.#target) this.#recover(error, free)
        await this.#recovery.done()
      }
      const replaced = replacedMeanwhile(error)
      if (replaced === null) throw error
      await this.#recovery.done()
      throw replaced
    }
  }

  #recover(error: Error, how: () => Promise<void>): void {
    if (this.#recovery.isRunning || this.#closed) return
    this.#dialog = null
    this.#recovery.start(how, (failure) => {
      this.#observers.tell((observer) => observer.trouble?.(failure))
      if (this.#isLost && !this.#closed) this.#observers.tell((observer) => observer.lost?.(failure))
    })
    this.#observers.tell((observer) => observer.trouble?.(error))
  }

  /** Stops a script that runs without end; a tab that does not listen even then is replaced by an empty one. */
  async #free(target: PageTarget): Promise<void> {
    await target.stopScripts()
    if (!(await target.answers())) await this.#renewTarget('about:blank')
  }

  /** A new tab in place of one that has crashed; the second time in a row it stays empty. */
  async #renewTarget(url = ++this.#crashes > 1 ? 'about:blank' : this.#state.url): Promise<void> {
    const old = this.#target
    const target = await PageTarget.open(this.#chromium.cdp, this.#scale)
    await this.#use(target)
    await old.close()
    await loadPage(target, loadOptions(url))
    this.#crashes = 0
    await this.#arrived(target)
  }

  async #restart(): Promise<void> {
    const { url } = this.#state
    await this.#chromium.close() // its profile is still there
    try {
      this.#chromium = await this.#options.start()
      const target = await PageTarget.open(this.#chromium.cdp, this.#scale)
      await this.#begin(this.#chromium, target)
      await loadPage(target, loadOptions(url))
      await this.#arrived(target)
    } finally {
      // One that ends while it is started, or at once by the page that it had, would do so without end.
      this.#isLost = this.#chromium.cdp.gone.aborted
    }
  }
}
