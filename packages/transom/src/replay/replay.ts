import type { ExitRecord } from '@transom/protocol'
import type { StoredEvents } from '../log/stored-events.ts'
import type { Screen } from '../screen/screen.ts'
import type { Frame } from '../terminal/emulator.ts'
import { ScreenProjection } from './screen-projection.ts'

export interface Replayed {
  readonly screen: Screen
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
export async function replayLog(
  events: StoredEvents,
  { seq, signal }: ReplayOptions = {},
): Promise<Replayed> {
  const projection = new ScreenProjection(events.path)
  await events.fold([projection], { to: seq, signal })
  const { screen, exit, seq: lastSeq, lastOutputSeq } = projection
  return { screen, exit, lastSeq, lastOutputSeq }
}

/** A moment of a session, and the screen of its end, from one pass over its Event Log. */
export interface FoundFrame {
  /** What was shown when `isIt` last held; null when it never did. */
  readonly found: { readonly seq: number; readonly frame: Frame } | null
  readonly last: Screen
}

/** Looks at what a session showed after every record up to `to`. */
export async function findFrame(
  events: StoredEvents,
  isIt: (screen: Screen) => boolean,
  { to, signal }: { to?: number | undefined; signal: AbortSignal },
): Promise<FoundFrame> {
  const projection = new ScreenProjection(events.path)
  const seen: { found: FoundFrame['found']; frame: Frame | null; matches: boolean } = {
    found: null,
    frame: null,
    matches: false,
  }
  const apply = () => {
    const { screen } = projection
    const frame = screen.frame()
    if (frame !== seen.frame) seen.matches = isIt(screen)
    seen.frame = frame
    if (seen.matches) seen.found = { seq: screen.seq, frame }
  }
  await events.fold([projection, { apply }], { from: 1, to, signal })
  return { found: seen.found, last: projection.screen }
}
