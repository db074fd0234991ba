import { z } from 'zod'
import { TOKEN_SCOPES, type TokenScope } from './access.ts'

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

/** A process of the peer's own user that the peer passes a request on for, as a host does to a dedicated one. */
const passedOnProcess = z.strictObject({ kind: z.literal('local'), pid: z.int().positive().nullable() })

const via = { via: z.string().max(2000).optional().describe('Who vouched for it before this peer.') }

/**
 * For whom a local peer of a host makes a request. It has no way to name a user: that is always the peer's own, as the
 * kernel reports it. The peer itself is recorded beside whomever it vouches for.
 */
export const delegation = z.discriminatedUnion('kind', [
  tokenPrincipal.extend(via),
  passedOnProcess.extend(via),
  z.object({
    kind: z.literal('mcp'),
    client: mcpClient.nullable(),
    under: z
      .discriminatedUnion('kind', [tokenPrincipal, passedOnProcess])
      .nullable()
      .describe('Null for the peer itself.'),
    ...via,
  }),
])
export type Delegation = z.infer<typeof delegation>

/** The principal of a request that a local peer makes for another one. */
export function delegatedPrincipal(peer: LocalPrincipal, delegated: Delegation): Principal {
  switch (delegated.kind) {
    case 'token':
      return sentToken(delegated)
    case 'local':
      return { ...peer, pid: delegated.pid }
    case 'mcp': {
      const { client, under } = delegated
      return {
        kind: 'mcp',
        client,
        under: under?.kind === 'local' ? { ...peer, pid: under.pid } : (under ?? peer),
      }
    }
    default:
      return delegated satisfies never
  }
}

/** Who vouches for a delegated principal, the nearest to it first; null for an MCP client of the peer itself. */
export function vouchersOf(peer: LocalPrincipal, delegated: Delegation): string | null {
  if (delegated.kind === 'mcp' && delegated.under === null) return null
  return [...(delegated.via === undefined ? [] : [delegated.via]), actorName(peer)].join(', ')
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
        client: sentClient(client),
        under: under.kind === 'token' ? sentToken(under) : null,
      }
    }
    default:
      return principal satisfies never
  }
}

/** What a host sends to another one with a request that it passes on, with those who vouched for it. */
export function passedOn(principal: Principal, vouchers: string | null): Delegation {
  const before = vouchers === null ? {} : { via: vouchers }
  switch (principal.kind) {
    case 'local':
      return { kind: 'local', pid: principal.pid, ...before }
    case 'token':
      return { ...sentToken(principal), ...before }
    case 'mcp': {
      const { client, under } = principal
      const sent = under.kind === 'token' ? sentToken(under) : { kind: under.kind, pid: under.pid }
      return { kind: 'mcp', client: sentClient(client), under: sent, ...before }
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

function sentClient(client: McpClient | null): McpClient | null {
  return client === null ? null : { name: cut(client.name), version: cut(client.version) }
}

function cut(text: string): string {
  return text.slice(0, PRINCIPAL_NAME_CHARS_MAX)
}
