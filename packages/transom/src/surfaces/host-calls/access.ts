import {
  stepOperation,
  OPERATIONS,
  highestScope,
  includesScope,
  isOperationName,
  neededFor,
  reachOf,
  type Needed,
  type OperationDefinition,
  type OperationName,
  type Principal,
  type TokenScope,
} from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'

/** The operation of this name, as the table has it. */
function findOperation(name: string): { name: OperationName; definition: OperationDefinition } {
  if (isOperationName(name)) return { name, definition: OPERATIONS[name] }
  const message = `no operation ${JSON.stringify(name)}; GET /openapi.json describes those there are`
  throw new OpError('unknown_operation', message, { operation: name })
}

export function assertScope(principal: Principal, needed: TokenScope, what: string): void {
  const { scope } = reachOf(principal)
  if (includesScope(scope, needed)) return
  const message = `${what} needs a token with the scope ${needed}, and this one has ${scope}; "transom token create --scope ${needed}" makes one`
  throw new OpError('forbidden', message, { needed, scope })
}

/** For what shows more than single sessions: metrics, for example. */
export function assertUnrestricted(principal: Principal, what: string): void {
  const { sessions } = reachOf(principal)
  if (sessions !== null) throw forRestricted(what, sessions)
}

function forRestricted(what: string, sessions: readonly string[]): OpError {
  return new OpError('forbidden', `${what} is not for a token that is restricted to sessions`, { sessions })
}

/**
 * Checks whether a principal may call an operation with these parameters, and returns the parameters to call it with.
 * A session is put there by its id, so that a name cannot come to mean another session after this check.
 */
export async function authorize(
  principal: Principal,
  operation: string,
  params: unknown,
  finder: SessionFinder,
): Promise<unknown> {
  const { name, definition } = findOperation(operation)
  const { scope, unrestricted } = neededForAll(definition, params)
  assertScope(principal, scope, name)
  const { sessions } = reachOf(principal)
  if (sessions === null) return params
  if (unrestricted !== null) throw forRestricted(`${name} ${UNRESTRICTED_WORDS[unrestricted]}: it`, sessions)
  const { reach } = definition.access
  const { shape } = definition.params
  switch (reach) {
    case 'home':
      throw forRestricted(name, sessions)
    case 'listed':
    case 'connection':
      return params
    case 'conversation': {
      const parameter = 'conversation_id'
      const find = finder.findConversation
      const session = await ownSession(sessions, params, { operation: name, parameter, find })
      // A session that has ended in the meantime is not followed by a new one, which would be out of bounds.
      const staying = 'must_exist' in shape ? { must_exist: true } : {}
      return { ...(params as object), [parameter]: session, ...staying }
    }
    case 'session': {
      const parameter = 'session'
      const find = finder.findSession
      const session = await ownSession(sessions, params, { operation: name, parameter, find })
      const checked = { ...(params as object), session }
      refuseNestedSessions(checked, session)
      return checked
    }
    default:
      return reach satisfies never
  }
}

const UNRESTRICTED_WORDS: Readonly<Record<NonNullable<Needed['unrestricted']>, string>> = {
  home: 'concerns the whole Home',
  machine: 'starts a program on the host’s machine',
  file: 'names a file on the host’s machine',
  artifacts: 'writes artifacts',
  network: 'reaches the network',
}

/** What a name, a prefix or a conversation stands for, as a session's id. */
export interface SessionFinder {
  readonly findSession: (ref: string) => Promise<string>
  readonly findConversation: (ref: string) => Promise<string>
}

/** The id of the session that a parameter names, which must be one of the token's own. */
async function ownSession(
  sessions: readonly string[],
  params: unknown,
  named: {
    operation: string
    parameter: 'session' | 'conversation_id'
    find: (ref: string) => Promise<string>
  },
): Promise<string> {
  const { operation, parameter, find } = named
  const given = typeof params === 'object' && params !== null ? (params as Record<string, unknown>) : {}
  const ref = given[parameter]
  if (typeof ref !== 'string')
    throw new OpError('usage', `${operation}: ${parameter}: a session id is needed`, { operation })
  const session = sessions.includes(ref) ? ref : await idOrNull(find, ref)
  if (session === null || !sessions.includes(session)) throw foreignSession(ref, sessions)
  return session
}

/** What the operation needs, and those that it is made of: its steps. */
function neededForAll(definition: OperationDefinition, params: unknown): Needed {
  const steps = typeof params === 'object' && params !== null && 'steps' in params ? params.steps : []
  const inner = (Array.isArray(steps) ? (steps as unknown[]) : []).flatMap((part) => {
    if (typeof part !== 'object' || part === null || !('step' in part)) return []
    const operation = stepOperation(String(part.step))
    return isOperationName(operation) ? [neededFor(OPERATIONS[operation], part)] : []
  })
  const all = [neededFor(definition, params), ...inner]
  return {
    scope: highestScope(all.map(({ scope }) => scope)),
    unrestricted: all.find(({ unrestricted }) => unrestricted !== null)?.unrestricted ?? null,
  }
}

/** The part of an answer that a principal restricted to some sessions may see. */
export function filterResult(principal: Principal, operation: string, result: unknown): unknown {
  const { sessions } = reachOf(principal)
  if (sessions === null || findOperation(operation).definition.access.reach !== 'listed') return result
  if (typeof result !== 'object' || result === null || !('sessions' in result)) return {}
  const listed = Array.isArray(result.sessions) ? (result.sessions as { session: string }[]) : []
  return { ...result, sessions: listed.filter(({ session }) => sessions.includes(session)) }
}

async function idOrNull(find: (ref: string) => Promise<string>, ref: string): Promise<string | null> {
  try {
    return await find(ref)
  } catch (error) {
    // Same answer as for an existing session: this token must not learn what others run.
    if (error instanceof OpError && error.code.startsWith('session_')) return null
    throw error
  }
}

/** An operation made of others may name a session again inside. */
function refuseNestedSessions(value: unknown, session: string): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, part] of Object.entries(value)) {
    if (key === 'session' && part !== session) throw foreignSession(String(part), [session])
    refuseNestedSessions(part, session)
  }
}

function foreignSession(ref: string, sessions: readonly string[]): OpError {
  const message = `this token is for ${sessions.join(', ')} and not for ${JSON.stringify(ref)}`
  return new OpError('forbidden', message, { session: ref, sessions })
}
