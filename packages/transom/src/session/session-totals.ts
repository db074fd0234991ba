import type { SessionStatus } from '@transom/protocol'
import type { Session } from './session.ts'

/** Figures about the sessions of one host. */
export interface SessionTotals {
  /** The live ones, by kind and status. */
  readonly byStatus: readonly { kind: string; status: SessionStatus; count: number }[]
  /** Records and bytes of Event Logs, those of sessions that have ended since included. */
  readonly events: number
  readonly logBytes: number
  readonly waits: number
  readonly observers: number
  readonly inputQueueBytes: number
}

export function sessionTotals(
  live: readonly Session[],
  retired: { readonly events: number; readonly logBytes: number },
): SessionTotals {
  const sum = (of: (session: Session) => number) => live.reduce((total, session) => total + of(session), 0)
  const groups = new Map<string, { kind: string; status: SessionStatus; count: number }>()
  for (const { manifest } of live) {
    const { kind, status } = manifest
    const key = `${kind} ${status}`
    const group = groups.get(key) ?? { kind, status, count: 0 }
    group.count++
    groups.set(key, group)
  }
  return {
    byStatus: [...groups.values()],
    events: retired.events + sum(({ log }) => log.seq),
    logBytes: retired.logBytes + sum(({ log }) => log.sizeBytes),
    waits: sum(({ pending }) => pending.waits),
    observers: sum(({ pending }) => pending.observers),
    inputQueueBytes: sum(({ inputQueueBytes }) => inputQueueBytes),
  }
}
