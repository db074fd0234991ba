import { homePath } from '../../home/home-path.ts'
import type { CliProcess } from './cli-process.ts'
import { connectToHost } from './host-connection.ts'
import { nearestWords } from './suggestions.ts'

const ANSWER_TIMEOUT_MS = 2000 // the error itself should not wait longer for a hint

/**
 * The sessions that a mistyped one may have meant, as the end of a message; empty if none is near. Asked by the client,
 * as the user that it acts for: a host does not name sessions to a caller that may not list them.
 */
export async function meantSessions(cli: CliProcess, details: Record<string, unknown>): Promise<string> {
  const { ref, home } = details
  if (typeof ref !== 'string' || typeof home !== 'string') return ''
  try {
    const names = await sessionNames(cli, home)
    const near = nearestWords(ref, names).map((name) => JSON.stringify(name))
    return near.length === 0 ? '' : ` (did you mean ${near.join(' or ')}?)`
  } catch {
    return '' // the host has gone meanwhile: the error stands without a hint
  }
}

async function sessionNames(cli: CliProcess, home: string): Promise<string[]> {
  const client = await connectToHost({ home: homePath(home, cli.env), debug: () => {} })
  if (client === null) return []
  const signal = AbortSignal.any([cli.signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)])
  try {
    const { sessions } = await client.call('session.list', { all: true }, { signal })
    return [...new Set(sessions.flatMap(({ name }) => name ?? []))]
  } finally {
    client.close()
  }
}
