import { ERROR_TABLE, OpError, isErrorCode, toWireError, type ErrorDetails } from './errors.ts'

/** JSON-RPC 2.0 as spoken on every stream: newline-delimited on sockets, one message a frame elsewhere. */
export type RequestId = string | number

export interface RpcRequest {
  jsonrpc: '2.0'
  id: RequestId
  method: string
  params?: unknown
}

export interface RpcNotification {
  jsonrpc: '2.0'
  method: string
  params?: unknown
}

export interface RpcSuccess {
  jsonrpc: '2.0'
  id: RequestId
  result: unknown
}

export interface RpcFailure {
  jsonrpc: '2.0'
  /** null when the request's own id could not be read, as the JSON-RPC specification asks. */
  id: RequestId | null
  error: { code: number; message: string; data?: { code: string; retryable: boolean; details: ErrorDetails } }
}

export type RpcMessage = RpcRequest | RpcNotification | RpcSuccess | RpcFailure

/** Asks the host to abandon a request that is in flight: `{ id }`. The name is the Language Server Protocol's. */
export const CANCEL_METHOD = '$/cancelRequest'
/** What a subscriber receives: `{ subscription, ... }`. */
export const SUBSCRIPTION_METHOD = 'subscription'

/**
 * The longest message either side accepts. A `create` carries the caller's whole environment (128 KiB is the
 * kernel's limit for one variable, 2 MiB the common limit for all), a snapshot of 1000×1000 styled cells a few
 * megabytes.
 */
export const FRAME_BYTES_MAX = 8 << 20

export function rpcFailure(id: RequestId | null, error: unknown): RpcFailure {
  const { code, message, retryable, details } = toWireError(error)
  return { jsonrpc: '2.0', id, error: { code: ERROR_TABLE[code].rpc, message, data: { code, retryable, details } } }
}

/** The OpError behind a failure. A foreign host may send codes that this version does not know. */
export function opErrorFrom(failure: RpcFailure['error']): OpError {
  const code = failure.data?.code
  if (isErrorCode(code)) return new OpError(code, failure.message, failure.data?.details ?? {})
  return new OpError('internal', failure.message, { rpc_code: failure.code, ...failure.data })
}
