import { ERROR_CHARS_MAX } from './limits.ts'

/**
 * Every way the runtime refuses or fails, once (spec section 8). The JSON-RPC numbers are this runtime's choice:
 * the spec only gives -32600 for a malformed command.
 */
export const ERROR_TABLE = {
  E_INVALID_CMD: { rpc: -32600, recoverable: true },
  E_NOT_FOUND: { rpc: -32001, recoverable: true },
  E_PERMISSION: { rpc: -32002, recoverable: false },
  E_TIMEOUT: { rpc: -32003, recoverable: true },
  E_INTERNAL: { rpc: -32603, recoverable: false },
} as const

export type AotuiErrorCode = keyof typeof ERROR_TABLE

/** `reason` is a short machine-readable word for the case; the other keys depend on it. */
export type AotuiErrorData = Readonly<Record<string, unknown>>

export class AotuiError extends Error {
  readonly code: AotuiErrorCode
  readonly data: AotuiErrorData

  constructor(
    code: AotuiErrorCode,
    message: string,
    data: AotuiErrorData = {},
    options?: { cause?: unknown },
  ) {
    super(message, options)
    this.name = 'AotuiError'
    this.code = code
    this.data = data
  }

  get recoverable(): boolean {
    return ERROR_TABLE[this.code].recoverable
  }
}

/** The error response of spec section 8.2. */
export interface JsonRpcErrorResponse {
  jsonrpc: '2.0'
  error: { code: number; message: string; data: { recoverable: boolean } & Record<string, unknown> }
  id: string | number | null
}

export function toJsonRpcError(error: unknown, id: string | number | null = null): JsonRpcErrorResponse {
  const known = toAotuiError(error)
  const { rpc, recoverable } = ERROR_TABLE[known.code]
  return {
    jsonrpc: '2.0',
    error: {
      code: rpc,
      message: `${known.code}: ${known.message}`,
      data: { ...known.data, recoverable },
    },
    id,
  }
}

/** What is not one of our errors is a bug, and says so. */
export function toAotuiError(error: unknown): AotuiError {
  if (error instanceof AotuiError) return error
  return new AotuiError('E_INTERNAL', errorText(error), { reason: 'bug' }, { cause: error })
}

export function errorText(error: unknown): string {
  if (error instanceof Error) return error.message === '' ? error.name : error.message
  return String(error)
}

/** An error as it crosses the channel between an app process and the desktop. */
export interface WireError {
  code: AotuiErrorCode
  message: string
  data: Record<string, unknown>
}

export function toWireError(error: unknown): WireError {
  const known = toAotuiError(error)
  return {
    code: known.code,
    message: known.message.slice(0, ERROR_CHARS_MAX),
    data: Object.fromEntries(Object.entries(known.data).flatMap(wireEntry)),
  }
}

/** Only plain values cross the channel. */
function wireEntry([name, value]: [string, unknown]): [string, string | number | boolean | null][] {
  if (typeof value === 'string') return [[name, value.slice(0, ERROR_CHARS_MAX)]]
  if (value === null || typeof value === 'boolean' || Number.isFinite(value))
    return [[name, value as number | boolean | null]]
  return []
}

export function fromWireError(wire: WireError): AotuiError {
  return new AotuiError(wire.code, wire.message, { ...wire.data })
}
