// @ts-check
/**
 * `node http-load.mjs PORT CONNECTIONS REQUESTS`, with `{ path, headers, body }` on standard input: keeps one request
 * in flight on each connection, as wrk does, and prints `{ p50, p99, seconds }`, the first two in milliseconds.
 * On bare sockets, so that little of the machine goes to the asking.
 */
import * as net from 'node:net'
import { text } from 'node:stream/consumers'
import { quantile } from '../measure.mjs'

const [port, connections, requests] = process.argv.slice(2).map(Number)
/** @type {{ path: string, headers: Record<string, string>, body: string }} */
const { path, headers, body } = JSON.parse(await text(process.stdin))
const head = [
  `POST ${path} HTTP/1.1`,
  `Host: 127.0.0.1:${port}`,
  `Content-Length: ${Buffer.byteLength(body)}`,
]
const message = Buffer.from(
  `${[...head, ...Object.entries(headers).map((entry) => entry.join(': '))].join('\r\n')}\r\n\r\n${body}`,
)

/** @type {number[]} */
const samples = []
let left = requests ?? 0
const startMs = performance.now()
await Promise.all(Array.from({ length: connections ?? 1 }, () => keepAsking()))
const seconds = (performance.now() - startMs) / 1000
samples.sort((a, b) => a - b)
console.log(JSON.stringify({ p50: quantile(samples, 0.5), p99: quantile(samples, 0.99), seconds }))

/** @returns {Promise<void>} */
async function keepAsking() {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port ?? 0, '127.0.0.1')
    socket.setNoDelay(true)
    let received = Buffer.alloc(0)
    let askedMs = 0
    const ask = () => {
      if (left-- <= 0) {
        socket.destroy()
        resolve()
        return
      }
      askedMs = performance.now()
      socket.write(message)
    }
    socket.on('connect', ask)
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const end = received.indexOf('\r\n\r\n')
      if (end < 0) return
      const answer = received.toString('latin1', 0, end)
      if (!answer.startsWith('HTTP/1.1 200')) return reject(new Error(received.toString('utf8', 0, 500)))
      const length = Number(/content-length: (\d+)/i.exec(answer)?.[1])
      if (received.length < end + 4 + length) return
      received = Buffer.alloc(0)
      samples.push(performance.now() - askedMs)
      ask()
    })
  })
}
