import type { ExitRecord } from '@transom/protocol'
import type { Manifest } from '../home/manifest.ts'

/** Why a session is ended before its program does so itself. */
export type EndReason = 'destroy' | 'idle_timeout' | 'quota'
/** What a session that has failed was ended by: `session_error`, or a word of its kind. */
export type FailureCause = string

/** Where a session stands, from its birth to its end. */
export type Lifecycle =
  | { readonly status: 'starting' }
  | { readonly status: 'running'; readonly pid: number }
  /** The program has ended; some of what it printed may still be on the way. */
  | { readonly status: 'exiting'; readonly pid: number }
  | {
      readonly status: 'destroying'
      readonly because: EndReason
      readonly pid: number | null
      /** Of a program that has ended while the rest of its processes is being ended. */
      readonly exit: Exited | null
    }
  | { readonly status: 'exited'; readonly exit: Exited }
  | {
      readonly status: 'destroyed'
      readonly because: EndReason
      readonly exit: Exited | null
      /** What could not be ended. */
      readonly failure: string | null
      readonly at: string
    }
  | {
      readonly status: 'failed'
      readonly cause: FailureCause
      readonly failure: string
      readonly exit: Exited | null
      readonly at: string
    }

interface Exited {
  readonly record: ExitRecord
  /** ISO 8601. */
  readonly at: string
}

export type LifecycleEvent =
  | { readonly type: 'started'; readonly pid: number }
  | { readonly type: 'exiting' }
  | { readonly type: 'exited'; readonly record: ExitRecord; readonly at: string }
  | { readonly type: 'destroy'; readonly because: EndReason }
  | { readonly type: 'destroyed'; readonly failure: string | null; readonly at: string }
  | { readonly type: 'failed'; readonly cause: FailureCause; readonly failure: string; readonly at: string }

/** Where a session stands after an event. An event that comes too late, or too early, changes nothing. */
export function nextLifecycle(now: Lifecycle, event: LifecycleEvent): Lifecycle {
  switch (event.type) {
    case 'started':
      // A browser that was started again has another process.
      return now.status === 'starting' || now.status === 'running'
        ? { status: 'running', pid: event.pid }
        : now
    case 'exiting':
      return now.status === 'running' ? { status: 'exiting', pid: now.pid } : now
    case 'exited': {
      const { record, at } = event
      if (now.status === 'running' || now.status === 'exiting')
        return { status: 'exited', exit: { record, at } }
      return now.status === 'destroying' ? { ...now, pid: null, exit: { record, at } } : now
    }
    case 'destroy':
      return isOver(now) || now.status === 'destroying'
        ? now
        : { status: 'destroying', because: event.because, pid: pidOf(now), exit: null }
    case 'destroyed':
      return now.status === 'destroying'
        ? { status: 'destroyed', because: now.because, exit: now.exit, failure: event.failure, at: event.at }
        : now
    case 'failed': {
      const { cause, failure, at } = event
      return now.status === 'failed' ? now : { status: 'failed', cause, failure, exit: exitedOf(now), at }
    }
    default:
      return event satisfies never
  }
}

/** Whether nothing will happen to the program any more. */
export function hasEnded(now: Lifecycle): boolean {
  return isOver(now) || exitedOf(now) !== null
}

type LifecycleFields = Pick<Manifest, 'status' | 'pid' | 'exit' | 'failure' | 'ended_by' | 'ended_at'>

/** The fields of a manifest that describe it. */
export function manifestFields(now: Lifecycle): LifecycleFields {
  const exited = exitedOf(now)
  const common = { status: now.status, pid: pidOf(now), exit: exited?.record ?? null, failure: null }
  switch (now.status) {
    case 'starting':
    case 'running':
    case 'exiting':
      return { ...common, ended_by: null, ended_at: null }
    case 'destroying':
      return { ...common, ended_by: now.because, ended_at: exited?.at ?? null }
    case 'exited':
      return { ...common, ended_by: 'exit', ended_at: now.exit.at }
    case 'destroyed':
      return { ...common, failure: now.failure, ended_by: now.because, ended_at: exited?.at ?? now.at }
    case 'failed':
      return { ...common, failure: now.failure, ended_by: now.cause, ended_at: now.at }
    default:
      return now satisfies never
  }
}

function isOver({ status }: Lifecycle): boolean {
  return status === 'exited' || status === 'destroyed' || status === 'failed'
}

function exitedOf(now: Lifecycle): Exited | null {
  return 'exit' in now ? now.exit : null
}

function pidOf(now: Lifecycle): number | null {
  return 'pid' in now ? now.pid : null
}
