import { OpError } from '@transom/protocol/errors'

export interface OriginRules {
  /** The scheme that clients use. */
  readonly scheme: 'http' | 'https'
  /** What a Host header may say, in lower case: `127.0.0.1:7317`. Null where no port belongs to it, on a Unix socket. */
  readonly hosts: ReadonlySet<string>
  /** Origins of other pages that may call the gateway, by name. */
  readonly allowedOrigins: ReadonlySet<string>
}

/** The headers that a browser sets and a page cannot. */
export interface OriginHeaders {
  readonly host: string | undefined
  readonly origin: string | undefined
}

/**
 * Refuses requests that a browser sends for a foreign page: a name that was rebound to this
 * address has a foreign Host, and a script of another page has a foreign Origin (also `null`, and also one that
 * differs in the port alone). Programs that are no browser send no Origin.
 */
export function assertOwnOrigin(rules: OriginRules, { host, origin }: OriginHeaders): void {
  const named = host?.toLowerCase()
  if (named === undefined || !rules.hosts.has(named)) {
    const message = `this gateway is not ${JSON.stringify(host ?? '')}; it answers as ${[...rules.hosts].join(', ')}, and "transom serve --allow-host NAME" adds a name`
    throw new OpError('origin_refused', message, { host: host ?? null })
  }
  if (origin === undefined || isAllowedOrigin(rules, origin) || origin === `${rules.scheme}://${named}`)
    return
  const message = `pages of ${JSON.stringify(origin)} may not use this gateway; "transom serve --allow-origin ORIGIN" lets one in by name`
  throw new OpError('origin_refused', message, { origin })
}

/**
 * Whether the browser reports that the request comes from the gateway's own page. Only then a cookie counts: browsers
 * also send it with requests of pages from other ports of this machine. They name an Origin for all but a plain GET
 * from the same one.
 */
export function isOwnPage(
  { scheme }: OriginRules,
  { host, origin }: OriginHeaders,
  { isGet, site }: { isGet: boolean; site: string | undefined },
): boolean {
  if (site !== undefined && site !== 'same-origin') return false
  if (origin === undefined) return isGet
  return origin === `${scheme}://${host?.toLowerCase()}`
}

/** Whether pages of this origin may read the answers (CORS). */
export function isAllowedOrigin({ allowedOrigins }: OriginRules, origin: string): boolean {
  return allowedOrigins.has(origin)
}

/** The names under which a gateway at this address is reached, with and without the scheme's own port. */
export function hostNames(scheme: 'http' | 'https', names: readonly string[], port: number): Set<string> {
  const standard = port === (scheme === 'http' ? 80 : 443)
  return new Set(
    names.flatMap((name) => {
      const bracketed = name.includes(':') ? `[${name}]` : name.toLowerCase()
      return standard ? [bracketed, `${bracketed}:${port}`] : [`${bracketed}:${port}`]
    }),
  )
}
