import type { ExitRecord, ParsedParams, Patterns, Result } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { compileConditions, type Condition, type Observation } from '../session/conditions.ts'
import { unknownInput } from '../session/needs-input.ts'
import { screenHash, takeSnapshot } from '../session/snapshot.ts'
import type { Projection } from '../session/projection.ts'

/** What is asserted of: the present state, live or at the end of a log. */
export interface AssertSubject {
  readonly session: string
  readonly screen: Projection
  readonly ended: boolean
  readonly exit: ExitRecord | null
}

/** Judges every check, so that one failure reports everything that is wrong; throws `assert_failed` with the screen. */
export function assertState(
  subject: AssertSubject,
  params: ParsedParams<'session.assert'>,
): Result<'session.assert'> {
  const { session, screen } = subject
  const verdicts = [...textVerdicts(subject, params), ...stateVerdicts(subject, params)]
  if (verdicts.length === 0) {
    const message =
      'nothing to assert; give `text`, `no_text`, `regex`, `no_regex`, `cursor`, `title`, `screen_hash` or `exit_code`'
    throw new OpError('usage', message)
  }
  const failures = verdicts.filter((verdict) => verdict !== null)
  if (failures.length === 0) return { session, seq: screen.seq, checks: verdicts.length }
  const details = { session, failures, snapshot: takeSnapshot(session, screen) }
  throw new OpError('assert_failed', failures.join('; '), details)
}

/** Null for what holds, else what is wrong. */
type AssertVerdict = string | null

function textVerdicts(
  { screen, ended }: AssertSubject,
  { text, no_text, regex, no_regex }: ParsedParams<'session.assert'>,
): AssertVerdict[] {
  const canonical = screen.canonical()
  const observation: Observation = {
    canonical,
    cursor: screen.frame().cursor,
    title: screen.frame().title,
    url: screen.views.page?.().url ?? null,
    searched: [{ grid: screen.frame().text, canonical, ignored: [] }],
    ended,
    quietForMs: 0,
    busy: false,
    networkIdleForMs: null,
    stableForMs: 0,
    needsInput: unknownInput('an assertion looks at the screen alone'),
    writable: false,
    blockEnded: () => null,
  }
  const verdict = (condition: Condition, wanted: boolean): AssertVerdict => {
    if (condition.judge(observation).holds === wanted) return null
    return `${condition.words} is ${wanted ? 'not ' : ''}on the screen`
  }
  const each = (value: Patterns, key: 'text' | 'regex', wanted: boolean) =>
    value === undefined ? [] : compileConditions({ [key]: value }).map((it) => verdict(it, wanted))
  return [
    ...each(text, 'text', true),
    ...each(no_text, 'text', false),
    ...each(regex, 'regex', true),
    ...each(no_regex, 'regex', false),
  ]
}

function stateVerdicts(
  { screen, ended, exit }: AssertSubject,
  params: ParsedParams<'session.assert'>,
): AssertVerdict[] {
  const verdicts: AssertVerdict[] = []
  const compare = (what: string, wanted: string | undefined, found: string) => {
    if (wanted !== undefined) verdicts.push(wanted === found ? null : `${what} is ${found}, not ${wanted}`)
  }
  const frame = screen.frame()
  const cell = ({ row, col }: { row: number; col: number }) => `${row},${col}`
  compare('the cursor', params.cursor && cell(params.cursor), cell(frame.cursor))
  compare(
    'the title',
    params.title === undefined ? undefined : JSON.stringify(params.title),
    JSON.stringify(frame.title),
  )
  compare('the Screen Hash', params.screen_hash, screenHash(screen.canonical()))
  if (params.exit_code !== undefined && !ended)
    verdicts.push('the program has not ended; wait for its exit first')
  else compare('the exit code', params.exit_code?.toString(), exit?.signal ?? String(exit?.code ?? 'unknown'))
  return verdicts
}
