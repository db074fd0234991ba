import { ERROR_TABLE, toWireError, fullMessage, spellOperation } from '@transom/protocol/errors'
import { isAllowedOrigin, type OriginRules } from './origin-guard.ts'

export type Headers = Readonly<Record<string, string>>

export const SECURITY_HEADERS: Headers = {
  'cache-control': 'no-store', // a screen may hold anything
  'x-content-type-options': 'nosniff',
}

const JSON_HEADERS: Headers = { ...SECURITY_HEADERS, 'content-type': 'application/json' }
const NO_HEADERS: Headers = {}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

export function jsonAnswer(rules: OriginRules, origin: string | undefined, body: string): Answer {
  const cors = corsHeaders(rules, origin)
  return { status: 200, headers: cors === NO_HEADERS ? JSON_HEADERS : { ...JSON_HEADERS, ...cors }, body }
}

export function errorAnswer(rules: OriginRules, origin: string | undefined, error: unknown): Answer {
  const known = toWireError(error)
  const wire = { ...known, message: fullMessage(known, spellOperation) }
  const { retry_after_ms: retryAfterMs, allow } = wire.details
  const headers = {
    ...JSON_HEADERS,
    ...corsHeaders(rules, origin),
    ...(wire.code === 'unauthorized' ? { 'www-authenticate': 'Bearer' } : {}),
    ...(typeof retryAfterMs === 'number' ? { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) } : {}),
    ...(wire.code === 'method_not_allowed' ? { allow: typeof allow === 'string' ? allow : 'GET' } : {}),
    // What is left of a body that is too long is not read.
    ...(wire.code === 'frame_too_large' ? { connection: 'close' } : {}),
  }
  return { status: ERROR_TABLE[wire.code].http, headers, body: JSON.stringify({ error: wire }) }
}

export function corsHeaders(rules: OriginRules, origin: string | undefined): Headers {
  if (origin === undefined || !isAllowedOrigin(rules, origin)) return NO_HEADERS
  return { 'access-control-allow-origin': origin, vary: 'Origin' }
}
