import { toWireError } from '@transom/protocol/errors'

/** Upper bounds in milliseconds, from an answer out of memory to a long wait. */
const LATENCY_BOUNDS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 30_000]

interface OperationCounts {
  readonly buckets: number[]
  count: number
  sumMs: number
  readonly errors: Map<string, number>
}

/** Counts calls by operation: how many, how long they took, how they failed. */
export class CallMetrics {
  readonly #operations = new Map<string, OperationCounts>()
  #inFlight = 0

  async measure<T>(operation: string, call: () => Promise<T>): Promise<T> {
    const startMs = performance.now()
    this.#inFlight++
    let error: string | null = null
    try {
      return await call()
    } catch (failure) {
      error = toWireError(failure).code
      throw failure
    } finally {
      this.#inFlight--
      // An unknown operation name is the caller's text: it must not become a permanent label.
      this.#add(error === 'unknown_operation' ? 'unknown' : operation, performance.now() - startMs, error)
    }
  }

  #add(operation: string, durationMs: number, error: string | null): void {
    const counts = this.#operations.get(operation) ?? {
      buckets: LATENCY_BOUNDS_MS.map(() => 0),
      count: 0,
      sumMs: 0,
      errors: new Map<string, number>(),
    }
    this.#operations.set(operation, counts)
    counts.count++
    counts.sumMs += durationMs
    LATENCY_BOUNDS_MS.forEach((bound, index) => {
      if (durationMs <= bound) counts.buckets[index] = (counts.buckets[index] ?? 0) + 1
    })
    if (error !== null) counts.errors.set(error, (counts.errors.get(error) ?? 0) + 1)
  }

  /** In the text format of Prometheus. */
  lines(): string[] {
    const operations = [...this.#operations]
    return [
      '# HELP transom_gateway_calls_in_flight Calls that the gateway is carrying out.',
      '# TYPE transom_gateway_calls_in_flight gauge',
      `transom_gateway_calls_in_flight ${this.#inFlight}`,
      '# HELP transom_gateway_call_errors_total Calls that failed, by operation and code.',
      '# TYPE transom_gateway_call_errors_total counter',
      ...operations.flatMap(([operation, { errors }]) =>
        [...errors].map(
          ([code, count]) =>
            `transom_gateway_call_errors_total{operation="${operation}",code="${code}"} ${count}`,
        ),
      ),
      '# HELP transom_gateway_call_seconds How long calls took, by operation.',
      '# TYPE transom_gateway_call_seconds histogram',
      ...operations.flatMap(([operation, counts]) => histogram(operation, counts)),
    ]
  }
}

function histogram(operation: string, { buckets, count, sumMs }: OperationCounts): string[] {
  const name = 'transom_gateway_call_seconds'
  return [
    ...LATENCY_BOUNDS_MS.map(
      (bound, index) =>
        `${name}_bucket{operation="${operation}",le="${bound / 1000}"} ${buckets[index] ?? 0}`,
    ),
    `${name}_bucket{operation="${operation}",le="+Inf"} ${count}`,
    `${name}_sum{operation="${operation}"} ${sumMs / 1000}`,
    `${name}_count{operation="${operation}"} ${count}`,
  ]
}
