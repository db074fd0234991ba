import type { SessionStatus } from '@transom/protocol'

/** What a Session Status allows; the words are the glossary's. Every command asks this table. */
export interface StatusPolicy {
  /** The host-side lifecycle may still be in progress. */
  readonly active: boolean
  /** It takes input and control commands. */
  readonly commandable: boolean
  /** Callers ask the live host for fresh state; otherwise the Event Log is replayed. */
  readonly liveHostEligible: boolean
  /** Its folder may be removed by garbage collection. */
  readonly collectable: boolean
}

const STATUS_POLICY: Readonly<Record<SessionStatus, StatusPolicy>> = {
  starting: { active: true, commandable: false, liveHostEligible: true, collectable: false },
  running: { active: true, commandable: true, liveHostEligible: true, collectable: false },
  exiting: { active: true, commandable: false, liveHostEligible: true, collectable: false },
  destroying: { active: true, commandable: false, liveHostEligible: false, collectable: false },
  exited: { active: false, commandable: false, liveHostEligible: false, collectable: true },
  failed: { active: false, commandable: false, liveHostEligible: false, collectable: true },
  destroyed: { active: false, commandable: false, liveHostEligible: false, collectable: true },
}

export function policyOf(status: SessionStatus): StatusPolicy {
  return STATUS_POLICY[status]
}
