import type { OpError } from '@transom/protocol/errors'
import { platform } from '../../platform/current-platform.ts'
import type { Scope } from '../../lib/scope.ts'
import type { CdpClient } from './cdp-client.ts'
import { networkFlags } from './chromium-network-flags.ts'
import { FilteringProxy, type ProxyProblem } from './filtering-proxy.ts'
import { readUrl } from './host-pattern.ts'
import type { ResolveName } from './name-resolver.ts'
import { UrlPolicy, refusalError, type Refusal, type UrlPolicyOptions } from './url-policy.ts'

export interface NetworkGuardOptions extends UrlPolicyOptions {
  readonly scope?: Scope | undefined
  readonly resolve?: ResolveName
  readonly onProblem?: (problem: ProxyProblem) => void
}

const REFUSALS_KEPT_MAX = 64

/**
 * What stands between one browser and the network: the rules, the proxy that holds them, and the switches that leave
 * Chromium no other way. Open it before the browser, `watch` the browser once it runs, and close it after it.
 */
export class NetworkGuard {
  readonly policy: UrlPolicy
  readonly #proxy: FilteringProxy
  readonly #refused = new Map<string, Refusal>()

  static async open({
    scope,
    resolve,
    onProblem,
    ...rules
  }: NetworkGuardOptions = {}): Promise<NetworkGuard> {
    const policy = new UrlPolicy(rules)
    const proxy = await FilteringProxy.open({
      policy,
      scope,
      ...(resolve === undefined ? {} : { resolve }),
      ...(onProblem === undefined ? {} : { onProblem }),
    })
    return new NetworkGuard(policy, proxy)
  }

  private constructor(policy: UrlPolicy, proxy: FilteringProxy) {
    this.policy = policy
    this.#proxy = proxy
  }

  /** For Chromium's command line. */
  get flags(): string[] {
    return networkFlags(this.#proxy.address)
  }

  /** The URL as the browser writes it. Throws if it may not be opened. */
  checkUrl(url: string): string {
    return this.policy.checkNavigation(url).href
  }

  /** Why the guard refused to load a page; null if it did not. */
  problemAt(url: string): OpError | null {
    const refusal = this.#refused.get(url)
    return refusal === undefined ? this.#proxy.problemAt(url) : refusalError(url, refusal)
  }

  /**
   * Answers the proxy's question who the browser is, where it asks, and holds `--only-host`: which requests are for
   * documents (pages and frames) can be seen in the browser alone. For every tab, from now on.
   */
  async watch(cdp: CdpClient): Promise<void> {
    const asksWho = platform().lacks.loopbackPeerUid !== undefined
    if (!asksWho && !this.policy.limitsNavigation) return // nothing to answer: no request need wait for us
    cdp.on('Fetch.authRequired', ({ requestId, authChallenge }, session) => {
      const isOurs = authChallenge.source === 'Proxy'
      const authChallengeResponse = isOurs
        ? ({ response: 'ProvideCredentials', ...this.#proxy.credentials } as const)
        : ({ response: 'Default' } as const)
      quietly(cdp.call('Fetch.continueWithAuth', { requestId, authChallengeResponse }, { session }))
    })
    cdp.on('Fetch.requestPaused', ({ requestId, request }, session) => {
      const refusal = this.#refuse(request.url)
      quietly(
        refusal === null
          ? cdp.call('Fetch.continueRequest', { requestId }, { session })
          : cdp.call('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }, { session }),
      )
    })
    // A page that was loaded in advance (speculation rules) is shown without a request that could be paused.
    cdp.on('Page.frameNavigated', ({ frame }, session) => {
      if (/^https?:/.test(frame.url) && this.#refuse(frame.url) !== null)
        quietly(cdp.call('Page.navigate', { url: 'about:blank', frameId: frame.id }, { session }))
    })
    const documents = [{ urlPattern: '*', resourceType: 'Document' } as const]
    await cdp.call('Fetch.enable', {
      patterns: this.policy.limitsNavigation ? documents : [],
      handleAuthRequests: true,
    })
  }

  async close(): Promise<void> {
    await this.#proxy.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #refuse(text: string): Refusal | null {
    const url = readUrl(text)
    const refusal = url === null ? null : this.policy.refuseNavigation(url)
    this.#refused.delete(text)
    if (refusal === null) return null
    this.#refused.set(text, refusal)
    for (const old of this.#refused.keys())
      if (this.#refused.size > REFUSALS_KEPT_MAX) this.#refused.delete(old)
    return refusal
  }
}

/** A request whose tab has gone meanwhile needs no answer. */
function quietly(call: Promise<unknown>): void {
  call.catch(() => {})
}
