import {
  EVENT_TYPE_NUMBERS,
  statusEvent,
  type PageView,
  type SessionStatus,
  type SubscriptionMessage,
} from '@transom/protocol'
import { changedRows } from '@transom/grid'
import { screenLine } from '../session/styled-runs.ts'
import { FoldedChanges } from '../lib/changes.ts'
import { eventRecord } from '../log/event-record.ts'
import { factOf } from '../log/facts.ts'
import type { LogRecord } from '../log/record.ts'
import type { StoredEvents } from '../log/stored-events.ts'
import { BlockFollower } from '../blocks/block-follower.ts'
import type { Session } from '../session/session.ts'
import { screenHash, takeSnapshot } from '../session/snapshot.ts'
import type { Frame } from '../terminal/emulator.ts'
import type { RequestContext } from './dispatch.ts'

type Channel = Pick<RequestContext, 'notify' | 'drained'>
type ShownSession = Pick<Session, 'id' | 'screen' | 'ended' | 'subscribe'>

/**
 * Sends a dump of the screen, then the rows that change. Changes within one turn of the event loop are folded,
 * and a subscriber that reads too slowly misses the states in between: it gets a fresh dump when it is ready.
 */
export async function streamScreen(
  session: ShownSession,
  subscription: number,
  channel: Channel,
  signal: AbortSignal,
): Promise<void> {
  const send = (message: SubscriptionMessage) => channel.notify(message)
  const { screen } = session
  const changes = new FoldedChanges(signal)
  const unsubscribe = session.subscribe(changes.announce)
  try {
    let sent: { readonly frame: Frame; readonly page: PageView | undefined } | null = null
    while (!signal.aborted) {
      const frame = screen.frame()
      const page = screen.views.page?.() // another value means another frame, too
      let ready = true
      if (sent === null) {
        ready = send({
          subscription,
          type: 'screen',
          snapshot: takeSnapshot(session.id, screen, { cells: true }),
        })
      } else if (frame !== sent.frame) {
        const change = page === sent.page ? {} : { page }
        ready = send({ ...rowsMessage(subscription, session, sent.frame, frame), ...change })
      }
      sent = { frame, page }
      if (!ready) {
        await channel.drained()
        if (screen.frame() !== frame) sent = null // it has missed something
      } else if (session.ended && screen.frame() === frame) {
        send({ subscription, type: 'end', seq: screen.seq })
        return
      } else {
        await changes.next()
      }
    }
  } finally {
    unsubscribe()
  }
}

export interface EventStream {
  readonly events: StoredEvents
  readonly afterSeq: number
  readonly subscription: number
  /** False for a session that has ended: what is there is all. */
  readonly more: boolean
  readonly status: SessionStatus
}

/** Sends the records after `afterSeq`, as fast as the subscriber reads them, and then as they are appended. */
export async function streamEvents(
  stream: EventStream,
  channel: Channel,
  signal: AbortSignal,
): Promise<void> {
  const { events, afterSeq, subscription, more } = stream
  const send = async (message: SubscriptionMessage) => {
    if (!channel.notify(message)) await channel.drained()
  }
  const isLast = lastRecordDetector(stream.status)
  let seq = afterSeq
  await send({ subscription, type: 'position', seq })
  const range = { from: afterSeq + 1, signal }
  for await (const records of more ? events.follow(range) : events.read(range)) {
    await send({ subscription, type: 'records', records: records.map(eventRecord) })
    seq = records.at(-1)?.seq ?? seq
    if (more && records.some(isLast)) break
  }
  await send({ subscription, type: 'end', seq })
}

/** Sends the blocks after `afterSeq`: where one begins, what it prints, and how it ends. */
export async function streamBlocks(
  stream: EventStream,
  channel: Channel,
  signal: AbortSignal,
): Promise<void> {
  const { events, afterSeq, subscription, more } = stream
  const send = async (message: SubscriptionMessage) => {
    if (!channel.notify(message)) await channel.drained()
  }
  const isLast = lastRecordDetector(stream.status)
  const follower = new BlockFollower(events.path, subscription)
  let seq = 0
  await send({ subscription, type: 'position', seq: afterSeq })
  const range = { from: 1, signal } // the blocks that run began before
  const pieces = more ? events.follow(range) : events.read(range)
  for await (const records of pieces) {
    for (const record of records) {
      if (seq <= afterSeq && record.seq > afterSeq) {
        for (const message of follower.present()) await send(message)
      }
      seq = record.seq
      const messages = follower.take(record)
      if (seq > afterSeq) for (const message of messages) await send(message)
    }
    if (more && records.some(isLast)) break
  }
  await send({ subscription, type: 'end', seq })
}

function rowsMessage(
  subscription: number,
  session: ShownSession,
  before: Frame,
  now: Frame,
): SubscriptionMessage {
  const { screen } = session
  const sameSize = before.grid.cols === now.grid.cols && before.grid.rows === now.grid.rows
  if (!sameSize) {
    return { subscription, type: 'screen', snapshot: takeSnapshot(session.id, screen, { cells: true }) }
  }
  return {
    subscription,
    type: 'rows',
    seq: screen.seq,
    rows: changedRows(before.grid, now.grid).map((row) => ({ row, line: screenLine(now, row, true) })),
    cursor: now.cursor,
    title: now.title,
    bells: now.bells,
    screen_hash: screenHash(screen.canonical()),
  }
}

/** Finds the record after which nothing comes: the exit, or the end of its destruction when that was under way. */
function lastRecordDetector(status: SessionStatus): (record: LogRecord) => boolean {
  let destroying = status === 'destroying'
  return (record) => {
    if (record.typeNumber === EVENT_TYPE_NUMBERS.exit) return !destroying
    if (record.typeNumber !== EVENT_TYPE_NUMBERS.status) return false
    const { status } = factOf(record, statusEvent)
    destroying = status === 'destroying'
    return !destroying
  }
}
