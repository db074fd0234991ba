import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorAnswer } from './answer.ts'
import type { OriginRules } from './origin-guard.ts'

/** Answers with an error on a socket that Node's HTTP server has given away, and closes it. */
export function endWithError(socket: Duplex, rules: OriginRules, error: unknown): void {
  const { status, headers, body } = errorAnswer(rules, undefined, error)
  const all = { ...headers, connection: 'close', 'content-length': Buffer.byteLength(body) }
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}`,
    ...Object.entries(all).map(([name, value]) => `${name}: ${value}`),
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.once('finish', () => socket.destroy())
}
