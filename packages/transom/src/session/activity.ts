import type { Activity, LeaseState, NeedsInput, PageView } from '@transom/protocol'
import { InputSampler, type SampledSession } from './needs-input.ts'

/** A page that has loaded and painted nothing for this long is idle. */
const PAGE_IDLE_MS = 1000
/** A program that prints nothing for this long is idle, where the system does not show what it waits for. */
const UNKNOWN_IDLE_MS = 10_000

/** A session, as far as its activity is judged. */
export interface ActiveSession extends SampledSession {
  readonly ended: boolean
  readonly endedMs: number | null
  readonly holder: LeaseState['holder']
  /** Whether more is sure to come without an input. */
  readonly busy: boolean
  readonly page: PageView | null
  /** Null where there are no blocks. */
  readonly shell: { readonly atPrompt: boolean; readonly runningSinceMs: number | null } | null
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
    const { ended, endedMs, holder, page, shell, canNeedInput } = this.#session
    if (ended) return sure({ state: 'ended', since: endedMs ?? this.#quietSinceMs, evidence: 'it has ended' })
    if (holder?.role === 'person')
      return sure({ state: 'held', since: holder.since, evidence: `${holder.actor} has its lease` })
    if (page?.dialog != null) {
      const { type, message } = page.dialog
      const found = { since: this.#quietSinceMs, reason: 'dialog', prompt: message } as const
      return sure({ state: 'needs_input', ...found, evidence: `the page has opened a dialog (${type})` })
    }
    if (shell?.atPrompt)
      return sure({ state: 'idle', since: this.#quietSinceMs, evidence: 'its shell is at the prompt' })
    return canNeedInput ? this.#judgeProgram() : this.#judgeQuiet(PAGE_IDLE_MS, 'nothing was painted')
  }

  #judgeProgram(): ActivityVerdict {
    const found = this.#sampler.sample()
    const { last } = this.#sampler
    if (typeof found !== 'number') return this.#needsInput(found)
    if (last?.verdict === 'needs_input')
      return { ...this.#working('it was quiet'), unsure: true, dueMs: found }
    if (last?.verdict === 'unknown') {
      const quiet = this.#judgeQuiet(UNKNOWN_IDLE_MS, last.evidence.note)
      return { ...quiet, dueMs: Math.min(found, quiet.dueMs ?? found) }
    }
    return { ...this.#working(last?.evidence.note ?? 'it prints, or was typed to'), dueMs: found }
  }

  #needsInput({ reason, prompt, evidence }: NeedsInput): ActivityVerdict {
    const since = this.#quietSinceMs
    // A shell that is ready for a command waits for nothing in particular.
    if (reason === 'shell_prompt') return sure({ state: 'idle', since, evidence: evidence.note })
    return sure({ state: 'needs_input', since, reason, prompt, evidence: evidence.note })
  }

  #judgeQuiet(idleMs: number, note: string): ActivityVerdict {
    const { busy } = this.#session
    if (busy) return this.#working('it loads')
    const leftMs = idleMs - (this.#session.now() - this.#quietSinceMs)
    if (leftMs > 0) return { ...this.#working(note), dueMs: leftMs }
    return sure({ state: 'idle', since: this.#quietSinceMs, evidence: `${note} for a while` })
  }

  #working(evidence: string): ActivityVerdict {
    const { shell, recency } = this.#session
    return sure({ state: 'working', since: shell?.runningSinceMs ?? recency.lastInputMs, evidence })
  }

  get #quietSinceMs(): number {
    const { lastOutputMs, lastInputMs } = this.#session.recency
    return Math.max(lastOutputMs, lastInputMs)
  }
}

function sure(found: Pick<Activity, 'state' | 'since' | 'evidence'> & Partial<Activity>): ActivityVerdict {
  return { activity: { reason: null, prompt: '', ...found }, unsure: false, dueMs: null }
}
