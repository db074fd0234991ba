import {
  checkViewport,
  checkZoom,
  type Actor,
  type Fact,
  type PageView,
  type Writer,
} from '@transom/protocol'
import { OpError, toWireError } from '@transom/protocol/errors'
import type { ChildReaper } from '../../platform/child-reaper.ts'
import { killTree } from '../../platform/process-tree.ts'
import type { Capabilities, NavigateOptions, PageControl } from '../../session/capabilities.ts'
import type { Act, Acted, EventSink, Source, SourceStart } from '../../session/kind.ts'
import { parseKeys } from '../../terminal/key-names.ts'
import type { MouseAction } from '../../terminal/mouse-encoding.ts'
import type { BrowserProfile } from './browser-profile.ts'
import type { CaretCell } from './cell-runs.ts'
import type { FrameDecoder } from './frame-decoder.ts'
import { GuardedPage } from './guarded-page.ts'
import { KnownDetails } from './known-details.ts'
import { isSecret, useMouse } from './page-acts.ts'
import { PageRecorder } from './page-recorder.ts'
import { dialogFields, linkRows, safeText } from './page-words.ts'
import type { WebFrame } from './web-frame.ts'
import type { PageDialog, PageState, WebPage } from './web-page.ts'
import type { WebProjection } from './web-projection.ts'

/** After an input the page has its effect to paint, which the question for the caret must not delay. */
const CARET_DELAY_MS = 60

type WebInput = Omit<Fact<'web_input'>, keyof Actor>

export interface WebStart extends SourceStart<WebProjection> {
  readonly url: string
  readonly env: NodeJS.ProcessEnv
  readonly zoom: number | undefined
  readonly allowHosts: readonly string[]
  readonly onlyHosts: readonly string[]
  readonly profile: BrowserProfile
  readonly reaper: ChildReaper
  readonly decoder: FrameDecoder
  readonly notice: (message: string) => void
}

/** Where the browser stands. */
type BrowserState =
  | { readonly is: 'opening' }
  | { readonly is: 'open'; readonly guarded: GuardedPage }
  /** Later events of the page are not recorded. */
  | { readonly is: 'ended' }

/** A page in a browser of its own, which runs as a child of this process. */
export class WebSource implements Source {
  readonly opened: Promise<void>
  readonly capabilities: Pick<Capabilities, 'page'>
  readonly #start: WebStart
  readonly #session: string
  readonly #screen: WebProjection
  readonly #sink: EventSink
  readonly #recorder = new PageRecorder()
  readonly #details = new KnownDetails()
  readonly #ending = new AbortController()
  #browser: BrowserState = { is: 'opening' }
  #pid: number | null = null
  /** Keys and clicks, one after another: two texts that are typed at once must not be mixed. */
  #inputs: Promise<unknown> = Promise.resolve()
  #caret: CaretCell | null = null
  #caretTimer: NodeJS.Timeout | undefined
  #isPaused = false

  constructor(start: WebStart) {
    this.#start = start
    this.#session = start.manifest.session
    this.#screen = start.projection
    this.#sink = start.sink
    this.capabilities = { page: this.#pageControl() }
    this.opened = this.#open()
    this.opened.catch(() => {}) // reported by `opened` itself
  }

  get busy(): boolean {
    return this.#screen.page().loading
  }

  async act(act: Act, writer: Writer): Promise<Acted> {
    switch (act.act) {
      case 'type':
        return this.#enterText(act, writer)
      case 'paste':
        return { ...(await this.#enterText(act, writer)), bracketed: false }
      case 'keys':
        return this.#press(act.keys, writer)
      case 'mouse':
        return this.#mouse(act.mouse, writer)
      case 'resize':
        return this.#resize(act.cols, act.rows, writer)
      default:
        return act satisfies never
    }
  }

  /** A page without watchers is not read continuously, but when a caller looks. */
  async refresh(): Promise<void> {
    await this.#page?.look()
  }

  watch(): () => void {
    let release = () => {}
    let isOver = false
    const hold = () => {
      if (!isOver) release = this.#page?.hold() ?? release
    }
    if (this.#browser.is === 'opening') this.opened.then(hold, () => {})
    else hold()
    return () => {
      isOver = true
      release()
    }
  }

  pause(reasons: ReadonlySet<unknown>): void {
    // The page itself cannot be stopped; what it shows meanwhile is not recorded, and the last of it is afterwards.
    this.#isPaused = reasons.size > 0
    const frame = this.#page?.frame
    if (!this.#isPaused && frame) this.#onFrame(frame)
  }

  async end(): Promise<readonly number[]> {
    this.#ending.abort(
      new OpError('session_ended', `session ${this.#session} was ended while its page was loading`),
    )
    if (this.#browser.is === 'opening') await this.opened.catch(() => {}) // what is just being started ends as well
    clearTimeout(this.#caretTimer)
    const guarded = this.#page === null ? null : this.#running()
    this.#browser = { is: 'ended' }
    await guarded?.close()
    await this.opened.catch(() => {}) // reported by `opened` itself
    const mark = BigInt(this.#start.manifest.process_mark)
    const survivors = await killTree({ session: this.#session, mark, leaderPid: null }, this.#start.reaper)
    await this.#start.profile.release()
    this.#sink.exiting()
    this.#sink.exited({ code: 0, signal: null })
    return survivors
  }

  close(): void {
    clearTimeout(this.#caretTimer)
    this.#browser = { is: 'ended' }
  }

  get #page(): GuardedPage['page'] | null {
    return this.#browser.is === 'open' ? this.#browser.guarded.page : null
  }

  #pageControl(): PageControl {
    return {
      navigate: async (url, writer, options) => this.#navigate(url, writer, options),
      step: async (via, writer) => {
        const { page } = this.#running()
        const seq = this.#enter({ via }, writer)
        return { seq, moved: via === 'go_back' ? await page.goBack() : await page.goForward() }
      },
      reload: async (writer) => {
        const { page } = this.#running()
        const seq = this.#enter({ via: 'reload' }, writer)
        await page.reload()
        return seq
      },
      setZoom: async (percent, writer) => {
        checkZoom(percent)
        const { page } = this.#running()
        const seq = this.#enter({ via: 'set_zoom', percent }, writer)
        await page.setZoom(percent)
        return seq
      },
      answerDialog: async (accept, text, writer) => {
        const { page } = this.#running()
        if (page.dialog === null) throw new OpError('usage', 'the page has no dialog open')
        const answered = text === undefined ? {} : { text, length: text.length }
        const seq = this.#enter({ via: 'answer_dialog', accept, ...answered }, writer)
        await page.answerDialog(accept, text)
        return seq
      },
      links: async () => linkRows(await this.#running().page.links()),
      details: async (maxWaitMs) => {
        const { focus, ...details } = await this.#details.read(this.#running().page, maxWaitMs)
        return { ...details, focus: focus === null ? null : { ...focus, name: safeText(focus.name) } }
      },
      refreshState: async () => void (await this.#running().page.readState()),
      scale: () => this.#running().page.scale,
      networkIdleForMs: () => this.#page?.networkIdleForMs ?? null,
      paint: async (fullPage) => this.#running().page.screenshot({ fullPage }),
    }
  }

  async #navigate(url: string, writer: Writer, options: NavigateOptions = {}): Promise<number> {
    const guarded = this.#running()
    const address = guarded.checkUrl(url)
    const seq = this.#enter({ via: 'navigate', url: address }, writer)
    const { signal = this.#ending.signal, ...limits } = options
    await guarded.navigate(address, { ...limits, signal: AbortSignal.any([signal, this.#ending.signal]) })
    return seq
  }

  async #press(keys: readonly string[], writer: Writer): Promise<Acted> {
    const presses = parseKeys(keys)
    return this.#inTurn(async (page) => {
      const shown = (await isSecret(page)) ? null : [...keys]
      const seq = this.#enter({ via: 'keys', length: keys.length, keys: shown }, writer)
      await page.press(presses)
      return seq
    })
  }

  async #mouse(action: MouseAction, writer: Writer): Promise<Acted> {
    return this.#inTurn(async (page) => {
      const seq = this.#enter({ via: 'mouse', ...action }, writer)
      await useMouse(page, action)
      return seq
    })
  }

  async #resize(cols: number, rows: number, writer: Writer): Promise<Acted> {
    checkViewport(cols, rows)
    return this.#inTurn(async (page) => {
      const seq = this.#sink.act('resize', { cols, rows }, writer)
      this.#sink.describe({ cols, rows })
      this.#sink.changed()
      await page.setViewport(cols, rows)
      return seq
    })
  }

  async #enterText(act: Extract<Act, { act: 'type' | 'paste' }>, writer: Writer): Promise<Acted> {
    const { act: via, text } = act
    return this.#inTurn(async (page) => {
      const hidden = (act.act === 'type' && act.secret === true) || (await isSecret(page))
      const seq = this.#enter({ via, length: text.length, text: hidden ? null : text }, writer)
      await (via === 'type' ? page.typeText(text) : page.paste(text))
      return seq
    })
  }

  async #open(): Promise<void> {
    const { url, profile, zoom, scope, sink, env, allowHosts, onlyHosts, decoder, ...start } = this.#start
    const { cols, rows, process_mark } = start.manifest
    const guarded = await GuardedPage.open({
      scope,
      env,
      allowHosts,
      onlyHosts,
      zoomPercent: zoom,
      cols,
      rows,
      decoder,
      profileFolder: profile.folder,
      mark: BigInt(process_mark),
      reaper: start.reaper,
      onUnsandboxed: (why) => {
        sink.describe({ unsandboxed: why })
        start.notice(`the browser runs without a sandbox: ${why}`)
      },
    })
    this.#browser = { is: 'open', guarded }
    const { page } = guarded
    page.observe({
      frame: scope.guard((frame) => this.#onFrame(frame)),
      state: scope.guard((state) => this.#onState(state)),
      dialog: scope.guard((dialog) => this.#onDialog(dialog)),
      networkIdle: scope.guard(() => sink.changed()),
      trouble: scope.guard((error) => this.#onTrouble(error)),
      lost: (error) => scope.run(async () => this.#onLost(error)),
    })
    this.#pid = page.chromium.pid
    sink.started(this.#pid)
    this.#onState(page.state)
    if (page.frame !== null) this.#onFrame(page.frame)
    if (url === page.state.url) return
    await this.#navigate(url, { actor: this.#start.actor, right: null }).catch((error: unknown) => {
      // A slow page is shown as far as it has loaded; it does not fail the session.
      if (!(error instanceof OpError) || error.code !== 'navigation_timeout') throw error
      this.#onTrouble(error)
    })
  }

  #running(): GuardedPage {
    if (this.#browser.is === 'open') return this.#browser.guarded
    const message =
      this.#browser.is === 'opening'
        ? `the browser of session ${this.#session} is being started; try again in a moment`
        : `the browser of session ${this.#session} has ended`
    throw new OpError('snapshot_unavailable', message, { session: this.#session })
  }

  async #inTurn(input: (page: WebPage) => Promise<number>): Promise<Acted> {
    this.#running()
    const turn = this.#inputs.then(async () => input(this.#running().page))
    this.#inputs = turn.catch(() => {}) // reported to its caller; the next one goes on
    const seq = await turn
    this.#askForCaret()
    return { seq }
  }

  /** Records what is about to be done to the page. */
  #enter(input: WebInput, writer: Writer): number {
    const seq = this.#sink.act('web_input', input, writer)
    this.#sink.entered(seq)
    return seq
  }

  #onFrame(frame: WebFrame): void {
    if (this.#isPaused || this.#browser.is !== 'open') return
    this.#sink.after(() => {
      const record = this.#recorder.record(frame, this.#caret)
      if (record !== null) this.#sink.output(record.bytes, record.keep)
    })
  }

  #onState(state: PageState): void {
    const { url, loading, canGoBack: can_go_back, canGoForward: can_go_forward } = state
    const navigation = { url, loading, can_go_back, can_go_forward }
    const title = safeText(state.title)
    const shown = this.#screen.page()
    const pid = this.#page?.chromium.pid ?? null
    if (pid !== null && pid !== this.#pid) {
      this.#pid = pid // another one: the browser had to be started again
      this.#sink.started(pid)
    }
    if (isChange(shown, navigation)) {
      this.#report('web_navigation', navigation)
      if (shown.url !== url) this.#sink.describe({ url })
    }
    if (isChange(shown, { title })) this.#report('web_title', { title })
  }

  #onDialog(open: PageDialog | null): void {
    this.#report('web_dialog', { dialog: dialogFields(open) })
  }

  #onTrouble(error: Error): void {
    const { code, message } = toWireError(error)
    this.#report('web_trouble', { code, message })
    this.#start.notice(message)
  }

  async #onLost(cause: Error): Promise<void> {
    const isOpen = await this.opened.then(
      () => true,
      () => false,
    )
    if (!isOpen) return // discarded by its creator
    const reason = `its browser ended and could not be started again: ${toWireError(cause).message}`
    this.#sink.lost(reason, 'browser_lost')
  }

  #report<T extends 'web_navigation' | 'web_title' | 'web_dialog' | 'web_trouble'>(
    type: T,
    fact: Fact<T>,
  ): void {
    if (this.#browser.is === 'open') this.#sink.append(type, fact)
  }

  /** Where the caret is cannot be seen in a frame: it is asked for after an input, once for many. */
  #askForCaret(): void {
    const read = () => this.#start.scope.run(async () => this.#readCaret())
    this.#caretTimer ??= setTimeout(read, CARET_DELAY_MS)
  }

  async #readCaret(): Promise<void> {
    this.#caretTimer = undefined
    const page = this.#page
    if (page === null || page.dialog !== null) return
    try {
      this.#caret = (await this.#details.read(page)).caret
      if (page.frame !== null) this.#onFrame(page.frame)
    } catch {
      return // a page that hangs or has closed reports so by its events
    }
  }
}

function isChange(shown: PageView, change: Partial<PageView>): boolean {
  return Object.entries(change).some(([key, value]) => shown[key as keyof PageView] !== value) // its own keys
}
