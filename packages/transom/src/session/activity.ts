import type { Activity, LeaseState, NeedsInput, PageView } from '@transom/protocol'
import { InputSampler, type SampledSession } from './needs-input.ts'

/** A page that has loaded and painted nothing for this long is idle. */
const PAGE_IDLE_MS = 1000
/** A program that prints nothing for this long is idle, where the system does not show what it waits for. */
const UNKNOWN_IDLE_MS = 10_000

/** A session, as far as its activity is judged. */
export interface ActiveSession extends SampledSession {
  look(): SessionLook
}

/** What the events of a session tell at one moment. */
export interface SessionLook {
  readonly ended: boolean
  readonly endedMs: number | null
  readonly holder: LeaseState['holder']
  /** Whether more is sure to come without an input. */
  readonly busy: boolean
  readonly page: PageView | null
  /** Whether an integrated shell is ready for a command. */
  readonly shellAtPrompt: boolean
  /** When the command began that runs in an integrated shell; null if none does. */
  readonly runningSinceMs: number | null
  /** Whether it can be seen waiting for input. */
  readonly canNeedInput: boolean
}

/** What a look at a session came to. */
export interface ActivityVerdict {
  readonly activity: Activity
  /** Whether a second look may say otherwise, within milliseconds. */
  readonly unsure: boolean
  /** When to look again if nothing happens. */
  readonly dueMs: number | null
}

/**
 * Says what a session is doing. What its events tell is enough in most states; the kernel is asked only for a program
 * that runs and is quiet.
 */
export class ActivityJudge {
  readonly #session: ActiveSession
  readonly #sampler: InputSampler

  constructor(session: ActiveSession) {
    this.#session = session
    this.#sampler = new InputSampler(session)
  }

  judge(): ActivityVerdict {
    const look = this.#session.look()
    const { ended, endedMs, holder, page, canNeedInput } = look
    if (ended) return sure({ state: 'ended', since: endedMs ?? this.#quietSinceMs, evidence: 'it has ended' })
    if (holder?.role === 'person')
      return sure({ state: 'held', since: holder.since, evidence: `${holder.actor} has its lease` })
    const dialog = page?.dialog ?? null
    if (dialog !== null) {
      const { type, message } = dialog
      const found = { since: this.#quietSinceMs, reason: 'dialog', prompt: message } as const
      return sure({ state: 'needs_input', ...found, evidence: `the page has opened a dialog (${type})` })
    }
    if (look.shellAtPrompt)
      return sure({ state: 'idle', since: this.#quietSinceMs, evidence: 'its shell is at the prompt' })
    return canNeedInput
      ? this.#judgeProgram(look)
      : this.#judgeQuiet(look, PAGE_IDLE_MS, 'nothing was painted')
  }

  #judgeProgram(look: SessionLook): ActivityVerdict {
    const found = this.#sampler.sample()
    const { last } = this.#sampler
    if (typeof found !== 'number') return this.#needsInput(found)
    if (last?.verdict === 'needs_input')
      return { ...this.#working(look, 'it was quiet'), unsure: true, dueMs: found }
    if (last?.verdict === 'unknown') {
      const quiet = this.#judgeQuiet(look, UNKNOWN_IDLE_MS, last.evidence.note)
      return { ...quiet, dueMs: Math.min(found, quiet.dueMs ?? found) }
    }
    return { ...this.#working(look, last?.evidence.note ?? 'it prints, or was typed to'), dueMs: found }
  }

  #needsInput({ reason, prompt, evidence }: NeedsInput): ActivityVerdict {
    const since = this.#quietSinceMs
    // A shell that is ready for a command waits for nothing in particular.
    if (reason === 'shell_prompt') return sure({ state: 'idle', since, evidence: evidence.note })
    return sure({ state: 'needs_input', since, reason, prompt, evidence: evidence.note })
  }

  #judgeQuiet(look: SessionLook, idleMs: number, note: string): ActivityVerdict {
    if (look.busy) return this.#working(look, 'it loads')
    const leftMs = idleMs - (this.#session.now() - this.#quietSinceMs)
    if (leftMs > 0) return { ...this.#working(look, note), dueMs: leftMs }
    return sure({ state: 'idle', since: this.#quietSinceMs, evidence: `${note} for a while` })
  }

  #working({ runningSinceMs }: SessionLook, evidence: string): ActivityVerdict {
    const since = runningSinceMs ?? this.#session.recency.lastInputMs
    return sure({ state: 'working', since, evidence })
  }

  get #quietSinceMs(): number {
    const { lastOutputMs, lastInputMs } = this.#session.recency
    return Math.max(lastOutputMs, lastInputMs)
  }
}

function sure(found: Pick<Activity, 'state' | 'since' | 'evidence'> & Partial<Activity>): ActivityVerdict {
  return { activity: { reason: null, prompt: '', ...found }, unsure: false, dueMs: null }
}
