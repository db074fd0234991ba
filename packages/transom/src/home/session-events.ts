import { EventStore, type EventStoreOptions } from '../log/event-store.ts'
import { isLogHeld, tryLockLog } from '../log/store-lock.ts'
import type { Home } from './home.ts'

// Beside Home, which the doctor and the gateway use, too: locks come through an FFI that only a host loads.

/** Makes the Event Log of a new session, in its folder. */
export function createEvents(home: Home, id: string, options: EventStoreOptions): EventStore {
  return EventStore.create(home.sessionFolder(id), options)
}

/** Opens the Event Log of a session whose host has ended, to append to it; null while another process holds it. */
export async function reopenEvents(
  home: Home,
  id: string,
  options: EventStoreOptions,
): Promise<EventStore | null> {
  return EventStore.reopen(home.sessionFolder(id), options)
}

/** Whether a process writes the Event Log of a session: what makes the session alive. */
export function isHeld(home: Home, id: string): boolean {
  return isLogHeld(home.events(id).path)
}

/** The lock of a session's Event Log without a writer, also of a missing one. Null while it is held. */
export function tryLockEvents(home: Home, id: string): { release(): void } | null {
  return tryLockLog(home.events(id).path)
}
