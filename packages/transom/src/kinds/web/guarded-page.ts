import { OpError } from '@transom/protocol/errors'
import type { Scope } from '../../lib/scope.ts'
import { Chromium } from './chromium.ts'
import { ChromiumPage } from './chromium-page.ts'
import type { FrameDecoder } from './frame-decoder.ts'
import { NetworkGuard } from './network-guard.ts'

export interface GuardedPageOptions {
  /** Owns everything that goes on beside the calls; left out, an error in it ends the process. */
  readonly scope?: Scope | undefined
  readonly env: NodeJS.ProcessEnv
  readonly cols: number
  readonly rows: number
  readonly zoomPercent?: number | undefined
  readonly allowHosts?: readonly string[] | undefined
  readonly onlyHosts?: readonly string[] | undefined
  /** A folder that outlives the browser; without one nothing is kept. */
  readonly profileFolder?: string | undefined
  /** The mark by which its processes are found (ADR 004). */
  readonly mark?: bigint | undefined
  /** Gets the browser's process id, so that only Node reaps it. */
  readonly reaper?: { leave(pid: number): void; forget(pid: number): void } | undefined
  readonly decoder: FrameDecoder
  /** Called with the reason if the browser runs without a sandbox. */
  readonly onUnsandboxed?: ((why: string) => void) | undefined
}

/** A page in its own browser, with its own network guard. */
export class GuardedPage {
  readonly page: ChromiumPage
  readonly #guard: NetworkGuard

  static async open(options: GuardedPageOptions): Promise<GuardedPage> {
    const { scope, env, cols, rows, decoder } = options
    const guard = await NetworkGuard.open({
      scope,
      allowHosts: options.allowHosts ?? [],
      onlyHosts: options.onlyHosts ?? [],
    })
    const start = async () => {
      const chromium = await Chromium.start({
        scope,
        env,
        flags: guard.flags,
        fontconfigFile: await decoder.fontconfigFile(env),
        profileFolder: options.profileFolder,
        mark: options.mark,
        reaper: options.reaper,
      })
      await guard.watch(chromium.cdp)
      if (chromium.unsandboxed !== null) options.onUnsandboxed?.(chromium.unsandboxed)
      return chromium
    }
    try {
      const scale = (options.zoomPercent ?? 100) / 100
      const checkUrl = (url: string) => guard.checkUrl(url)
      return new GuardedPage(await ChromiumPage.open({ start, decoder, cols, rows, scale, checkUrl }), guard)
    } catch (error) {
      await guard.close()
      throw error
    }
  }

  private constructor(page: ChromiumPage, guard: NetworkGuard) {
    this.page = page
    this.#guard = guard
  }

  /** The address as the browser writes it. Throws if it may not be opened. */
  checkUrl(url: string): string {
    return this.#guard.checkUrl(url)
  }

  /** Why a page could not be loaded, if more is known than the browser reports. */
  problemAt(url: string): Error | null {
    return this.#guard.problemAt(url)
  }

  /** Loads an address that may be opened. The error has the reason, also if the guard refused it. */
  async navigate(url: string, options: { timeoutMs?: number; signal?: AbortSignal } = {}): Promise<void> {
    const address = this.checkUrl(url)
    const failed = await this.page.navigate(address, options).then(
      () => null,
      (error: unknown) => error,
    )
    const isTold = failed === null || (failed instanceof OpError && failed.code === 'navigation_failed')
    const problem = (isTold ? this.problemAt(address) : null) ?? failed
    if (problem !== null) throw problem
  }

  /** Ends the browser, and then its network guard. */
  async close(): Promise<void> {
    try {
      await this.page.close()
    } finally {
      await this.#guard.close()
    }
  }
}
