import type { LogReport } from '@transom/protocol'
import type { LogRecord } from '../../log/record.ts'
import { SESSION_CHECKPOINTS, decodeCheckpoint } from '../../session/session-checkpoint.ts'
import type { SessionLog } from '../../session/session-log.ts'
import { SessionReplay } from './session-replay.ts'

/** Compares every checkpoint of a session, up to a record, with a replay of all records before it. */
export async function verifyCheckpoints(
  log: SessionLog,
  { to, signal }: { to?: number | undefined; signal?: AbortSignal | undefined } = {},
): Promise<LogReport['checkpoints']> {
  const { events } = log
  const wanted = new Set(
    (await events.checkpointSeqs(SESSION_CHECKPOINTS)).filter((seq) => seq <= (to ?? seq)),
  )
  const report = { equal: 0, different: [] as number[], unusable: 0 }
  const replay = new SessionReplay(log)
  const compare = async (seq: number) => {
    const found = await events.readCheckpoint(SESSION_CHECKPOINTS, seq)
    if (found?.seq !== seq || !isUsable(log, replay, found.state)) return
    wanted.delete(seq)
    if (Buffer.from(replay.checkpoint() ?? []).equals(found.state)) report.equal++
    else report.different.push(seq)
  }
  const apply = (record: LogRecord) => {
    replay.apply(record)
    return wanted.has(record.seq) ? compare(record.seq) : undefined
  }
  if (wanted.size > 0) await events.fold([{ apply }], { to: Math.max(...wanted), signal })
  return { ...report, unusable: wanted.size }
}

function isUsable({ kinds }: SessionLog, { created }: SessionReplay, state: Uint8Array): boolean {
  return kinds.restore(created, decodeCheckpoint(state).projection) !== null
}
