import {
  CLIENT_INFO_META_KEY,
  McpServer,
  createMcpHandler,
  fromJsonSchema,
} from '@modelcontextprotocol/server'
import {
  VERSION,
  type LocalPrincipal,
  type McpClient,
  type TokenPrincipal,
  type ToolSet,
} from '@transom/protocol'
import type { HostCalls } from '../host-calls/host-calls.ts'
import type { SessionListWatch } from '../host-calls/session-list-watch.ts'
import { reportBadParams } from './bad-params.ts'
import { instructions } from './instructions.ts'
import { ListenBus, followListen, isListen } from './listen.ts'
import type { McpEndpoint } from './mcp-endpoint.ts'
import { ResourceWatch } from './resource-watch.ts'
import { registerResources } from './resources.ts'
import { inputSchema } from './input-schema.ts'
import { callTool, type CallingRequest, type ToolHost } from './tool-call.ts'
import type { CallerDefaults } from './tool-request.ts'
import { hintsOf, permittedTools, toolsOf, type Tool } from './tool-table.ts'

export interface McpOptions {
  readonly calls: HostCalls
  readonly set: ToolSet
  readonly defaults: CallerDefaults
  readonly sessions: SessionListWatch
}

export interface Subscriptions {
  readonly era: 'legacy' | 'modern'
  /** Null where each stream has a watch of its own. */
  readonly watch: ResourceWatch | null
}

/** MCP over Streamable HTTP; who calls has been let in by the gateway, and has the tools that its token allows. */
export function createMcpEndpoint(options: McpOptions): McpEndpoint {
  const tools = toolsOf(options.set)
  const bus = new ListenBus()
  const handler = createMcpHandler(
    ({ authInfo, era }) => {
      const grant = authInfo?.extra?.['grant'] as TokenPrincipal // put there below
      // The protocol of 2025 is served without a session, so the server cannot notify a client.
      const subscriptions = era === 'modern' ? { subscriptions: { era, watch: null } } : {}
      return createServer(permittedTools(tools, grant), grant, { ...options, ...subscriptions })
    },
    { bus },
  )
  const { calls, sessions } = options
  return {
    opensStream: isListen,
    fetch: async ({ request, grant, body, isBusy }) => {
      const authInfo = { token: '', clientId: grant.id, scopes: [grant.scope], extra: { grant } }
      if (!isListen(body))
        return handler.fetch(request, { authInfo, ...(body === undefined ? {} : { parsedBody: body }) })
      const watch = new ResourceWatch({ calls, principal: grant, sessions, isBusy })
      return bus.open(watch, async () =>
        handler.fetch(request, { authInfo, parsedBody: await followListen(watch, body) }),
      )
    },
    close: () => handler.close(),
  }
}

/** A server with these tools. With `subscriptions` it can notify its client of a changed resource. */
export function createServer(
  tools: readonly Tool[],
  under: LocalPrincipal | TokenPrincipal,
  options: McpOptions & { readonly subscriptions?: Subscriptions },
): McpServer {
  const { calls, set, defaults, subscriptions } = options
  const tells = subscriptions !== undefined
  const server = new McpServer(
    { name: 'transom', title: 'Transom', version: VERSION },
    {
      instructions: instructions(set),
      capabilities: {
        tools: { listChanged: false },
        resources: { subscribe: tells, listChanged: tells },
      },
    },
  )
  reportBadParams(server)
  const host: ToolHost = {
    defaults,
    tools,
    call: (operation, params, request) =>
      calls.call(
        { kind: 'mcp', client: clientOf(server, request), under },
        operation,
        params,
        request.signal,
      ),
  }
  for (const tool of tools) registerTool(server, host, tool)
  const watch = subscriptions?.era === 'legacy' ? subscriptions.watch : null
  if (watch !== null) registerSubscribe(server, watch)
  // In the protocol of 2025 there is no request to follow the list: a client that has read it is notified of changes.
  registerResources(server, host, () => watch?.followList())
  return server
}

/**
 * How the client introduced itself: with each request of the 2026 protocol, by `initialize` in that of 2025. Null if it
 * did not, as over HTTP in the protocol of 2025, where requests share no session.
 */
function clientOf({ server }: McpServer, { envelope }: CallingRequest): McpClient | null {
  const named = (envelope as Record<string, unknown> | undefined)?.[CLIENT_INFO_META_KEY] // unchecked, by its key
  const client = isMcpClient(named) ? named : server.getClientVersion()
  return client === undefined ? null : { name: client.name, version: client.version }
}

function isMcpClient(value: unknown): value is McpClient {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('version' in value)) return false
  return typeof value.name === 'string' && typeof value.version === 'string'
}

/** Requests of the 2025 protocol; in that of 2026 a client listens. */
function registerSubscribe({ server }: McpServer, watch: ResourceWatch): void {
  server.setRequestHandler('resources/subscribe', async ({ params }) => {
    await watch.follow(params.uri)
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', async ({ params }) => {
    await watch.unfollow(params.uri)
    return {}
  })
}

/**
 * No output schemas: they took more of a model's context than the tools themselves, and every answer is JSON with the
 * names of docs/operations.md.
 */
function registerTool(server: McpServer, host: ToolHost, tool: Tool): void {
  const { name, title, description } = tool.tool
  server.registerTool(
    name,
    { title, description, inputSchema: described(inputSchema(tool)), annotations: hintsOf(tool) },
    async (given, context) => callTool(host, tool, given, context),
  )
}

/** A schema that is shown and not checked: the host checks, and its message says what is wrong and what to do. */
function described(schema: Record<string, unknown>) {
  return fromJsonSchema<Record<string, unknown>>(schema, {
    getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
  })
}
