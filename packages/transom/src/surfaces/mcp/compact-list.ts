import type { SessionInfo } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { CONTENT_CHARS_DEFAULT, countFitting, shortened } from './answer-budget.ts'

/** A command line can be a script. */
const COMMAND_CHARS_MAX = 300

type Listed = 'session' | 'name' | 'kind' | 'status' | 'cwd' | 'created_at' | 'exit' | 'conversation'

/** The sessions as a tool answers with them: what distinguishes them, as many as fit. */
export interface CompactSessions {
  readonly sessions: (Pick<SessionInfo, Listed> & { command: string })[]
  readonly omitted_sessions: number
  /** Leads to those that were left out. */
  readonly cursor: string | null
}

/** Whether a part of a result is a session, whole or compact: those of a batch come without a schema. */
export function isSessionInfo(value: object): boolean {
  return 'session' in value && 'created_at' in value && 'status' in value
}

/** A page of a list: what follows a cursor, the newest first. */
export function compactList(sessions: readonly SessionInfo[], cursor: string | null = null): CompactSessions {
  const after = cursor === null ? null : parseListCursor(cursor)
  const rest = newestFirst(sessions)
    .filter((session) => after === null || keyOf(session) < after)
    .map(compactSession)
  const shown = rest.slice(0, countFitting(rest, CONTENT_CHARS_DEFAULT))
  const last = shown.at(-1)
  const omitted = rest.length - shown.length
  return {
    sessions: shown,
    omitted_sessions: omitted,
    cursor: omitted === 0 || last === undefined ? null : keyOf(last),
  }
}

export function newestFirst(sessions: readonly SessionInfo[]): SessionInfo[] {
  return sessions.toSorted((one, other) => (keyOf(one) < keyOf(other) ? 1 : -1))
}

function compactSession(info: SessionInfo): CompactSessions['sessions'][number] {
  const { session, name, kind, status, cwd, created_at, exit, conversation } = info
  const command = shortened(info.command.join(' '), COMMAND_CHARS_MAX)
  const talk = conversation === undefined ? {} : { conversation }
  return { session, name, kind, status, command, cwd, created_at, exit, ...talk }
}

/** The sort key: a page goes on where the last one ended, even if sessions have come or gone. */
function keyOf({ created_at, session }: { created_at: string; session: string }): string {
  return `${created_at}/${session}`
}

function parseListCursor(text: string): string {
  if (/^\d{4}-[\d:.TZ-]+\/\S{1,100}$/.test(text)) return text
  throw noCursor(text)
}

export function noCursor(text: string): OpError {
  return new OpError(
    'usage',
    `${JSON.stringify(text.slice(0, 100))} is no cursor; give one as an answer had it`,
  )
}
