import type { IncomingMessage } from 'node:http'
import { OpError } from '@transom/protocol/errors'
import { REQUEST_LIMITS, parseJson } from '@transom/protocol/jsonrpc'

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The JSON value of a request's body; undefined if the body is empty. Only application/json: a form or a plain
 * text is what a foreign page can send without asking first.
 */
export async function readJsonBody(incoming: IncomingMessage, bytesMax: number): Promise<unknown> {
  const type = incoming.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json') {
    const message = `the body must be application/json (got ${JSON.stringify(type ?? 'no Content-Type')})`
    throw new OpError('media_type_refused', message, { content_type: type ?? null })
  }
  const text = await readText(incoming, bytesMax)
  if (text.trim() === '') return undefined
  return parseJson(text, REQUEST_LIMITS)
}

async function readText(incoming: IncomingMessage, bytesMax: number): Promise<string> {
  const tooLarge = () =>
    new OpError('frame_too_large', `a body has at most ${bytesMax} bytes; split the request`, {
      bytes_max: bytesMax,
    })
  if (Number(incoming.headers['content-length'] ?? 0) > bytesMax) throw tooLarge()
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= bytesMax) {
        chunks.push(chunk)
      } else {
        chunks.length = 0
        incoming.pause()
        reject(tooLarge())
      }
    })
    incoming.on('end', () => {
      try {
        resolve(UTF8.decode(Buffer.concat(chunks)))
      } catch {
        reject(new OpError('parse_error', 'this message is not JSON in UTF-8'))
      }
    })
    incoming.on('error', reject)
    incoming.on('close', () => {
      if (!incoming.readableEnded) reject(new OpError('cancelled', 'the caller left'))
    })
  })
}
