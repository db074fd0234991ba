import { OpError, next, type NextStep } from '@transom/protocol/errors'
import { hostOf, parseHostPattern, readUrl, type HostName, type HostPattern } from './host-pattern.ts'
import { judgeAddress, type AddressKind } from './ip-ranges.ts'

export interface UrlPolicyOptions {
  /** Hosts that may be reached although they are on this machine or in a private network (`--allow-host`). */
  readonly allowHosts?: readonly string[]
  /** When given, the only hosts that pages and frames come from (`--only-host`); scripts and images are not limited. */
  readonly onlyHosts?: readonly string[]
}

/** Why something may not be loaded: a rule's name for programs, a sentence for readers. */
export interface Refusal {
  readonly rule: 'scheme' | 'credentials' | 'not_a_url' | 'only_host' | 'own_proxy' | AddressKind
  readonly reason: string
  /** What makes it possible; null if nothing does. */
  readonly remedy: string | null
  /** A remedy that is a parameter of the session. */
  readonly next?: NextStep
}

const URL_CHARS_SHOWN_MAX = 300 // a data: URL can have megabytes
/** As long as Chromium takes in its address line. */
const URL_CHARS_MAX = 2 << 20

/**
 * What a browser that an agent drives may load. Any page may be hostile, and may try to reach what only this machine
 * can: its own services, its network's, its cloud's credentials. The same rules are asked at two places: for what is
 * asked for by name (`checkNavigation`), and by the filtering proxy for each connection, with the address it goes to.
 */
export class UrlPolicy {
  readonly #allowed: readonly HostPattern[]
  readonly #only: readonly HostPattern[] | null

  constructor({ allowHosts = [], onlyHosts }: UrlPolicyOptions = {}) {
    this.#allowed = allowHosts.map(parseHostPattern)
    this.#only = onlyHosts === undefined || onlyHosts.length === 0 ? null : onlyHosts.map(parseHostPattern)
  }

  /** Whether page navigations must be looked at one by one, because the proxy cannot tell them from other requests. */
  get limitsNavigation(): boolean {
    return this.#only !== null
  }

  /** The URL to navigate to, as the browser will write it. Throws if it may not be opened. */
  checkNavigation(text: string): URL {
    const url = text.length > URL_CHARS_MAX ? null : readUrl(text.trim())
    const refusal = url === null ? NOT_A_URL : this.refuseNavigation(url)
    if (url === null || refusal !== null) throw refusalError(text, refusal ?? NOT_A_URL)
    return url
  }

  /** Why a page may not be opened from this URL, judged by the URL alone; null if it may. */
  refuseNavigation(url: URL): Refusal | null {
    if (url.href === 'about:blank' || /^about:blank[?#]/.test(url.href)) return null
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return refusedScheme(url.protocol)
    if (url.username !== '' || url.password !== '') return CREDENTIALS
    const host = hostOf(url)
    if (this.#only !== null && !this.#only.some((pattern) => namesHost(pattern, host))) {
      return notListed(host, this.#only)
    }
    return this.refuseHost(host)
  }

  /** Why no connection may be made to a host, judged by its name alone; null if its addresses decide. */
  refuseHost(host: HostName): Refusal | null {
    const literal = judgeAddress(host.name)
    if (literal !== null) return this.refuseAddress(host, host.name)
    const isLocal = isLocalhost(host.name)
    return isLocal && !this.#allowsName(host) ? refusedKind('loopback', host, host.name) : null
  }

  /**
   * Why no connection to a host may go to this address; null if it may. A name that was allowed may be anywhere in
   * private networks; where clouds keep credentials is allowed by its address alone, since names can be rebound.
   */
  refuseAddress(host: HostName, address: string): Refusal | null {
    const judged = judgeAddress(address)
    if (judged === null) return NOT_A_URL
    if (judged.kind === 'public') return null
    const allowsAddress = (text: string) =>
      this.#allowed.some((pattern) => atPort(pattern, host) && pattern.matchesAddress(text))
    if (allowsAddress(address) || (judged.embedded !== null && allowsAddress(judged.embedded))) return null
    const byName = judged.kind !== 'metadata' && judged.kind !== 'link_local' && judged.kind !== 'multicast'
    if (byName && this.#allowsName(host)) return null
    return refusedKind(
      judged.kind,
      host,
      judged.embedded === null ? address : `${address} (${judged.embedded})`,
    )
  }

  #allowsName(host: HostName): boolean {
    return this.#allowed.some((pattern) => namesHost(pattern, host))
  }
}

/** `localhost` and all below it are this machine, whatever a resolver says (RFC 6761). */
export function isLocalhost(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost')
}

/** The error for the caller that asked for the URL. */
export function refusalError(url: string, refusal: Refusal): OpError {
  const shown = url.length > URL_CHARS_SHOWN_MAX ? `${url.slice(0, URL_CHARS_SHOWN_MAX)}…` : url
  const isMalformed = ['not_a_url', 'scheme', 'credentials'].includes(refusal.rule)
  const remedy = refusal.remedy === null ? '' : `; ${refusal.remedy}`
  const message = `${JSON.stringify(shown)} is not opened: ${refusal.reason}${remedy}`
  return new OpError(isMalformed ? 'invalid_url' : 'url_refused', message, {
    url: shown,
    rule: refusal.rule,
    ...(refusal.next === undefined ? {} : next(refusal.next)),
  })
}

const KIND_WORDS: Readonly<Record<Exclude<AddressKind, 'public'>, string>> = {
  loopback: 'this machine itself',
  private: 'a private network',
  shared: 'a provider’s shared address space (CGNAT)',
  link_local: 'the local link',
  unique_local: 'a private IPv6 network',
  metadata: 'a cloud’s metadata service, which hands out credentials',
  unspecified: 'no host, or this machine itself',
  multicast: 'a multicast group',
  reserved: 'address space that is not public',
}

const NOT_A_URL: Refusal = {
  rule: 'not_a_url',
  reason: 'it is not a complete URL',
  remedy: 'give one such as https://example.com/',
}

const CREDENTIALS: Refusal = {
  rule: 'credentials',
  reason: 'it carries a user name or password, which hides the host and would be logged',
  remedy: 'leave them out and fill in the page’s form',
}

function refusedScheme(protocol: string): Refusal {
  const reason = `only http:, https: and about:blank are, and this is ${JSON.stringify(protocol.slice(0, 40))}`
  return { rule: 'scheme', reason, remedy: protocol === 'file:' ? 'serve the file over HTTP' : null }
}

function notListed({ name }: HostName, only: readonly HostPattern[]): Refusal {
  const reason = `${name} is not among the hosts that pages may be opened from (${only.map(({ text }) => text).join(', ')})`
  return { rule: 'only_host', reason, remedy: null, next: startWith({ only_hosts: [name] }) }
}

function refusedKind(kind: Exclude<AddressKind, 'public'>, host: HostName, address: string): Refusal {
  const where = host.name === address ? host.name : `${host.name}, at ${address},`
  const isByAddress = kind === 'metadata' || kind === 'link_local' || kind === 'multicast'
  const bare = address.replace(/^.*\((.*)\)$/, '$1')
  const allow = authority(isByAddress ? bare : host.name, host.port)
  return {
    rule: kind,
    reason: `${where} is ${KIND_WORDS[kind]}`,
    remedy: null,
    next: startWith({ allow_hosts: [allow] }),
  }
}

/** With its port: what listens at another one was not asked for. */
function authority(name: string, port: number): string {
  return `${name.includes(':') ? `[${name}]` : name}:${port}`
}

function startWith(set: Readonly<Record<string, unknown>>): NextStep {
  return { set, of: 'session.create', does: 'if pages may reach it, start the browser' }
}

function namesHost(pattern: HostPattern, host: HostName): boolean {
  return atPort(pattern, host) && pattern.matchesName(host.name)
}

function atPort(pattern: HostPattern, { port }: HostName): boolean {
  return pattern.port === null || pattern.port === port
}
