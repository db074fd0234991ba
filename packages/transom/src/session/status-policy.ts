import type { SessionStatus } from '@transom/protocol'
import { OpError, next } from '@transom/protocol/errors'
import type { Manifest } from '../home/manifest.ts'

/** What a Session Status means; the words are the glossary's. Every command asks this table. */
export interface StatusPolicy {
  /** The host-side lifecycle may still be in progress. */
  readonly active: boolean
  /** A final, persisted status. */
  readonly terminal: boolean
  /** It takes input and control commands. */
  readonly commandable: boolean
  /** Callers ask the live host for fresh state. */
  readonly liveHostEligible: boolean
  /** Its state is rebuilt from the Event Log. */
  readonly offlineReplayEligible: boolean
  /** Its folder may be removed by garbage collection. */
  readonly collectable: boolean
}

const LIVE = {
  active: true,
  terminal: false,
  liveHostEligible: true,
  offlineReplayEligible: false,
  collectable: false,
}
const ENDED = {
  active: false,
  terminal: true,
  commandable: false,
  liveHostEligible: false,
  offlineReplayEligible: true,
  collectable: true,
}

const STATUS_POLICY: Readonly<Record<SessionStatus, StatusPolicy>> = {
  starting: { ...LIVE, commandable: false },
  running: { ...LIVE, commandable: true },
  exiting: { ...LIVE, commandable: false },
  destroying: { ...LIVE, commandable: false, liveHostEligible: false, offlineReplayEligible: true },
  exited: ENDED,
  failed: ENDED,
  destroyed: ENDED,
}

export function policyOf(status: SessionStatus): StatusPolicy {
  return STATUS_POLICY[status]
}

export function takesNoInput({ session, status, exit }: Manifest): OpError {
  const message = `session ${session} is ${status} and takes no input`
  const listed = next({ call: 'session.list', params: {}, does: 'shows those that do' })
  return new OpError('session_ended', message, { session, status, exit, ...listed })
}
