import type * as http from 'node:http'
import * as https from 'node:https'
import type { Duplex } from 'node:stream'
import { OpError } from '@transom/protocol/errors'
import type { OriginRules } from './origin-guard.ts'
import { endWithError } from './raw-answer.ts'

/** Forms of HTTP requests that few clients use and every server understands. */

/**
 * Gives a request the one form that the rest knows: a path as its target, and one Host. Clients send `GET http://host/path`
 * to a proxy; the host in the target counts then, not the header (RFC 9112, section 3.2.2). `OPTIONS *` is about the
 * server as a whole. With two Hosts, a proxy before the gateway may have gone by the other one: neither counts.
 */
export function normalizeTarget(request: http.IncomingMessage): void {
  const { url = '', headers, headersDistinct } = request
  if ((headersDistinct['host']?.length ?? 0) > 1) delete headers.host
  if (url === '*') request.url = '/'
  const [, host, target] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url) ?? []
  if (host === undefined || target === undefined) return
  request.url = target.startsWith('/') ? target : `/${target}`
  headers.host = host
}

export function asksForWebSocket({ headers }: http.IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

export interface UpgradeRequest {
  readonly request: http.IncomingMessage
  readonly socket: Duplex
  /** What has come after the request's head. */
  readonly head: Buffer
}

/**
 * Serves a request that offers another protocol (`h2c`, as Java's HttpClient does) as if it did not, which is how a
 * server declines (RFC 9110, section 7.8). Node stops parsing where an upgrade is offered, so the rest of such a request
 * is not read: its head goes back to the connection without the offer, and is parsed again.
 */
export function declineUpgrade(server: http.Server, { request, socket, head }: UpgradeRequest): void {
  const { method, url, httpVersion, rawHeaders } = request
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2)
    // Node decodes header bytes as Latin-1 and they go back the same way.
    if (!OFFER_HEADERS.has(name.toLowerCase())) lines.push(`${name}: ${value}`)
  }
  if (/\bclose\b/i.test(request.headers.connection ?? '')) lines.push('connection: close')
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  server.emit(server instanceof https.Server ? 'secureConnection' : 'connection', socket)
}

const OFFER_HEADERS = new Set(['connection', 'upgrade', 'http2-settings'])

/** A gateway is no proxy. */
export function refuseConnect(socket: Duplex, rules: OriginRules): void {
  socket.on('error', () => {}) // the caller has left
  const message = 'the gateway is not a proxy: it takes no CONNECT'
  endWithError(socket, rules, new OpError('method_not_allowed', message, { allow: 'GET, POST' }))
}
