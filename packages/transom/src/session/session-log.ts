import type { StoredEvents } from '../log/stored-events.ts'
import type { KindViews } from './kind-registry.ts'

/** The Event Log of a session, and the kinds by which it is read. */
export interface SessionLog {
  readonly events: StoredEvents
  readonly kinds: KindViews
}
