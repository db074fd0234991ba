import { AsyncLocalStorage } from 'node:async_hooks'
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server'
import type { ResourceWatch } from './resource-watch.ts'

/** A request of the 2026 protocol for change notifications: a stream over HTTP, until it is cancelled on stdio. */
export interface ListenRequest {
  readonly id: string | number
  readonly method: 'subscriptions/listen'
  readonly params: {
    readonly notifications: {
      readonly resourcesListChanged?: unknown
      readonly resourceSubscriptions?: readonly string[]
    }
  }
}

/** Whether a message is such a request, as far as that matters here; the protocol's library judges all of it. */
export function isListen(message: unknown): message is ListenRequest {
  if (!isObject(message) || message['method'] !== 'subscriptions/listen' || message['id'] === undefined)
    return false
  const filter = isObject(message['params']) ? message['params']['notifications'] : null
  if (!isObject(filter)) return false
  const uris = filter['resourceSubscriptions'] ?? []
  return Array.isArray(uris) && uris.every((uri) => typeof uri === 'string')
}

/** Follows what is requested. Returns the request without what cannot be followed, for the client to see. */
export async function followListen(watch: ResourceWatch, request: ListenRequest): Promise<ListenRequest> {
  const { notifications } = request.params
  const { resourceSubscriptions: wanted, resourcesListChanged } = notifications
  if (resourcesListChanged === true) watch.followList()
  if (wanted === undefined) return request
  const followed: string[] = []
  for (const uri of new Set(wanted)) {
    const follows = await watch.follow(uri).then(
      () => true,
      () => false, // no such session, or not for this token
    )
    if (follows) followed.push(uri)
  }
  const narrowed = { ...notifications, resourceSubscriptions: followed }
  return { ...request, params: { ...request.params, notifications: narrowed } }
}

/**
 * Where the protocol's library gets its events from. Its bus is one for all streams and does not say what is wanted;
 * here each stream is given a watch of its own, which ends with it.
 */
export class ListenBus implements ServerEventBus {
  readonly #opening = new AsyncLocalStorage<ResourceWatch>()

  /** Runs what opens a stream, which then gets the changes that `watch` sees. */
  async open<T>(watch: ResourceWatch, serve: () => Promise<T>): Promise<T> {
    try {
      return await this.#opening.run(watch, serve)
    } finally {
      if (!watch.isDelivering) watch.close() // it was refused, or there was nothing to report
    }
  }

  publish(): void {}

  subscribe(listener: (event: ServerEvent) => void): () => void {
    const watch = this.#opening.getStore()
    watch?.deliverTo({
      updated: (uri) => listener({ kind: 'resource_updated', uri }),
      listChanged: () => listener({ kind: 'resources_list_changed' }),
    })
    return () => watch?.close()
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
