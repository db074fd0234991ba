import type { ExitRecord } from '@transom/protocol'
import type { LogRecord } from '../../log/record.ts'
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

/** A moment of a session, and the screen of its end. */
export interface FoundFrame {
  /** The last state for which `isIt` held; null if there is none. */
  readonly found: { readonly seq: number; readonly frame: Frame } | null
  readonly last: Projection
}

/**
 * Looks at what a session showed after every record up to `to`, backwards from checkpoint to checkpoint: most look for
 * what was shown a moment ago.
 */
export async function findFrame(
  log: SessionLog,
  isIt: (screen: Projection) => boolean,
  { to, signal }: { to?: number | undefined; signal: AbortSignal },
): Promise<FoundFrame> {
  let last: Projection | null = null
  for (let end = to; ;) {
    const search = new FrameSearch(log, isIt)
    await log.events.fold([search], { to: end, signal })
    last ??= search.screen
    if (search.found !== null || search.startSeq === 0) return { found: search.found, last }
    end = search.startSeq - 1
  }
}

/** Finds the last frame of a stretch that is looked for. */
class FrameSearch extends SessionReplay {
  /** The checkpoint that it began at; 0 for none. */
  startSeq = 0
  found: FoundFrame['found'] = null
  readonly #isIt: (screen: Projection) => boolean
  #frame: Frame | null = null
  #matches = false

  constructor(log: SessionLog, isIt: (screen: Projection) => boolean) {
    super(log)
    this.#isIt = isIt
  }

  override restore(first: LogRecord, checkpoint: Uint8Array): boolean {
    if (!super.restore(first, checkpoint)) return false
    this.startSeq = this.seq
    this.#look()
    return true
  }

  override apply(record: LogRecord): void {
    super.apply(record)
    this.#look()
  }

  #look(): void {
    const { screen } = this
    const frame = screen.frame()
    if (frame !== this.#frame) this.#matches = this.#isIt(screen)
    this.#frame = frame
    if (this.#matches) this.found = { seq: screen.seq, frame }
  }
}
