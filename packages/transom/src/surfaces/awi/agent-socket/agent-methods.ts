import { AGENT_METHODS, type AgentMethod, type AgentParams } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { findInFrame } from '../../../kinds/web/frame-text.ts'
import type { GuardedPage } from '../../../kinds/web/guarded-page.ts'
import { linkRows, safeText } from '../../../kinds/web/page-words.ts'
import { checkViewport, checkZoom } from '../../../kinds/web/viewport-limits.ts'
import type { WebPage } from '../../../kinds/web/web-page.ts'
import type { AgentCall, AgentService } from './agent-connection.ts'
import { AgentEvents } from './agent-events.ts'
import { agentKeys } from './agent-keys.ts'
import { AgentSnapshots, type DrawPng } from './agent-snapshots.ts'
import { waitOnPage } from './agent-waits.ts'

const OK = { ok: true } as const

export interface AgentMethodsOptions {
  readonly guarded: GuardedPage
  readonly sessionId: string
  readonly version: string
  readonly drawPng: DrawPng
}

type Handlers = { [M in AgentMethod]: (params: AgentParams<M>, call: AgentCall) => Promise<object> }

/** The methods of the AWI-TTY specification, and what agents need beside them, on one page. */
export class AgentMethods implements AgentService {
  readonly #options: AgentMethodsOptions
  readonly #page: WebPage
  readonly #snapshots: AgentSnapshots
  readonly #events: AgentEvents
  readonly #startedMs = performance.now()
  readonly #counts = new Map<string, number>()
  readonly #handlers: Handlers

  constructor(options: AgentMethodsOptions) {
    this.#options = options
    this.#page = options.guarded.page
    this.#snapshots = new AgentSnapshots(this.#page, options.drawPng)
    this.#events = new AgentEvents(this.#page)
    this.#handlers = {
      ...this.#navigation(),
      ...this.#input(),
      ...this.#looks(),
      ...this.#dialogs(),
      ping: async () => OK,
      get_capabilities: async () => this.#capabilities(),
      subscribe_events: async (_params, { notify, signal }) => {
        this.#events.subscribe(notify, signal)
        return OK
      },
      wait_for: async (params, { signal }) => waitOnPage(this.#page, params, signal),
      wait_for_frame_quiescence: async ({ idle_ms, timeout_ms }, { signal }) =>
        waitOnPage(this.#page, { idle: idle_ms, timeout_ms }, signal),
      wait_for_title_contains: async ({ substring, timeout_ms }, { signal }) =>
        waitOnPage(this.#page, { title: substring, timeout_ms }, signal),
    }
  }

  async call(call: AgentCall): Promise<object> {
    this.#counts.set(call.method, (this.#counts.get(call.method) ?? 0) + 1)
    // An edge: the params were checked against this method's own schema.
    const handler = this.#handlers[call.method] as (params: unknown, call: AgentCall) => Promise<object>
    return handler(call.params, call)
  }

  #navigation() {
    const page = this.#page
    return {
      navigate: async ({ url, timeout_ms }: AgentParams<'navigate'>, { signal }: AgentCall) => {
        const timeout = timeout_ms === undefined ? {} : { timeoutMs: timeout_ms }
        return done(this.#options.guarded.navigate(url, { signal, ...timeout }))
      },
      go_back: async () => ({ ok: await page.goBack() }),
      go_forward: async () => ({ ok: await page.goForward() }),
      reload: async () => done(page.reload()),
      set_viewport: async ({ cols, rows }: AgentParams<'set_viewport'>) => {
        checkViewport(cols, rows)
        return done(page.setViewport(cols, rows))
      },
      set_zoom: async ({ percent }: AgentParams<'set_zoom'>) => {
        checkZoom(percent)
        return done(page.setZoom(percent))
      },
    }
  }

  #input() {
    const page = this.#page
    return {
      send_key: async (params: AgentParams<'send_key'>) => done(page.press(agentKeys(params))),
      type_text: async ({ text }: AgentParams<'type_text'>) => done(page.typeText(text)),
      paste: async ({ text }: AgentParams<'paste'>) => done(page.paste(text)),
      scroll: async ({ delta, row, col }: AgentParams<'scroll'>) =>
        done(page.scroll(delta, row === undefined || col === undefined ? undefined : { row, col })),
      click: async ({ row, col, ...options }: AgentParams<'click'>) =>
        done(page.click({ row, col }, options)),
      mouse_move: async ({ row, col, ...options }: AgentParams<'mouse_move'>) =>
        done(page.mouseMove({ row, col }, options)),
      mouse_down: async ({ row, col, ...options }: AgentParams<'mouse_down'>) =>
        done(page.mouseDown({ row, col }, options)),
      mouse_up: async ({ row, col, ...options }: AgentParams<'mouse_up'>) =>
        done(page.mouseUp({ row, col }, options)),
      drag: async ({ from, to, ...options }: AgentParams<'drag'>) => done(page.drag(from, to, options)),
      click_text: async ({ text, nth = 1, ignore_case }: AgentParams<'click_text'>) => {
        const matches = findInFrame(await this.#snapshots.frame(), text, ignore_case)
        const match = matches[nth - 1]
        if (match === undefined) {
          const many =
            matches.length === 0 ? 'is not on the screen' : `is there ${matches.length} times, not ${nth}`
          const message = `${JSON.stringify(text)} ${many}; scroll to it, or take a snapshot to see what is shown`
          throw new OpError('text_not_found', message, { text, matches: matches.length })
        }
        await page.click({ row: match.row, col: match.col })
        return { ok: true, row: match.row, col: match.col }
      },
    }
  }

  #looks() {
    const page = this.#page
    return {
      snapshot: async (params: AgentParams<'snapshot'>) => this.#snapshots.take(params),
      screenshot: async ({ full_page }: AgentParams<'screenshot'>) => {
        const png = await page.screenshot({ fullPage: full_page ?? false })
        return {
          width: png.readUInt32BE(16),
          height: png.readUInt32BE(20),
          png_b64: png.toString('base64'),
        }
      },
      get_title: async () => ({ title: safeText((await page.readState()).title) }),
      get_url: async () => ({ url: (await page.readState()).url }),
      get_nav_state: async () => {
        const { canGoBack, canGoForward } = await page.readState()
        return { can_go_back: canGoBack, can_go_forward: canGoForward }
      },
      find_text: async ({ text, ignore_case }: AgentParams<'find_text'>) => ({
        matches: findInFrame(await this.#snapshots.frame(), text, ignore_case),
      }),
      links: async () => ({
        links: linkRows(await page.links()),
      }),
    }
  }

  #dialogs() {
    const page = this.#page
    return {
      get_dialog: async () => ({ dialog: this.#snapshots.dialog() }),
      answer_dialog: async ({ accept, text }: AgentParams<'answer_dialog'>) =>
        done(page.answerDialog(accept, text)),
    }
  }

  #capabilities(): object {
    return {
      version: this.#options.version,
      features: Object.keys(AGENT_METHODS).flatMap((name) =>
        name === 'snapshot' ? ['snapshot:text', 'snapshot:ansi', 'snapshot:png', 'snapshot:since'] : [name],
      ),
      snapshot_formats: ['text', 'ansi', 'png'],
      platform: 'unix',
      session_id: this.#options.sessionId,
      data: {
        uptime_ms: Math.round(performance.now() - this.#startedMs),
        requests: Object.fromEntries(this.#counts),
        frames: this.#page.frame?.ordinal ?? 0,
        snapshots: this.#snapshots.metrics(),
      },
    }
  }
}

async function done(work: Promise<void>): Promise<object> {
  await work
  return OK
}
