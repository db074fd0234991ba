import { ERROR_TABLE, OpError, isErrorCode, toWireError, type ErrorDetails } from './errors.ts'

export * from './json-limits.ts'

/** JSON-RPC 2.0 as spoken on every stream: newline-delimited on sockets, one message a frame elsewhere. */
export type RequestId = string | number

export interface RpcRequest {
  jsonrpc: '2.0'
  id: RequestId
  method: string
  params?: unknown
  /** The principal that the request is made for; a host takes it from a local peer alone. */
  on_behalf_of?: unknown
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
  /** null if the request's own id could not be read, as the JSON-RPC specification asks. */
  id: RequestId | null
  error: { code: number; message: string; data?: { code: string; retryable: boolean; details: ErrorDetails } }
}

export type RpcAnswer = RpcSuccess | RpcFailure
export type RpcMessage = RpcRequest | RpcNotification | RpcAnswer

/** Asks the host to abandon a request that is in flight: `{ id }`. The name is the Language Server Protocol's. */
export const CANCEL_METHOD = '$/cancelRequest'
/** How far a request has come, sent before its answer: `{ id, ... }`. */
export const PROGRESS_METHOD = '$/progress'
/** What a subscriber receives: `{ subscription, ... }`. */
export const SUBSCRIPTION_METHOD = 'subscription'

/** The longest message of a caller. A `create` carries the caller's environment, for which 2 MiB is the kernel's common limit. */
export const REQUEST_BYTES_MAX = 8 << 20
/**
 * The longest message a host accepts: one of a caller's, with what a gateway or MCP adds before it passes it on. A
 * number like 1e20 takes five times the bytes when it is written again.
 */
export const PASSED_ON_BYTES_MAX = REQUEST_BYTES_MAX + (4 << 20)
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

/** A request as it came in; `id` is null for a notification. */
export interface ParsedRequest {
  readonly id: RequestId | null
  readonly method: string
  readonly params: unknown
  readonly onBehalfOf: unknown
}

/** The request in a JSON value; null if it is not a request. */
export function parseRequest(message: unknown): ParsedRequest | null {
  if (typeof message !== 'object' || message === null) return null
  if (!('jsonrpc' in message) || message.jsonrpc !== '2.0') return null
  if (!('method' in message) || typeof message.method !== 'string') return null
  const id = 'id' in message ? requestIdOf(message) : null
  if ('id' in message && id === null) return null
  const { method, params, on_behalf_of: onBehalfOf } = message as Partial<RpcRequest> & { method: string }
  return { id, method, params, onBehalfOf }
}

/** Whether a message answers a request. Such a message is never answered itself, however odd it is. */
export function isRpcResponse(message: unknown): message is RpcAnswer {
  if (typeof message !== 'object' || message === null || 'method' in message) return false
  return (
    'result' in message || ('error' in message && typeof message.error === 'object' && message.error !== null)
  )
}

/** The `id` of a message or of the parameters of a cancellation; null if it has none of a proper type. */
export function requestIdOf(message: unknown): RequestId | null {
  if (typeof message !== 'object' || message === null || !('id' in message)) return null
  return typeof message.id === 'string' || typeof message.id === 'number' ? message.id : null
}

/** The OpError that a failure carries. A foreign host may send codes that this version does not know. */
export function opErrorFrom(failure: RpcFailure['error']): OpError {
  const code = failure.data?.code
  if (isErrorCode(code)) return new OpError(code, failure.message, failure.data?.details ?? {})
  return new OpError('internal', failure.message, { rpc_code: failure.code, ...failure.data })
}
