import type { IncomingMessage } from 'node:http'
import { OpError } from '@transom/protocol/errors'
import type { Connections } from './connections.ts'
import type { LoginCodes } from './login-codes.ts'
import { assertOwnOrigin, isOwnPage, type OriginHeaders, type OriginRules } from './origin-guard.ts'
import { RateLimiter } from './rate-limiter.ts'
import type { Grant, TokenStore } from './token-store.ts'
import { LOGIN_SECONDS, type ViewerLogins } from './viewer-logins.ts'

/** Wrong tokens from one address: no person types faster, and a program with a wrong one need not ask again. */
const FAILURES_PER_SECOND = 5

export interface AdmissionParts {
  readonly rules: OriginRules
  readonly tokens: TokenStore
  readonly codes: LoginCodes
  readonly logins: ViewerLogins
  readonly connections: Connections
  /** Distinguishes the cookies of gateways: browsers keep one set for all ports of a machine. */
  readonly port: number
  readonly requestsPerSecond: number
}

/** Who is let in: the same checks for a request, an upgrade to a WebSocket and each message on one. */
export class Admission {
  readonly rules: OriginRules
  readonly #parts: AdmissionParts
  readonly #requests: RateLimiter
  readonly #failures = new RateLimiter(FAILURES_PER_SECOND)

  constructor(parts: AdmissionParts) {
    this.rules = parts.rules
    this.#parts = parts
    this.#requests = new RateLimiter(parts.requestsPerSecond)
  }

  checkOrigin(headers: OriginHeaders): void {
    assertOwnOrigin(this.rules, headers)
  }

  /** What the token of a request allows, or the cookie of a page of ours. `offered` is a token from elsewhere in it. */
  identify(request: IncomingMessage, offered: string | null = null): Grant {
    const grant =
      offered === null ? this.#findGrant(request) : this.#identifyToken(offered, request.socket.remoteAddress)
    this.#parts.connections.keep(request.socket, grant.id)
    return grant
  }

  isValid(grant: Grant): boolean {
    const { tokens, logins } = this.#parts
    return tokens.isValid(grant) || logins.isValid(grant)
  }

  /** Takes a code and returns the cookie for it. */
  logIn(code: string, address: string | undefined): string {
    if (!this.#parts.codes.take(code)) {
      this.#failures.take(address ?? '', 'wrong login codes')
      throw new OpError('unauthorized', 'this code is not valid, or no longer; "transom login" makes another')
    }
    return this.#cookie(this.#parts.logins.open(), LOGIN_SECONDS)
  }

  /** Ends a login and returns the cookie that takes it out of the browser. */
  logOut(grant: Grant): string {
    this.#parts.logins.end(grant)
    return this.#cookie('', 0)
  }

  /** Throws `rate_limited` when a token has been used too often. */
  count({ id }: Grant): void {
    this.#requests.take(id, 'requests with this token')
  }

  #findGrant({ headers, method, socket }: IncomingMessage): Grant {
    const { authorization, host, origin } = headers
    const secret = authorization === undefined ? this.#cookieOf(headers.cookie) : undefined
    if (secret === undefined) {
      const [, token] = /^Bearer +([^ ]+) *$/i.exec(authorization ?? '') ?? []
      return this.#identifyToken(token, socket.remoteAddress)
    }
    const isGet = method === 'GET' && headers.upgrade === undefined
    const site = headers['sec-fetch-site']?.toString()
    if (!isOwnPage(this.rules, { host, origin }, { isGet, site }))
      throw new OpError('origin_refused', 'a login counts only for pages of this gateway', {
        origin: origin ?? null,
      })
    const grant = this.#parts.logins.find(secret)
    if (grant !== null) return grant
    this.#failures.take(socket.remoteAddress ?? '', 'requests without a valid login')
    throw new OpError('unauthorized', 'this login has ended; "transom login" begins another')
  }

  #identifyToken(token: string | undefined, address: string | undefined): Grant {
    const grant = token === undefined ? null : this.#parts.tokens.verify(token)
    if (grant !== null) return grant
    this.#failures.take(address ?? '', 'requests without a valid token')
    const message =
      token === undefined
        ? 'a token is needed: send "Authorization: Bearer TOKEN"; "transom token create" makes one'
        : 'this token is not known here; "transom token create" makes another'
    throw new OpError('unauthorized', message)
  }

  #cookie(secret: string, seconds: number): string {
    const secure = this.rules.scheme === 'https' ? '; Secure' : ''
    return `${this.#cookieName}=${secret}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`
  }

  #cookieOf(header: string | undefined): string | undefined {
    const prefix = `${this.#cookieName}=`
    const pairs = (header ?? '').split(';').map((pair) => pair.trim())
    return pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length)
  }

  get #cookieName(): string {
    return `transom-viewer-${this.#parts.port}`
  }
}
