import type { Actor, Fact, PageView } from '@transom/protocol'
import { OpError, toWireError } from '@transom/protocol/errors'
import type { Manifest } from '../home/manifest.ts'
import { EventLog } from '../log/event-log.ts'
import type { CaretCell } from '../screen/cell-runs.ts'
import { WebScreen } from '../screen/web-screen.ts'
import type { ChildReaper } from '../sources/pty/child-reaper.ts'
import { killTree } from '../sources/pty/process-tree.ts'
import type { FrameDecoder } from '../sources/web/frame-decoder.ts'
import { findText, type TextMatch } from '../sources/web/frame-text.ts'
import { GuardedPage } from '../sources/web/guarded-page.ts'
import { dialogFields, safeText } from '../sources/web/page-words.ts'
import { checkViewport, checkZoom } from '../sources/web/viewport-limits.ts'
import type { WebFrame } from '../sources/web/web-frame.ts'
import type { PageDetails, PageDialog, PageLink, PageState, WebPage } from '../sources/web/web-page.ts'
import { parseKeys } from '../terminal/key-names.ts'
import type { MouseAction } from '../terminal/mouse-encoding.ts'
import type { BrowserProfile } from './browser-profile.ts'
import type { SessionLimits } from './limits.ts'
import { isSecret, useMouse } from './page-acts.ts'
import { PageRecorder } from './page-recorder.ts'
import { Session, type SessionDependencies } from './session.ts'
import type { WaitRequest } from './waits.ts'

type WebInput = Omit<Fact<'web_input'>, keyof Actor>

export interface WebDependencies extends SessionDependencies {
  readonly reaper: ChildReaper
  readonly decoder: FrameDecoder
}

/** What a web session is started with. */
export interface WebParts {
  readonly url: string
  readonly env: NodeJS.ProcessEnv
  readonly zoomPercent: number | undefined
  readonly allowHosts: readonly string[]
  readonly onlyHosts: readonly string[]
  readonly profile: BrowserProfile
  readonly limits: SessionLimits
}

export interface NavigateOptions {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/** A live web session: a page in a browser of its own, which runs as a child of this process. */
export class WebSession extends Session {
  declare readonly screen: WebScreen
  readonly #reaper: ChildReaper
  readonly #parts: WebParts
  readonly #recorder = new PageRecorder()
  readonly #opening: Promise<void>
  #browser: GuardedPage | null = null
  /** Keys and clicks, one after another: two texts that are typed at once must not be mixed. */
  #inputs: Promise<unknown> = Promise.resolve()
  #caret: CaretCell | null = null
  #readingCaret = false
  readonly #ending = new AbortController()
  #isPaused = false
  #isClosed = false

  /** Begins to open the browser; whenOpen() tells how that went. */
  static start(dependencies: WebDependencies, starting: Manifest, parts: WebParts): WebSession {
    const log = EventLog.create(dependencies.home.logPath(starting.session), dependencies.now)
    try {
      return new WebSession(dependencies, starting, parts, log)
    } catch (error) {
      // Nothing was appended that anybody waits for; the folder goes, so a failed sync has nothing to say.
      log.close().catch(() => {})
      throw error
    }
  }

  private constructor(dependencies: WebDependencies, starting: Manifest, parts: WebParts, log: EventLog) {
    const { cols, rows } = starting
    super(dependencies, starting, { log, screen: new WebScreen(cols, rows), limits: parts.limits })
    this.#reaper = dependencies.reaper
    this.#parts = parts
    this.#opening = this.#open(dependencies.decoder)
    this.#opening.catch(() => {}) // told by whenOpen()
  }

  override async whenOpen(): Promise<void> {
    await this.#opening
  }

  /** While nobody watches, a page is not read all the time: it is when somebody looks. */
  override async look(): Promise<WebScreen> {
    await this.#browser?.page.look()
    return this.screen
  }

  override get busy(): boolean {
    return this.screen.page().loading
  }

  override async wait(request: WaitRequest, signal: AbortSignal): ReturnType<Session['wait']> {
    if (request.needs_input) {
      const message = `session ${this.id} is a web page: whether a program waits for input can be told of a terminal alone`
      throw new OpError('wrong_kind', message, { session: this.id, kind: this.kind, wanted: 'terminal' })
    }
    return super.wait(request, signal)
  }

  async type(text: string, actor: Actor): Promise<number> {
    return this.#enterText('type', text, actor, async (page) => page.typeText(text))
  }

  async paste(text: string, actor: Actor): Promise<{ seq: number; bracketed: boolean }> {
    const seq = await this.#enterText('paste', text, actor, async (page) => page.paste(text))
    return { seq, bracketed: false }
  }

  async press(keys: readonly string[], actor: Actor): Promise<number> {
    const presses = parseKeys(keys)
    return this.#inTurn(async (page) => {
      const shown = (await isSecret(page)) ? null : [...keys]
      const seq = this.#enter({ via: 'keys', length: keys.length, keys: shown }, actor)
      await page.press(presses)
      return seq
    })
  }

  async mouse(action: MouseAction, actor: Actor): Promise<number> {
    return this.#inTurn(async (page) => {
      const seq = this.#enter({ via: 'mouse', ...action }, actor)
      await useMouse(page, action)
      return seq
    })
  }

  async resize(cols: number, rows: number): Promise<number> {
    checkViewport(cols, rows)
    return this.#inTurn(async (page) => {
      const seq = this.log.appendFact('resize', { cols, rows })
      this.apply(seq, { type: 'resize', cols, rows })
      this.update({ cols, rows })
      this.changed()
      await page.setViewport(cols, rows)
      return seq
    })
  }

  /** Resolves when the page has loaded. */
  async navigate(url: string, actor: Actor, options: NavigateOptions = {}): Promise<number> {
    const browser = this.#running()
    const address = browser.checkUrl(url)
    const seq = this.#enter({ via: 'navigate', url: address }, actor)
    const { signal = this.#ending.signal, ...limits } = options
    await browser.navigate(address, { ...limits, signal: AbortSignal.any([signal, this.#ending.signal]) })
    return seq
  }

  /** A step through the history; `moved` is false at its end. */
  async step(via: 'go_back' | 'go_forward', actor: Actor): Promise<{ seq: number; moved: boolean }> {
    const { page } = this.#running()
    const seq = this.#enter({ via }, actor)
    return { seq, moved: via === 'go_back' ? await page.goBack() : await page.goForward() }
  }

  async reload(actor: Actor): Promise<number> {
    const { page } = this.#running()
    const seq = this.#enter({ via: 'reload' }, actor)
    await page.reload()
    return seq
  }

  async setZoom(percent: number, actor: Actor): Promise<number> {
    checkZoom(percent)
    const { page } = this.#running()
    const seq = this.#enter({ via: 'set_zoom', percent }, actor)
    await page.setZoom(percent)
    return seq
  }

  async answerDialog(accept: boolean, text: string | undefined, actor: Actor): Promise<number> {
    const { page } = this.#running()
    if (page.dialog === null) throw new OpError('usage', 'the page has no dialog open')
    const answered = text === undefined ? {} : { text, length: text.length }
    const seq = this.#enter({ via: 'answer_dialog', accept, ...answered }, actor)
    await page.answerDialog(accept, text)
    return seq
  }

  async links(): Promise<PageLink[]> {
    return this.#running().page.links()
  }

  async details(): Promise<PageDetails> {
    return this.#running().page.details()
  }

  /** What Chromium paints with the page's own fonts, as PNG. */
  async paint(fullPage: boolean): Promise<Buffer> {
    return this.#running().page.screenshot({ fullPage })
  }

  async findText(text: string, ignoreCase: boolean): Promise<TextMatch[]> {
    const frame = await this.#running().page.look()
    return frame === null ? [] : findText(frame, text, ignoreCase)
  }

  protected override watch(): () => void {
    let release = () => {}
    let isOver = false
    const hold = () => {
      if (!isOver && this.#browser !== null) release = this.#browser.page.hold()
    }
    if (this.#browser === null) this.#opening.then(hold, () => {})
    else hold()
    return () => {
      isOver = true
      release()
    }
  }

  protected override setSourcePaused(paused: boolean): void {
    // The page itself cannot be stopped; what it shows meanwhile is not recorded, and the last of it is afterwards.
    this.#isPaused = paused
    const frame = this.#browser?.page.frame
    if (!paused && frame) this.#onFrame(frame)
  }

  protected override async endSource(): Promise<number[]> {
    const survivors = await this.#endBrowser()
    this.exiting()
    this.exited({ code: 0, signal: null })
    return survivors
  }

  async #endBrowser(): Promise<number[]> {
    if (this.#browser === null) await this.#opening.catch(() => {}) // what is just being started ends as well
    this.#isClosed = true
    this.#ending.abort(
      new OpError('session_ended', `session ${this.id} was ended while its page was loading`),
    )
    await this.#browser?.close()
    await this.#opening.catch(() => {}) // told by whenOpen()
    const mark = BigInt(this.manifest.process_mark)
    const survivors = await killTree({ mark, leaderPid: null }, this.#reaper)
    await this.#parts.profile.release()
    return survivors
  }

  protected override closeSource(): void {
    this.#isClosed = true
  }

  async #open(decoder: FrameDecoder): Promise<void> {
    const { url, profile, limits: _limits, ...options } = this.#parts
    const { cols, rows, process_mark } = this.manifest
    this.#browser = await GuardedPage.open({
      ...options,
      cols,
      rows,
      decoder,
      profileFolder: profile.folder,
      mark: BigInt(process_mark),
      reaper: this.#reaper,
    })
    const { page } = this.#browser
    page.observe({
      frame: (frame) => this.#onFrame(frame),
      state: (state) => this.#onState(state),
      dialog: (dialog) => this.#onDialog(dialog),
      trouble: (error) => this.#onTrouble(error),
      lost: (error) => void this.#onLost(error),
    })
    this.running(page.chromium.pid)
    this.#onState(page.state)
    if (page.frame !== null) this.#onFrame(page.frame)
    if (url === page.state.url) return
    await this.navigate(url, { actor: 'create' }).catch((error: unknown) => {
      // What has come of a slow page is shown: that is no reason to have no session.
      if (!(error instanceof OpError) || error.code !== 'navigation_timeout') throw error
      this.#onTrouble(error)
    })
  }

  #running(): GuardedPage {
    this.assertCommandable()
    if (this.#browser === null) {
      const message = `the browser of session ${this.id} is being started; try again in a moment`
      throw new OpError('snapshot_unavailable', message, { session: this.id })
    }
    return this.#browser
  }

  async #inTurn(input: (page: WebPage) => Promise<number>): Promise<number> {
    this.#running()
    const turn = this.#inputs.then(async () => input(this.#running().page))
    this.#inputs = turn.catch(() => {}) // told to whoever asked for it; the next one goes on
    const seq = await turn
    this.#askForCaret()
    return seq
  }

  async #enterText(
    via: 'type' | 'paste',
    text: string,
    actor: Actor,
    apply: (page: WebPage) => Promise<void>,
  ): Promise<number> {
    return this.#inTurn(async (page) => {
      const shown = (await isSecret(page)) ? null : text
      const seq = this.#enter({ via, length: text.length, text: shown }, actor)
      await apply(page)
      return seq
    })
  }

  /** Records what is about to be done to the page. */
  #enter(input: WebInput, actor: Actor): number {
    const seq = this.log.appendFact('web_input', { ...actor, ...input })
    this.apply(seq)
    this.entered(seq)
    return seq
  }

  #onFrame(frame: WebFrame): void {
    if (this.#isPaused || this.#isClosed) return
    this.disk.run(() => {
      const record = this.#recorder.record(frame, this.#caret)
      if (record === null) return
      const { bytes } = record
      const seq = this.log.append('web_frame', bytes)
      record.keep()
      this.apply(seq, { type: 'web_frame', bytes })
      this.shown(seq, bytes.length)
    })
  }

  #onState(state: PageState): void {
    const { url, loading, canGoBack: can_go_back, canGoForward: can_go_forward } = state
    const navigation = { url, loading, can_go_back, can_go_forward }
    const title = safeText(state.title)
    const shown = this.screen.page()
    const pid = this.#browser?.page.chromium.pid ?? null // another one, when the browser had to be started again
    if (this.manifest.status === 'running' && this.manifest.pid !== pid) this.update({ pid })
    if (isChange(shown, navigation)) {
      this.#tell('web_navigation', navigation, navigation)
      if (this.manifest.url !== url) this.update({ url })
    }
    if (isChange(shown, { title })) this.#tell('web_title', { title }, { title })
  }

  #onDialog(open: PageDialog | null): void {
    const dialog = dialogFields(open)
    this.#tell('web_dialog', { dialog }, { dialog })
  }

  #onTrouble(error: Error): void {
    const { code, message } = toWireError(error)
    this.#tell('web_trouble', { code, message }, {})
  }

  async #onLost(cause: Error): Promise<void> {
    const isOpen = await this.#opening.then(
      () => true,
      () => false,
    )
    if (!isOpen) return // taken back by whoever wanted it
    const reason = `its browser ended and could not be started again: ${toWireError(cause).message}`
    await this.failed(reason, 'browser_lost', async () => this.#endBrowser())
  }

  #tell<T extends 'web_navigation' | 'web_title' | 'web_dialog' | 'web_trouble'>(
    type: T,
    fact: Fact<T>,
    page: Partial<PageView>,
  ): void {
    if (this.#isClosed) return
    this.disk.run(() => {
      this.apply(this.log.appendFact(type, fact), { type: 'web_page', page })
      this.changed()
    })
  }

  /** Where the caret is cannot be seen in a frame: it is asked for after an input, once for many. */
  #askForCaret(): void {
    const page = this.#browser?.page
    if (this.#readingCaret || page === undefined || page.dialog !== null) return
    this.#readingCaret = true
    page
      .details()
      .then(({ caret }) => {
        this.#caret = caret
        if (page.frame !== null) this.#onFrame(page.frame)
      })
      .catch(() => {}) // a page that hangs or is gone is told of by its events
      .finally(() => (this.#readingCaret = false))
  }
}

function isChange(shown: PageView, change: Partial<PageView>): boolean {
  return Object.entries(change).some(([key, value]) => shown[key as keyof PageView] !== value) // its own keys
}
