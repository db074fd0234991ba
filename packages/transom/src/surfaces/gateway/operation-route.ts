import type { IncomingMessage, ServerResponse } from 'node:http'
import { OpError } from '@transom/protocol/errors'
import { REQUEST_BYTES_MAX } from '@transom/protocol/jsonrpc'
import { assertScope } from '../host-calls/access.ts'
import type { Admission } from './admission.ts'
import { errorAnswer, jsonAnswer, type Answer } from './answer.ts'
import type { HostCalls } from '../host-calls/host-calls.ts'
import { readJsonBody } from './request-body.ts'

export interface OperationParts {
  readonly calls: HostCalls
  readonly admission: Admission
  /** Null if debug output is off. */
  readonly debug: ((line: string) => void) | null
}

/** The operation that a request is for; null if it is for something else. */
export function operationOf({ method, url = '' }: IncomingMessage): string | null {
  if (method !== 'POST') return null
  const [, operation = null] = /^\/v1\/([^/?#]+)(?:\?|$)/.exec(url) ?? []
  return operation
}

/**
 * Calls an operation and answers with its result. On Node's own request and response: nearly every request is one of
 * these, and the objects of a router would cost as much as all the rest of it.
 */
export async function serveOperation(
  parts: OperationParts,
  operation: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const startMs = performance.now()
  const { status, headers, body } = await answerOf(parts, operation, incoming, outgoing)
  parts.debug?.(`POST /v1/${operation} ${status} ${(performance.now() - startMs).toFixed(1)} ms`)
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  outgoing.end(body)
}

async function answerOf(
  { admission, calls }: OperationParts,
  operation: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<Answer> {
  const { host, origin } = incoming.headers
  try {
    admission.checkOrigin({ host, origin })
    const grant = admission.identify(incoming)
    assertScope(grant, 'read', operation)
    admission.count(grant)
    const params = await readJsonBody(incoming, REQUEST_BYTES_MAX)
    const json = await calls.callText(grant, operation, params ?? {}, callerLeft(outgoing))
    return jsonAnswer(admission.rules, origin, json)
  } catch (error) {
    return errorAnswer(admission.rules, origin, error)
  }
}

/** Aborts when the caller goes before it has its answer. */
export function callerLeft(outgoing: ServerResponse): AbortSignal {
  const controller = new AbortController()
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) controller.abort(new OpError('cancelled', 'the caller left'))
  })
  return controller.signal
}
