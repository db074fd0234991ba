import { z } from 'zod'
import { TOKEN_SCOPES, type TokenScope } from './operation.ts'

/** A process on this machine, as the kernel knows it. It may do everything that its user may. */
export interface LocalPrincipal {
  readonly kind: 'local'
  readonly uid: number
  /** Null where the kernel does not report it. */
  readonly pid: number | null
  /** The name of the user; null for a uid without one. */
  readonly user: string | null
}

/** Names from outside that become part of an actor. */
export const PRINCIPAL_NAME_CHARS_MAX = 200

const name = z.string().max(PRINCIPAL_NAME_CHARS_MAX)

/** A token of the gateway, or a login made with a code: what it may do, and on which sessions (null: on all). */
export const tokenPrincipal = z.object({
  kind: z.literal('token'),
  id: name,
  name,
  scope: z.enum(TOKEN_SCOPES),
  sessions: z.array(z.string()).nullable(),
})
export type TokenPrincipal = z.infer<typeof tokenPrincipal>

/** An MCP client as it introduced itself: a claim, and so always shown with the principal that it runs under. */
const mcpClient = z.object({ name, version: name })
export type McpClient = z.infer<typeof mcpClient>

export interface McpPrincipal {
  readonly kind: 'mcp'
  /** Null if it did not introduce itself. */
  readonly client: McpClient | null
  readonly under: LocalPrincipal | TokenPrincipal
}

/** Who is asking. It is made where a request enters and goes with it to the handler. */
export type Principal = LocalPrincipal | TokenPrincipal | McpPrincipal

/**
 * For whom a local peer of a host makes a request. It has no way to name a user or a process: those are always the
 * peer's own, as the kernel reports them.
 */
export const delegation = z.discriminatedUnion('kind', [
  tokenPrincipal,
  z.object({
    kind: z.literal('mcp'),
    client: mcpClient.nullable(),
    under: tokenPrincipal.nullable().describe('Null for the peer itself.'),
  }),
])
export type Delegation = z.infer<typeof delegation>

/** The principal of a request that a local peer makes for another one. */
export function delegatedPrincipal(peer: LocalPrincipal, delegated: Delegation): Principal {
  if (delegated.kind === 'token') return delegated
  return { kind: 'mcp', client: delegated.client, under: delegated.under ?? peer }
}

/** What a local peer sends with a request for this principal; undefined if it asks for itself. */
export function delegationOf(principal: Principal): Delegation | undefined {
  switch (principal.kind) {
    case 'local':
      return undefined
    case 'token':
      return sentToken(principal)
    case 'mcp': {
      const { client, under } = principal
      return {
        kind: 'mcp',
        client: client === null ? null : { name: cut(client.name), version: cut(client.version) },
        under: under.kind === 'token' ? sentToken(under) : null,
      }
    }
    default:
      return principal satisfies never
  }
}

/** What a principal may do; `sessions` is null for all of them, and for what concerns none. */
export function reachOf(principal: Principal): { scope: TokenScope; sessions: readonly string[] | null } {
  switch (principal.kind) {
    case 'local':
      return { scope: 'admin', sessions: null }
    case 'token':
      return principal
    case 'mcp':
      return reachOf(principal.under)
    default:
      return principal satisfies never
  }
}

/** The principal as the Event Log names it: `root (pid 812)`, `token ci-bot`, `mcp claude-code under token ci-bot`. */
export function actorName(principal: Principal): string {
  switch (principal.kind) {
    case 'local': {
      const { user, uid, pid } = principal
      return `${user === null ? `uid ${uid}` : word(user)}${pid === null ? '' : ` (pid ${pid})`}`
    }
    case 'token':
      return `token ${word(principal.name)}`
    case 'mcp': {
      const client = principal.client === null ? '' : `${word(principal.client.name)} `
      return `mcp ${client}under ${actorName(principal.under)}`
    }
    default:
      return principal satisfies never
  }
}

/** A name that could be taken for more than a name is put between quotes: clients choose their own. */
function word(text: string): string {
  if (/^[\p{L}\p{N}._@:/+-]+$/u.test(text) && text !== 'under') return text
  return JSON.stringify(text.replaceAll(/\p{C}/gu, '\ufffd'))
}

function sentToken({ kind, id, name: named, scope, sessions }: TokenPrincipal): TokenPrincipal {
  return { kind, id, name: cut(named), scope, sessions }
}

function cut(text: string): string {
  return text.slice(0, PRINCIPAL_NAME_CHARS_MAX)
}
