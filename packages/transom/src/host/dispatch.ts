import {
  OPERATIONS,
  actorName,
  isOperationName,
  type Actor,
  type OperationName,
  type ParsedParams,
  type Principal,
  type Result,
} from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'

/** What a handler may use of the request it serves. */
export interface RequestContext {
  /** Who is asking. */
  readonly principal: Principal
  /** The processes that vouch for it, the nearest to it first; null where the kernel does. */
  readonly vouchers: string | null
  /** Aborts when the caller cancels or vanishes. */
  readonly signal: AbortSignal
  /** Sends to the caller beside the answer; false while it reads too slowly. */
  readonly notify: (params: object) => boolean
  /** Tells the caller how far the request has come. Nothing waits for it: what a slow caller misses is gone. */
  readonly progress: (value: object) => void
  /** Resolves when notify() may be called again after it said false, or when the caller is gone. */
  readonly drained: () => Promise<void>
  /** Work that goes on after the answer, until the caller leaves or ends it by number. */
  readonly background: BackgroundWork
}

/** Who acts, for the Event Log: the principal, and beside it what the caller called itself and who vouches for it. */
export function actorOf(
  { principal, vouchers }: Pick<RequestContext, 'principal' | 'vouchers'>,
  label?: string,
): Actor {
  return {
    actor: actorName(principal),
    ...(label === undefined ? {} : { actor_label: label }),
    ...(vouchers === null ? {} : { actor_via: vouchers }),
  }
}

export interface BackgroundWork {
  /** `run` must not reject: there is nobody to tell. */
  start(run: (id: number, signal: AbortSignal) => Promise<void>): number
  /** False when there is no such work. */
  stop(id: number): boolean
}

export type Handlers = {
  readonly [N in OperationName]: (
    params: ParsedParams<N>,
    context: RequestContext,
  ) => Promise<Result<N>> | Result<N>
}

/** Runs an operation by name: the parameters are checked against the table, then its handler is called. */
export async function dispatch(
  handlers: Handlers,
  name: string,
  params: unknown,
  context: RequestContext,
): Promise<unknown> {
  if (!isOperationName(name)) {
    const message = `no operation ${JSON.stringify(name)}; there are: ${Object.keys(OPERATIONS).join(', ')}`
    throw new OpError('unknown_operation', message, { operation: name })
  }
  const parsed = OPERATIONS[name].params.safeParse(params ?? {})
  if (!parsed.success) throw usageError(name, parsed.error.issues, params)
  // The table and the handlers have the same keys; TypeScript cannot follow a key through both.
  const handler = handlers[name] as (params: unknown, context: RequestContext) => unknown
  return await handler(parsed.data, context)
}

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

function usageError(operation: string, issues: readonly Issue[], params: unknown): OpError {
  const problems = issues.map((issue) => {
    const where = issue.path.map(String).join('.')
    const value = valueAt(params, issue.path)
    const got = where === '' || value === undefined ? '' : ` (got ${JSON.stringify(value)?.slice(0, 100)})`
    return `${where === '' ? 'parameters' : where}: ${issue.message}${got}`
  })
  return new OpError('usage', `${operation}: ${problems.join('; ')}`, { operation, problems })
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value
  for (const key of path) {
    if (typeof at !== 'object' || at === null) return undefined
    at = Reflect.get(at, key)
  }
  return at
}
