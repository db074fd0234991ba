import type { ExitRecord } from '@transom/protocol'
import type { Projection } from '../../session/projection.ts'
import type { Frame } from '../../terminal/emulator.ts'
import type { SessionLog } from '../../session/session-log.ts'
import { SessionReplay } from './session-replay.ts'

export interface Replayed {
  readonly screen: Projection
  readonly exit: ExitRecord | null
  readonly lastSeq: number
  readonly lastOutputSeq: number
}

export interface ReplayOptions {
  /** Stop after this record; the end, when left out. */
  readonly seq?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** The screen of a session at a seq, from its Event Log alone: equal to the live one then. */
export async function replayLog(log: SessionLog, { seq, signal }: ReplayOptions = {}): Promise<Replayed> {
  const replay = new SessionReplay(log)
  await log.events.fold([replay], { to: seq, signal })
  const { screen, exit, seq: lastSeq, lastOutputSeq } = replay
  return { screen, exit, lastSeq, lastOutputSeq }
}

/** A moment of a session, and the screen of its end, from one pass over its Event Log. */
export interface FoundFrame {
  /** What was shown when `isIt` last held; null when it never did. */
  readonly found: { readonly seq: number; readonly frame: Frame } | null
  readonly last: Projection
}

/** Looks at what a session showed after every record up to `to`. */
export async function findFrame(
  log: SessionLog,
  isIt: (screen: Projection) => boolean,
  { to, signal }: { to?: number | undefined; signal: AbortSignal },
): Promise<FoundFrame> {
  const replay = new SessionReplay(log)
  const seen: { found: FoundFrame['found']; frame: Frame | null; matches: boolean } = {
    found: null,
    frame: null,
    matches: false,
  }
  const apply = () => {
    const { screen } = replay
    const frame = screen.frame()
    if (frame !== seen.frame) seen.matches = isIt(screen)
    seen.frame = frame
    if (seen.matches) seen.found = { seq: screen.seq, frame }
  }
  await log.events.fold([replay, { apply }], { from: 1, to, signal })
  return { found: seen.found, last: replay.screen }
}
