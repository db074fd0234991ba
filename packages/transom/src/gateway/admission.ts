import { OpError } from '@transom/protocol/errors'
import { assertOwnOrigin, type OriginHeaders, type OriginRules } from './origin-guard.ts'
import { RateLimiter } from './rate-limiter.ts'
import type { Grant, TokenStore } from './token-store.ts'

/** Wrong tokens from one address: nobody types faster, and a program that has a wrong one need not ask again. */
const FAILURES_PER_SECOND = 5

/** Who is let in: the same checks for a request, an upgrade to a WebSocket and each message on one. */
export class Admission {
  readonly rules: OriginRules
  readonly #tokens: TokenStore
  readonly #requests: RateLimiter
  readonly #failures = new RateLimiter(FAILURES_PER_SECOND)

  constructor(rules: OriginRules, tokens: TokenStore, requestsPerSecond: number) {
    this.rules = rules
    this.#tokens = tokens
    this.#requests = new RateLimiter(requestsPerSecond)
  }

  checkOrigin(headers: OriginHeaders): void {
    assertOwnOrigin(this.rules, headers)
  }

  /** What the token of an Authorization header allows. */
  identify(authorization: string | undefined, address: string | undefined): Grant {
    const [, token] = /^Bearer +([^ ]+) *$/i.exec(authorization ?? '') ?? []
    return this.identifyToken(token, address)
  }

  identifyToken(token: string | undefined, address: string | undefined): Grant {
    const grant = token === undefined ? null : this.#tokens.verify(token)
    if (grant !== null) return grant
    this.#failures.take(address ?? '', 'requests without a valid token')
    const message =
      token === undefined
        ? 'a token is needed: send "Authorization: Bearer TOKEN"; "transom token create" makes one'
        : 'this token is not known here; "transom token create" makes another'
    throw new OpError('unauthorized', message)
  }

  isValid(grant: Grant): boolean {
    return this.#tokens.isValid(grant)
  }

  /** Throws `rate_limited` when a token has been used too often. */
  count({ id }: Grant): void {
    this.#requests.take(id, 'requests with this token')
  }
}
