import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { OpError, toWireError } from '@transom/protocol/errors'
import { REQUEST_BYTES_MAX } from '@transom/protocol/jsonrpc'
import { assertScope } from '../host-calls/access.ts'
import type { Admission } from './admission.ts'
import { endWithError } from './raw-answer.ts'
import type { HostCalls } from '../host-calls/host-calls.ts'
import { StreamConnection } from './stream-connection.ts'
import type { StreamSlots } from './stream-slots.ts'
import type { Grant } from './token-store.ts'

const STREAM_PATH = '/v1/stream'
/** A page cannot set headers on a WebSocket: it offers this protocol, and its token as another. */
const STREAM_PROTOCOL = 'transom.v1'
const TOKEN_PROTOCOL_PREFIX = 'transom.bearer.'

export interface UpgradeParts {
  readonly admission: Admission
  readonly calls: HostCalls
  readonly slots: StreamSlots
  readonly debug: ((line: string) => void) | null
}

/** Turns a request for /v1/stream into a stream, after the checks that every request has. */
export class StreamUpgrades {
  readonly #parts: UpgradeParts
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: REQUEST_BYTES_MAX,
    perMessageDeflate: false, // its memory for each connection is more than the connection's own
    // Never a token: what is chosen here is sent back.
    handleProtocols: (offered) => (offered.has(STREAM_PROTOCOL) ? STREAM_PROTOCOL : false),
  })

  constructor(parts: UpgradeParts) {
    this.#parts = parts
  }

  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => {}) // the close that follows reports it
    try {
      const grant = this.#admit(request)
      this.#open(request, socket, head, grant)
    } catch (error) {
      this.#parts.debug?.(`GET ${STREAM_PATH} refused: ${toWireError(error).code}`)
      endWithError(socket, this.#parts.admission.rules, error)
    }
  }

  #admit(request: IncomingMessage): Grant {
    const { admission } = this.#parts
    const { host, origin } = request.headers
    admission.checkOrigin({ host, origin })
    const offered = tokenOffered(request.headers['sec-websocket-protocol'])
    const grant = admission.identify(request, offered)
    assertScope(grant, 'read', STREAM_PATH)
    admission.count(grant)
    if (new URL(request.url ?? '', 'http://gateway').pathname !== STREAM_PATH)
      throw new OpError('unknown_operation', `there is no WebSocket but ${STREAM_PATH}`, {
        path: request.url,
      })
    return grant
  }

  #open(request: IncomingMessage, socket: Duplex, head: Buffer, grant: Grant): void {
    const { admission, calls, slots, debug } = this.#parts
    const slot = slots.take({ grant, close: () => socket.destroy() })
    socket.once('close', () => slot.release())
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      debug?.(`GET ${STREAM_PATH} 101`)
      new StreamConnection({
        webSocket,
        socket,
        grant,
        calls,
        countRequest: (caller) => admission.count(caller),
        isValid: (caller) => admission.isValid(caller),
      })
    })
  }
}

function tokenOffered(protocols: string | undefined): string | null {
  const offered = (protocols ?? '').split(',').map((protocol) => protocol.trim())
  const found = offered.find((protocol) => protocol.startsWith(TOKEN_PROTOCOL_PREFIX))
  return found === undefined ? null : found.slice(TOKEN_PROTOCOL_PREFIX.length)
}
