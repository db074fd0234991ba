/** The gateway: `serve`, `token …` and `mcp`. Loaded into the CLI's process by the commands that need it. */
import * as os from 'node:os'
import { OpError } from '@transom/protocol/errors'
import { TOKEN_SCOPES, TOOL_SETS, type TokenScope, type ToolSet } from '@transom/protocol'
import type { GatewayInvocation } from '../surfaces/cli/gateway-commands.ts'
import {
  connectOrStartHost,
  connectToHost,
  followSession,
  type HostFinder,
} from '../surfaces/cli/host-connection.ts'
import { CallMetrics } from '../surfaces/host-calls/call-metrics.ts'
import { HostCalls } from '../surfaces/host-calls/host-calls.ts'
import { GATEWAY_LIMITS, Gateway } from '../surfaces/gateway/gateway.ts'
import { HostPool, type HostConnector } from '../surfaces/host-calls/host-pool.ts'
import { LISTEN_DEFAULT, listenAddress } from '../surfaces/gateway/listen-address.ts'
import { CODE_MS, LoginCodes } from '../surfaces/gateway/login-codes.ts'
import { createMcpEndpoint } from '../surfaces/mcp/mcp-server.ts'
import { serveOnStdio } from '../surfaces/mcp/stdio-connection.ts'
import { SessionListWatch } from '../surfaces/host-calls/session-list-watch.ts'
import { FIRST_TOKEN_NAME, TokenStore, type Grant, type NewToken } from '../surfaces/gateway/token-store.ts'
import { VIEWER_PATH } from '../surfaces/gateway/viewer-routes.ts'
import { Home } from '../home/home.ts'
import { workingFolder } from '../lib/working-folder.ts'

/** Carries out a command of cli/gateway-commands.ts; returns the exit status. */
export async function runGatewayCommand(invocation: GatewayInvocation): Promise<number> {
  const home = Home.open(invocation.finder.home)
  const tokens = new TokenStore(home.path)
  switch (invocation.command) {
    case 'serve':
      await serve(invocation, home, tokens)
      return 0
    case 'mcp':
      await serveMcp(invocation, home)
      return 0
    case 'token create':
      tellToken(invocation, await createToken(invocation, tokens))
      return 0
    case 'token list': {
      const grants = tokens.list()
      invocation.answer(
        { tokens: grants.map(shownGrant) },
        grants.map(grantLine).join('\n') || 'there are no tokens',
      )
      return 0
    }
    case 'token revoke': {
      const revoked = tokens.revoke(stringParam(invocation, 'token') ?? '')
      invocation.answer({ revoked: shownGrant(revoked) }, `revoked ${grantLine(revoked)}`)
      return 0
    }
    case 'login':
      logIn(invocation, home)
      return 0
    case 'token rotate':
      tellToken(invocation, tokens.rotate(stringParam(invocation, 'token') ?? FIRST_TOKEN_NAME))
      return 0
    default:
      throw new Error(`the gateway has no command ${invocation.command}`)
  }
}

async function serve(invocation: GatewayInvocation, home: Home, tokens: TokenStore): Promise<void> {
  const { params, finder, signal } = invocation
  const address = listenAddress(params)
  const rate = params['rate_limit']
  if (rate !== undefined && (typeof rate !== 'number' || rate < 1))
    throw new OpError('usage', `--rate-limit takes a number from 1 (got ${JSON.stringify(rate)})`)
  const sessions = new SessionListWatch(home)
  const gateway = await Gateway.listen({
    home: home.path,
    address,
    allowHosts: listParam(invocation, 'allow_host'),
    allowOrigins: listParam(invocation, 'allow_origin'),
    connector: hostConnector(finder),
    tokens,
    limits: { ...GATEWAY_LIMITS, ...(rate === undefined ? {} : { requestsPerSecond: rate }) },
    createMcp: (calls) => createMcpEndpoint({ calls, sessions, set: 'transom', defaults: {} }),
    debug: finder.env['TRANSOM_DEBUG'] === '1' ? finder.debug : null,
  })
  try {
    const first = tokens.createFirst()
    const lines = [`listening on ${gateway.url}`]
    if (first !== null) lines.push(`token (shown this once): ${first.token}`)
    invocation.answer(
      { url: gateway.url, ...(first === null ? {} : { token: first.token }) },
      lines.join('\n'),
    )
    await untilEnded(signal)
  } finally {
    await gateway.close()
  }
}

/** Speaks MCP on standard input and output until the client closes them. */
async function serveMcp(invocation: GatewayInvocation, home: Home): Promise<void> {
  const { params, finder, signal, notice } = invocation
  const set = params['tools'] ?? 'transom'
  if (!isToolSet(set))
    throw new OpError('usage', `--tools takes ${TOOL_SETS.join(' or ')} (got ${JSON.stringify(set)})`, {
      tools: set,
    })
  const calls = new HostCalls(hostConnector(finder), new CallMetrics())
  const { env } = process
  const defaults = { $TRANSOM_ACTOR: env['TRANSOM_ACTOR'], cwd: startFolder(), environment: env }
  const onerror = (error: Error) => finder.debug(`mcp: ${error.message}`)
  const server = serveOnStdio({ calls, set, defaults, sessions: new SessionListWatch(home) }, onerror)
  if (process.stdin.isTTY)
    notice('speaking MCP on standard input; this is for a client to start, not for a person')
  await Promise.race([untilEnded(signal), new Promise((resolve) => process.stdin.once('close', resolve))])
  await server.close()
  calls.close()
}

/** Where a session starts unless the client names a folder; the user's home if this program's has been removed. */
function startFolder(): string {
  try {
    return workingFolder()
  } catch {
    return os.homedir()
  }
}

async function untilEnded(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
    process.once('SIGTERM', () => resolve())
    if (signal.aborted) resolve()
  })
}

/** The code follows the `#`: browsers do not send that part of an address. */
function logIn(invocation: GatewayInvocation, home: Home): void {
  const given = stringParam(invocation, 'url') ?? `http://${LISTEN_DEFAULT}`
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol))
    throw new OpError('usage', `--url takes the address of a gateway (got ${JSON.stringify(given)})`)
  const url = `${new URL(VIEWER_PATH, given).href}#${new LoginCodes(home.path).create()}`
  invocation.answer({ url, expires_in_ms: CODE_MS }, url)
  invocation.notice('open this in a browser within a minute; it works once, and lets look, not act')
}

async function createToken(invocation: GatewayInvocation, tokens: TokenStore): Promise<NewToken> {
  const scope = stringParam(invocation, 'scope') ?? 'operate'
  if (!isScope(scope))
    throw new OpError('usage', `--scope takes read, operate or admin (got ${scope})`, { scope })
  const refs = listParam(invocation, 'session')
  const name = stringParam(invocation, 'name')
  const sessions = refs.length === 0 ? null : await findSessions(invocation, refs)
  return tokens.create({ scope, sessions, ...(name === undefined ? {} : { name }) })
}

/** A token holds ids: a name may come to mean another session. */
async function findSessions(
  { finder, signal }: GatewayInvocation,
  refs: readonly string[],
): Promise<string[]> {
  const pool = new HostPool(hostConnector(finder))
  try {
    return await Promise.all(refs.map((ref) => pool.findSession(ref, signal)))
  } finally {
    pool.close()
  }
}

function hostConnector(finder: HostFinder): HostConnector {
  return {
    connect: ({ start }) => (start ? connectOrStartHost(finder) : connectToHost(finder)),
    follow: followSession,
  }
}

function tellToken({ answer, notice }: GatewayInvocation, { grant, token }: NewToken): void {
  answer({ ...shownGrant(grant), token }, token)
  notice(`${grantLine(grant)}; the token is shown this once`)
}

function shownGrant({ kind: _kind, ...grant }: Grant): object {
  return grant
}

function grantLine({ id, name, scope, sessions, created_at }: Grant): string {
  return [id, name, scope, sessions === null ? 'all sessions' : sessions.join(','), created_at].join('  ')
}

function isToolSet(set: unknown): set is ToolSet {
  return TOOL_SETS.some((known) => known === set)
}

function isScope(scope: string): scope is TokenScope {
  return TOKEN_SCOPES.some((known) => known === scope)
}

function stringParam({ params }: GatewayInvocation, name: string): string | undefined {
  const value = params[name]
  return typeof value === 'string' ? value : undefined
}

function listParam({ params }: GatewayInvocation, name: string): string[] {
  const value = params[name]
  return Array.isArray(value) ? value.map(String) : []
}
