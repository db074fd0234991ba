import type { SessionKind } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import type { Manifest } from '../home/manifest.ts'
import type { Session } from './session.ts'
import { TerminalSession } from './terminal-session.ts'
import { WebSession } from './web-session.ts'

const KIND_WORDS: Readonly<Record<SessionKind, string>> = { terminal: 'a terminal', web: 'a web page' }

export function asTerminal(session: Session): TerminalSession {
  if (session instanceof TerminalSession) return session
  throw wrongKind(session.manifest, 'terminal')
}

export function asWeb(session: Session): WebSession {
  if (session instanceof WebSession) return session
  throw wrongKind(session.manifest, 'web')
}

/** Throws unless the session, live or ended, is of this kind. */
export function assertKind(manifest: Manifest, wanted: SessionKind): void {
  if (manifest.kind !== wanted) throw wrongKind(manifest, wanted)
}

export function wrongKind(
  { session, kind }: Pick<Manifest, 'session' | 'kind'>,
  wanted: SessionKind,
): OpError {
  const message = `session ${session} is ${KIND_WORDS[kind]} and this is for ${KIND_WORDS[wanted]}`
  return new OpError('wrong_kind', message, { session, kind, wanted })
}
