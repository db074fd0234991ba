/** A large Event Log of a terminal session, for the row `past-snapshot`. */
import { EVENT_TYPE_NUMBERS, type EventType } from '@transom/protocol'
import { replayLog } from '../../packages/transom/src/evidence/replay/replay.ts'
import { SessionReplay } from '../../packages/transom/src/evidence/replay/session-replay.ts'
import { TERMINAL_VIEW } from '../../packages/transom/src/kinds/terminal/terminal-view.ts'
import { compressLog } from '../../packages/transom/src/log/compress-log.ts'
import { EventStore } from '../../packages/transom/src/log/event-store.ts'
import { StoredEvents } from '../../packages/transom/src/log/stored-events.ts'
import { KindViews } from '../../packages/transom/src/session/kind-registry.ts'
import { SESSION_CHECKPOINTS } from '../../packages/transom/src/session/session-checkpoint.ts'
import { plainSnapshot } from '../../packages/transom/src/session/snapshot.ts'

/** What a pty gives at a time. */
const READ_BYTES = 4096
const KINDS = new KindViews([TERMINAL_VIEW])

/** Writes a log as a session does, with its checkpoints, from texts one after the other; returns its last seq. */
export async function writeLargeLog(
  folder: string,
  bytes: number,
  texts: readonly Buffer[],
): Promise<number> {
  const store = EventStore.create(folder, { now: Date.now })
  const replay = new SessionReplay({ events: store.events, kinds: KINDS })
  const append = (type: EventType, payload: Buffer) => {
    const seq = store.append(type, payload)
    replay.apply({ seq, time: store.time, typeNumber: EVENT_TYPE_NUMBERS[type], payload })
    store.offerCheckpoint(SESSION_CHECKPOINTS, () => replay.checkpoint())
  }
  const created = { session: 'large', command: ['x'], cwd: '/', cols: 120, rows: 40 }
  append('created', Buffer.from(JSON.stringify(created)))
  while (store.endOffset < bytes) {
    for (const text of texts) {
      for (let at = 0; at < text.length && store.endOffset < bytes; at += READ_BYTES)
        append('output', text.subarray(at, at + READ_BYTES))
      await new Promise(setImmediate)
    }
  }
  const { seq } = store
  await store.close()
  await compressLog(StoredEvents.at(folder), { signal: new AbortController().signal })
  return seq
}

/** The snapshot of a stored log at a seq, or at its end, as an ended session answers it. */
export async function snapshotAt(folder: string, seq?: number): Promise<unknown> {
  const { screen } = await replayLog({ events: StoredEvents.at(folder), kinds: KINDS }, { seq })
  return plainSnapshot('large', screen, false)
}

export async function storedBytes(folder: string): Promise<number> {
  return StoredEvents.at(folder).sizeBytes()
}
