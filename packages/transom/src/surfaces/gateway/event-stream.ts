import type { ServerResponse } from 'node:http'
import type { Params, Principal } from '@transom/protocol'
import type { GatewayCalls } from './gateway-calls.ts'
import { Subscriber, type StreamMessage } from './subscriber.ts'

/** Proxies and browsers take a silent connection for a dead one. */
const KEEP_ALIVE_MS = 15_000

export interface EventStreamOptions {
  readonly calls: GatewayCalls
  readonly principal: Principal
  /** Checked against the token; the host validates them. */
  readonly params: unknown
  readonly outgoing: ServerResponse
  readonly headers: Readonly<Record<string, string>>
  /** Aborts when the caller has left. */
  readonly signal: AbortSignal
  readonly onEnd: () => void
}

/** A subscription as Server-Sent Events: the type as `event`, the seq as `id`, the message as `data`. */
export async function streamEvents(options: EventStreamOptions): Promise<void> {
  const { calls, outgoing, signal } = options
  const subscriber = new Subscriber(calls, options.principal)
  const keepAlive = setInterval(() => outgoing.write(': \n\n'), KEEP_ALIVE_MS)
  const end = () => {
    clearInterval(keepAlive)
    subscriber.close()
    options.onEnd()
  }
  const send = (message: StreamMessage) => {
    if (!outgoing.write(frame(message))) subscriber.pause()
    if (message.type === 'end' || message.type === 'error') outgoing.end()
  }
  const early: StreamMessage[] = []
  let started = false
  try {
    signal.throwIfAborted()
    const params = options.params as Params<'session.subscribe'> // the host validates
    await subscriber.subscribe(params, (message) => {
      if (started) send(message)
      else early.push(message)
    })
    signal.throwIfAborted()
  } catch (error) {
    end()
    throw error
  }
  outgoing.on('drain', () => subscriber.resume())
  outgoing.on('close', end)
  outgoing.writeHead(200, { ...options.headers, 'content-type': 'text/event-stream' })
  started = true
  for (const message of early) send(message)
}

function frame(message: StreamMessage): string {
  const seq = seqOf(message)
  const id = seq === null ? '' : `id: ${seq}\n`
  return `event: ${message.type}\n${id}data: ${JSON.stringify(message)}\n\n`
}

function seqOf(message: StreamMessage): number | null {
  if (message.type === 'screen') return message.snapshot.seq
  if (message.type === 'records') return message.records.at(-1)?.seq ?? null
  if ('log_seq' in message) return message.log_seq
  return 'seq' in message ? message.seq : null
}
