import { reachOf, type Params, type Principal } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import type { HostCalls } from '../host-calls/host-calls.ts'
import type { SessionListWatch } from '../host-calls/session-list-watch.ts'
import { Subscriber, type StreamMessage } from '../host-calls/subscriber.ts'
import { parseResourceUri, type ResourceRef } from './resource-uri.ts'

/** A client reads a resource again at each notice: more of them are of no use to it. */
const TOLD_EVERY_MS = 200
const FOLLOWED_MAX = 64 // each is a subscription at a host

export interface WatchParts {
  readonly calls: HostCalls
  readonly principal: Principal
  readonly sessions: SessionListWatch
  /** Whether the client has not read what it was sent: then notices wait, folded into one for each resource. */
  readonly isBusy: () => boolean
}

export interface WatchListener {
  updated(uri: string): void
  listChanged(): void
}

/** Which resources one client wants to hear of, and that they have changed. */
export class ResourceWatch {
  readonly #parts: WatchParts
  readonly #subscriber: Subscriber
  readonly #followed = new Map<string, Promise<() => void>>()
  readonly #changed = new Set<string>()
  #listChanged = false
  #stopList: (() => void) | null = null
  #listener: WatchListener | null = null
  #timer: NodeJS.Timeout | undefined
  #toldMs = -Infinity
  #closed = false

  constructor(parts: WatchParts) {
    this.#parts = parts
    this.#subscriber = new Subscriber(parts.calls, parts.principal)
  }

  /** Sets the listener. Earlier changes are delivered, too. */
  deliverTo(listener: WatchListener): void {
    this.#listener = listener
    this.#arm()
  }

  get isDelivering(): boolean {
    return this.#listener !== null
  }

  /** Throws where there is no such resource, or none for this client. */
  async follow(uri: string): Promise<void> {
    const known = this.#followed.get(uri)
    if (known === undefined && this.#followed.size >= FOLLOWED_MAX)
      throw new OpError(
        'too_many_requests',
        `${FOLLOWED_MAX} resources are subscribed to; unsubscribe from some`,
      )
    const following = known ?? this.#start(uri)
    this.#followed.set(uri, following)
    try {
      await following
    } catch (error) {
      this.#followed.delete(uri)
      throw error
    }
  }

  async unfollow(uri: string): Promise<void> {
    const following = this.#followed.get(uri)
    this.#followed.delete(uri)
    this.#changed.delete(uri)
    ;(await following)?.()
  }

  followList(): void {
    this.#stopList ??= this.#onSessions(() => {
      this.#listChanged = true
    })
  }

  unfollowList(): void {
    this.#stopList?.()
    this.#stopList = null
    this.#listChanged = false
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#subscriber.close()
    this.unfollowList()
    for (const uri of this.#followed.keys()) {
      this.unfollow(uri).catch(() => {}) // the caller that began to follow it has the error
    }
  }

  async #start(uri: string): Promise<() => void> {
    const ref = parseResourceUri(uri)
    if (ref === null)
      throw new OpError('usage', `${JSON.stringify(uri)} is no resource to subscribe to`, { uri })
    if (ref.kind === 'sessions') return this.#onSessions(() => this.#changed.add(uri))
    const { calls, principal } = this.#parts
    const wanted = { session: ref.session, to: ref.kind === 'screen' ? 'screen' : 'blocks' }
    const checked = await calls.authorize(
      principal,
      'session.subscribe',
      wanted,
      new AbortController().signal,
    )
    const concerns = changeDetector(ref)
    const stop = await this.#subscriber.subscribe(checked as Params<'session.subscribe'>, (message) => {
      if (!concerns(message)) return
      this.#changed.add(uri)
      this.#arm()
    })
    return () => {
      // The connection ends with the client; until then the host is asked to stop, if it still runs.
      if (!this.#closed) stop().catch(() => {})
    }
  }

  #onSessions(change: () => void): () => void {
    const { sessions, principal } = this.#parts
    const own = reachOf(principal).sessions
    return sessions.subscribe((session) => {
      if (own !== null && !own.includes(session)) return
      change()
      this.#arm()
    })
  }

  #arm(): void {
    if (this.#closed || this.#listener === null) return
    const waitMs = Math.max(0, this.#toldMs + TOLD_EVERY_MS - performance.now())
    this.#timer ??= setTimeout(() => this.#tell(), waitMs)
  }

  #tell(): void {
    this.#timer = undefined
    this.#toldMs = performance.now()
    if (this.#parts.isBusy()) return this.#arm()
    const changed = [...this.#changed]
    const listChanged = this.#listChanged
    this.#changed.clear()
    this.#listChanged = false
    for (const uri of changed) this.#listener?.updated(uri)
    if (listChanged) this.#listener?.listChanged()
  }
}

/** Whether a message says that the resource has changed: not what the stream begins with, its state at that time. */
function changeDetector(
  ref: Exclude<ResourceRef, { kind: 'sessions' }>,
): (message: StreamMessage) => boolean {
  let isFirst = true
  let fromSeq = 0
  let blockId: string | null = null
  return (message) => {
    const wasFirst = isFirst
    isFirst = false
    if (message.type === 'end' || message.type === 'error') return ref.kind !== 'block'
    if (message.type === 'position') fromSeq = message.seq
    if (ref.kind === 'screen') return !wasFirst
    if (message.type === 'agent_block_begin' && ref.kind === 'block' && message.block.seq === ref.block)
      blockId = message.block.block_id
    if (!('log_seq' in message) || message.log_seq <= fromSeq) return false
    if (ref.kind === 'blocks') return message.type !== 'agent_block_delta'
    return ('block' in message ? message.block.block_id : message.block_id) === blockId
  }
}
