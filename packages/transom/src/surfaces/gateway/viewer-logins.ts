import { createHash, randomBytes } from 'node:crypto'
import type { Grant } from './token-store.ts'

/** A working day; then a new code is needed. */
export const LOGIN_SECONDS = 12 * 60 * 60
const LOGINS_MAX = 32 // browsers of one person; the one that has been there longest gives way
const SECRET_BYTES = 32

interface Login {
  readonly grant: Grant
  readonly expiresMs: number
}

/**
 * Browsers that have logged in: what their cookie is worth. Kept in memory only, by digest: the end of a
 * gateway ends all logins.
 */
export class ViewerLogins {
  readonly #now: () => number
  /** By the digest of the cookie: a lookup reveals nothing about the known ones. */
  readonly #logins = new Map<string, Login>()

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Returns the value of the cookie. The login is read-only, for all sessions. */
  open(): string {
    const secret = randomBytes(SECRET_BYTES).toString('base64url')
    const id = `viewer-${randomBytes(4).toString('hex')}`
    const created_at = new Date(this.#now()).toISOString()
    const grant: Grant = { kind: 'token', id, name: 'viewer', scope: 'read', sessions: null, created_at }
    this.#logins.set(digestOf(secret), { grant, expiresMs: this.#now() + LOGIN_SECONDS * 1000 })
    const [oldest] = this.#logins.keys()
    if (this.#logins.size > LOGINS_MAX && oldest !== undefined) this.#logins.delete(oldest)
    return secret
  }

  find(secret: string): Grant | null {
    const login = this.#logins.get(digestOf(secret))
    return login !== undefined && login.expiresMs > this.#now() ? login.grant : null
  }

  isValid({ id }: Grant): boolean {
    const now = this.#now()
    return [...this.#logins.values()].some(({ grant, expiresMs }) => grant.id === id && expiresMs > now)
  }

  end({ id }: Grant): void {
    for (const [digest, { grant }] of this.#logins) if (grant.id === id) this.#logins.delete(digest)
  }
}

function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64')
}
