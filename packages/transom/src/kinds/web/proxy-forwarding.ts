import * as http from 'node:http'
import type * as net from 'node:net'
import { pipeline } from 'node:stream'

export interface ForwardedRequest {
  readonly url: URL
  readonly request: http.IncomingMessage
  readonly response: http.ServerResponse
  /** Connected to where the request is to go. */
  readonly upstream: net.Socket
}

/** Headers about one connection, not about the request (RFC 9110, 7.6.1); each side of the proxy makes its own. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Sends a plain HTTP request on and its answer back, as they are but for what concerns a single connection. */
export function forwardRequest({ url, request, response, upstream }: ForwardedRequest): void {
  if (response.destroyed) return void upstream.destroy() // the client has left
  const isChunked = request.headers['transfer-encoding'] !== undefined
  const onward = http.request({
    method: request.method ?? 'GET',
    path: `${url.pathname}${url.search}`,
    headers: [
      ...endToEnd(request.rawHeaders, ['host']),
      'Host',
      url.host,
      'Connection',
      'close',
      ...(isChunked ? ['Transfer-Encoding', 'chunked'] : []),
    ],
    setHost: false,
    createConnection: () => upstream,
  })
  response.once('close', () => upstream.destroy())
  onward.on('response', (answer) => {
    if (!sendHead(response, answer)) {
      upstream.destroy()
      return problemPage(response, 502, `${url.href} was not loaded: the server's answer is not valid HTTP`)
    }
    // Cut short by either side, the other is cut short, too: half an answer must not look whole.
    pipeline(answer, response, (error) => (error ? response.destroy() : undefined))
  })
  onward.on('error', (error) => {
    if (response.headersSent) response.destroy()
    else problemPage(response, 502, `${url.href} was not loaded: the server broke off (${error.message})`)
  })
  pipeline(request, onward, (error) => (error ? onward.destroy() : undefined))
}

/**
 * False if the head cannot be written: Node reads a status below 100 and a control character in the reason, but
 * refuses to write them.
 */
function sendHead(response: http.ServerResponse, answer: http.IncomingMessage): boolean {
  response.sendDate = false
  try {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? '', endToEnd(answer.rawHeaders))
    return true
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return false
    throw error
  }
}

/** An answer of the proxy's own: plain words, nothing that a browser could run. */
export function problemPage(response: http.ServerResponse, status: number, message: string): void {
  const reason = http.STATUS_CODES[status] ?? ''
  const title = `${status} ${reason}`
  const page = `<!doctype html><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${escaped(message)}</p>\n`
  // With an explicit reason: otherwise that of an earlier head that could not be written would be used.
  response.writeHead(status, reason, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(page),
    'Content-Security-Policy': "default-src 'none'",
    'Cache-Control': 'no-store',
    Connection: 'close',
  })
  response.end(page)
}

/** Names and values in turn, without what is for one connection: the known ones, and what `Connection` lists. */
function endToEnd(rawHeaders: readonly string[], without: readonly string[] = []): string[] {
  const pairs = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : [],
  )
  const listed = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(/\s*,\s*/))
  const dropped = new Set([...HOP_BY_HOP, ...listed, ...without])
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase())).flat()
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
