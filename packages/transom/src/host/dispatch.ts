import {
  OPERATIONS,
  actorName,
  isOperationName,
  type Actor,
  type Capability,
  type NeededBy,
  type OperationName,
  type ParsedParams,
  type Principal,
  type Result,
  type WriteRight,
  type Writer,
} from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import type { Capabilities } from '../session/capabilities.ts'
import type { Session } from '../session/session.ts'
import { problemsOf, usageError } from '../session/bad-parameters.ts'

/** What a handler may use of the request it serves. */
export interface RequestContext {
  /** Who is asking. */
  readonly principal: Principal
  /** The processes that vouch for it, the nearest to it first; null where the kernel does. */
  readonly vouchers: string | null
  /** For a request of several steps: the epoch of each session's lease in which it was made. */
  readonly epochs?: ReadonlyMap<string, number>
  /** Aborts when the caller cancels or vanishes. */
  readonly signal: AbortSignal
  /** Sends to the caller beside the answer; false while it reads too slowly. */
  readonly notify: (params: object) => boolean
  /** Reports progress to the caller. Nothing waits for it: a slow caller loses what it does not read in time. */
  readonly progress: (value: object) => void
  /** Resolves when notify() may be called again after it returned false, or when the caller has left. */
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

/** A request of several steps, made in these epochs of the leases of sessions. */
export function inEpochs(context: RequestContext, epochs: ReadonlyMap<string, number>): RequestContext {
  const { principal, vouchers, signal, notify, progress, drained, background } = context
  return { principal, vouchers, signal, notify, progress, drained, background, epochs }
}

/** Who writes to a session, if it may: throws `held`, `lease_required` or `lease_changed` if not. */
export function writerOf(
  session: Session,
  context: RequestContext,
  by: { readonly actor?: string | undefined; readonly lease?: string | undefined },
): Writer & { readonly right: WriteRight } {
  const { epochs } = context
  const right = session.lease.admit(by.lease ?? null, epochs?.get(session.id))
  return { actor: actorOf(context, by.actor), right }
}

export interface BackgroundWork {
  /** `run` must not reject: no caller would receive the error. */
  start(run: (id: number, signal: AbortSignal) => Promise<void>): number
  /** False if there is no such work. */
  stop(id: number): boolean
}

/** A live session with what it can do, found for an operation that `needs` that. */
export interface Target<C extends Capability> {
  readonly session: Session
  readonly control: Capabilities[C]
}

/** A handler for each operation. One whose entry in the table `needs` a capability is given the target that has it. */
export type Handlers = {
  readonly [N in OperationName]: (
    params: ParsedParams<N>,
    context: RequestContext,
    ...target: [NeededBy<N>] extends [never] ? [] : [Target<NeededBy<N>>]
  ) => Promise<Result<N>> | Result<N>
}

/** The handlers of some operations: by name, or all of a family (`home.${string}`). */
export type HandlersOf<Name extends string> = Pick<Handlers, Extract<OperationName, Name>>

/** What serves the operations of a host. */
export interface HostOperations {
  readonly handlers: Handlers
  /** The live session that a request names. Throws `wrong_kind` if it cannot do what is needed. */
  readonly findTarget: (ref: string, needed: Capability) => Promise<Target<Capability>>
}

/**
 * Runs an operation by name: the parameters are checked against the table, the session for what the table says is
 * needed of it, then the handler is called.
 */
export async function dispatch(
  { handlers, findTarget }: HostOperations,
  name: string,
  params: unknown,
  context: RequestContext,
): Promise<unknown> {
  if (!isOperationName(name)) {
    const message = `no operation ${JSON.stringify(name)}; there are: ${Object.keys(OPERATIONS).join(', ')}`
    throw new OpError('unknown_operation', message, { operation: name })
  }
  const parsed = OPERATIONS[name].params.safeParse(params ?? {})
  if (!parsed.success) throw usageError(problemsOf(parsed.error.issues, params), { operation: name })
  // The table and the handlers have the same keys; TypeScript cannot follow a key through both.
  const handler = handlers[name] as (params: unknown, context: RequestContext, target?: unknown) => unknown
  const { needs } = OPERATIONS[name]
  if (needs === undefined) return await handler(parsed.data, context)
  return await handler(parsed.data, context, await findTarget(sessionRefOf(name, parsed.data), needs))
}

function sessionRefOf(operation: string, params: object): string {
  const { session, conversation_id } = params as { session?: unknown; conversation_id?: unknown }
  const ref = session ?? conversation_id
  if (typeof ref !== 'string') throw new Error(`${operation} needs a capability and names no session`)
  return ref
}
