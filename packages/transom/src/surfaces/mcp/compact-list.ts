import { z } from 'zod'
import { sessionInfo, type SessionInfo } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'

/** About a thousand tokens; the list is in an answer twice, for clients that read one form or the other. */
const LIST_CHARS_MAX = 4000
/** A command line can be a script. */
const COMMAND_CHARS_MAX = 300

/** The sessions as a tool answers with them: what distinguishes them, as many as fit. */
export const compactSessions = z.object({
  sessions: z.array(
    sessionInfo
      .pick({ session: true, name: true, kind: true, status: true, cwd: true, created_at: true, exit: true })
      .extend({ command: z.string(), conversation: z.string().optional() }),
  ),
  omitted_sessions: z.int(),
  cursor: z.string().nullable().describe('Give it to list_sessions to get those that were left out.'),
})
export type CompactSessions = z.infer<typeof compactSessions>

/** A page of a list: what follows a cursor, the newest first. */
export function compactList(sessions: readonly SessionInfo[], cursor: string | null = null): CompactSessions {
  const after = cursor === null ? null : parseListCursor(cursor)
  const rest = sessions
    .toSorted((one, other) => (keyOf(one) < keyOf(other) ? 1 : -1))
    .filter((session) => after === null || keyOf(session) < after)
    .map(compactSession)
  let chars = 0
  const end = rest.findIndex((session) => (chars += JSON.stringify(session).length + 1) > LIST_CHARS_MAX)
  const shown = rest.slice(0, end < 0 ? rest.length : Math.max(1, end)) // always at least one, even if it is too long
  const last = shown.at(-1)
  const omitted = rest.length - shown.length
  return {
    sessions: shown,
    omitted_sessions: omitted,
    cursor: omitted === 0 || last === undefined ? null : keyOf(last),
  }
}

function compactSession(info: SessionInfo): CompactSessions['sessions'][number] {
  const { session, name, kind, status, cwd, created_at, exit, conversation } = info
  const words = info.command.join(' ')
  const command = words.length > COMMAND_CHARS_MAX ? `${words.slice(0, COMMAND_CHARS_MAX)} …` : words
  return {
    session,
    name,
    kind,
    status,
    command,
    cwd,
    created_at,
    exit,
    ...(conversation === undefined ? {} : { conversation }),
  }
}

/** The sort key: a page goes on where the last one ended, even if sessions have come or gone. */
function keyOf({ created_at, session }: { created_at: string; session: string }): string {
  return `${created_at}/${session}`
}

function parseListCursor(text: string): string {
  if (/^\d{4}-[\d:.TZ-]+\/\S{1,100}$/.test(text)) return text
  throw new OpError('usage', `${JSON.stringify(text)} is no cursor; give one as an answer had it`, {
    cursor: text,
  })
}
