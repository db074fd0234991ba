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
/** How far a request has come, sent before its answer: `{ id, ... }`. */
export const PROGRESS_METHOD = '$/progress'
/** What a subscriber receives: `{ subscription, ... }`. */
export const SUBSCRIPTION_METHOD = 'subscription'

/** The longest message a host accepts. A `create` carries the caller's environment, for which 2 MiB is the kernel's common limit. */
export const REQUEST_BYTES_MAX = 8 << 20
/** The longest message a client accepts: the largest screen, 10⁶ cells, with each cell in a style of its own. */
export const RESPONSE_BYTES_MAX = 256 << 20

export function rpcFailure(id: RequestId | null, error: unknown): RpcFailure {
  const { code, message, retryable, details } = toWireError(error)
  return {
    jsonrpc: '2.0',
    id,
    error: { code: ERROR_TABLE[code].rpc, message, data: { code, retryable, details } },
  }
}

/** The OpError behind a failure. A foreign host may send codes that this version does not know. */
export function opErrorFrom(failure: RpcFailure['error']): OpError {
  const code = failure.data?.code
  if (isErrorCode(code)) return new OpError(code, failure.message, failure.data?.details ?? {})
  return new OpError('internal', failure.message, { rpc_code: failure.code, ...failure.data })
}
