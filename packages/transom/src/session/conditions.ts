import type { Block, BlockRef, CursorState, NeedsInput, Patterns, WaitConditions } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import {
  findText,
  liesWithin,
  lineAt,
  type CanonicalText,
  type ShownText,
  type TextSpan,
} from '@transom/grid'
import { checkSteps, compilePattern } from '../lib/pattern.ts'
import { screenHash } from './snapshot.ts'

/** What a condition is judged by. */
export interface Observation {
  readonly canonical: CanonicalText
  readonly cursor: CursorState
  readonly title: string
  /** Of a web page. */
  readonly url: string | null
  /** The texts to look for matches in. */
  readonly searched: readonly SearchedText[]
  readonly ended: boolean
  readonly quietForMs: number
  /** Whether more is sure to come without an input. */
  readonly busy: boolean
  /** For how long no request of a web page has been open; null while one is, and for what has no network. */
  readonly networkIdleForMs: number | null
  readonly stableForMs: number
  /** Whether the caller may write to the session. */
  readonly writable: boolean
  /** Whether the program waits for input, or in how many milliseconds it is worth asking. */
  readonly needsInput: NeedsInput | number
  /** A block that has ended; null while it has not. */
  readonly blockEnded: (wanted: BlockRef) => Block | null
}

export interface SearchedText extends ShownText {
  /** Stretches of it that do not count: a match must have something outside of each. */
  readonly ignored: readonly TextSpan[]
}

export interface TextMatch {
  readonly row: number
  readonly text: string
  readonly line: string
}

/** A condition that holds, and what made it hold. */
export interface Held {
  readonly holds: true
  readonly match: TextMatch | null
  readonly block?: Block
}

export type ConditionVerdict =
  | Held
  /** `dueMs`: it will hold in that time if nothing happens. */
  | { readonly holds: false; readonly dueMs: number | null }

export interface Condition {
  readonly words: string
  judge(observation: Observation): ConditionVerdict
}

/** The conditions of a request, compiled. Throws `usage` when there is none and `bad_pattern` for a bad regex. */
export function compileConditions(wanted: WaitConditions): Condition[] {
  const conditions: Condition[] = []
  conditions.push(...listed(wanted.text).map(textCondition))
  conditions.push(...listed(wanted.regex).map(regexCondition))
  if (wanted.title !== undefined) conditions.push(titleCondition(wanted.title))
  if (wanted.url !== undefined) conditions.push(urlCondition(wanted.url))
  if (wanted.cursor !== undefined) conditions.push(cursorCondition(wanted.cursor))
  if (wanted.screen_stable_ms !== undefined) conditions.push(stableCondition(wanted.screen_stable_ms))
  if (wanted.idle_ms !== undefined) conditions.push(idleCondition(wanted.idle_ms))
  if (wanted.network_idle_ms !== undefined) conditions.push(networkIdleCondition(wanted.network_idle_ms))
  if (wanted.screen_changed_from !== undefined) conditions.push(changedCondition(wanted.screen_changed_from))
  if (wanted.exit) conditions.push(exitCondition())
  if (wanted.needs_input) conditions.push(needsInputCondition())
  if (wanted.writable) conditions.push(writableCondition())
  if (wanted.block_end !== undefined) conditions.push(blockEndCondition(wanted.block_end))
  if (conditions.length > 0) return conditions
  const message =
    'nothing to wait for; give `text`, `regex`, `title`, `url`, `cursor`, `screen_stable_ms`, `idle_ms`, `network_idle_ms`, `screen_changed_from`, `exit`, `needs_input`, `writable` or `block_end`'
  throw new OpError('usage', message)
}

/** Judges all conditions together: every one must hold, or with `any` one. */
export function judgeAll(
  conditions: readonly Condition[],
  any: boolean,
  observation: Observation,
): ConditionVerdict {
  const verdicts = conditions.map((condition) => condition.judge(observation))
  const holding = verdicts.filter((verdict) => verdict.holds)
  const holds = any ? holding.length > 0 : holding.length === verdicts.length
  if (holds) {
    const match = holding.find((verdict) => verdict.match !== null)?.match ?? null
    const block = holding.find((verdict) => verdict.block !== undefined)?.block
    return { holds, match, ...(block === undefined ? {} : { block }) }
  }
  const due = verdicts.flatMap((verdict) => (verdict.holds || verdict.dueMs === null ? [] : [verdict.dueMs]))
  return { holds, dueMs: due.length === 0 ? null : Math.min(...due) }
}

function listed(patterns: Patterns): string[] {
  return [patterns ?? []].flat()
}

const UNTIL_CHANGE: ConditionVerdict = { holds: false, dueMs: null }

function textCondition(text: string): Condition {
  const matches = (shown: ShownText) => findText(shown, text)
  return { words: `text ${JSON.stringify(text)}`, judge: (observation) => judgeText(matches, observation) }
}

function regexCondition(pattern: string): Condition {
  const compiled = compilePattern(pattern)
  const matches = function* ({ canonical }: ShownText): Generator<TextSpan> {
    checkSteps(compiled, canonical.text.length)
    const matcher = compiled.matcher(canonical.text)
    while (matcher.find()) yield { start: matcher.start(), end: matcher.end() }
  }
  return {
    words: `regex ${JSON.stringify(pattern)}`,
    judge: (observation) => judgeText(matches, observation),
  }
}

function judgeText(
  matches: (shown: ShownText) => Iterable<TextSpan>,
  { searched }: Observation,
): ConditionVerdict {
  for (const shown of searched) {
    for (const span of matches(shown)) {
      if (!liesWithin(shown.ignored, span))
        return { holds: true, match: describeMatch(shown.canonical, span) }
    }
  }
  return UNTIL_CHANGE
}

function describeMatch(canonical: CanonicalText, span: TextSpan): TextMatch {
  const line = lineAt(canonical, span.start)
  return {
    row: line?.rowIndex ?? 0,
    text: canonical.text.slice(span.start, span.end),
    line: line?.text.trimEnd() ?? '',
  }
}

function titleCondition(part: string): Condition {
  const judge = ({ title }: Observation) => verdict(title.includes(part))
  return { words: `title with ${JSON.stringify(part)}`, judge }
}

function urlCondition(part: string): Condition {
  const judge = ({ url }: Observation) => verdict(url?.includes(part) ?? false)
  return { words: `address with ${JSON.stringify(part)}`, judge }
}

function cursorCondition({ row, col }: { row: number; col: number }): Condition {
  const judge = ({ cursor }: Observation) => verdict(cursor.row === row && cursor.col === col)
  return { words: `cursor at ${row},${col}`, judge }
}

function stableCondition(ms: number): Condition {
  const judge = ({ stableForMs }: Observation) => elapsed(stableForMs, ms)
  return { words: `screen stable for ${ms} ms`, judge }
}

/** A page that loads is not quiet unless it has shown nothing new for this long: some never end loading. */
const BUSY_QUIET_MS = 5000

function idleCondition(ms: number): Condition {
  const judge = ({ quietForMs, busy }: Observation) =>
    elapsed(quietForMs, busy ? Math.max(ms, BUSY_QUIET_MS) : ms)
  return { words: `no output for ${ms} ms`, judge }
}

function networkIdleCondition(ms: number): Condition {
  const judge = ({ networkIdleForMs }: Observation) =>
    networkIdleForMs === null ? UNTIL_CHANGE : elapsed(networkIdleForMs, ms)
  return { words: `no open request for ${ms} ms`, judge }
}

function changedCondition(hash: string): Condition {
  const judge = ({ canonical }: Observation) => verdict(screenHash(canonical) !== hash)
  return { words: `screen changed from ${hash}`, judge }
}

function exitCondition(): Condition {
  return { words: 'exit', judge: ({ ended }) => verdict(ended) }
}

function writableCondition(): Condition {
  return {
    words: 'no other caller holds the lease',
    judge: ({ writable }) => (writable ? { holds: true, match: null } : UNTIL_CHANGE),
  }
}

function needsInputCondition(): Condition {
  const judge = ({ needsInput }: Observation): ConditionVerdict => {
    if (typeof needsInput === 'number') return { holds: false, dueMs: needsInput }
    return verdict(needsInput.verdict === 'needs_input')
  }
  return { words: 'the program waits for input', judge }
}

function blockEndCondition(wanted: BlockRef): Condition {
  const judge = ({ blockEnded }: Observation): ConditionVerdict => {
    const block = blockEnded(wanted)
    return block === null ? UNTIL_CHANGE : { holds: true, match: null, block }
  }
  return { words: wanted === 'last' ? 'the end of the last block' : `the end of block ${wanted}`, judge }
}

function verdict(holds: boolean): ConditionVerdict {
  return holds ? { holds, match: null } : UNTIL_CHANGE
}

function elapsed(forMs: number, wantedMs: number): ConditionVerdict {
  return forMs >= wantedMs ? { holds: true, match: null } : { holds: false, dueMs: wantedMs - forMs }
}
