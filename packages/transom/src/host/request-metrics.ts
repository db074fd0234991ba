import { isOperationName, type LocalPrincipal, type Result } from '@transom/protocol'
import type { ConnectionObserver, ObservedRequest } from './debug-log.ts'

type RequestFigures = Result<'host.status'>['metrics']['requests'][number]

/** Counts what a host is asked, by operation, and passes it on to another observer. */
export class RequestMetrics implements ConnectionObserver {
  readonly #next: ConnectionObserver
  readonly #operations = new Map<string, RequestFigures>()

  constructor(next: ConnectionObserver) {
    this.#next = next
  }

  get figures(): RequestFigures[] {
    return [...this.#operations.values()]
  }

  opened(peer: LocalPrincipal): number {
    return this.#next.opened(peer)
  }

  request(request: ObservedRequest): void {
    this.#count(request)
    this.#next.request(request)
  }

  closed(connection: number): void {
    this.#next.closed(connection)
  }

  #count({ operation, durationMs, error }: ObservedRequest): void {
    const name = isOperationName(operation) ? operation : 'unknown' // a caller's text is kept nowhere
    const figures = this.#operations.get(name) ?? {
      operation: name,
      count: 0,
      errors: 0,
      total_ms: 0,
      max_ms: 0,
    }
    figures.count++
    if (error !== null) figures.errors++
    figures.total_ms += durationMs
    figures.max_ms = Math.max(figures.max_ms, durationMs)
    this.#operations.set(name, figures)
  }
}
