import { McpServer, createMcpHandler, fromJsonSchema } from '@modelcontextprotocol/server'
import { VERSION } from '@transom/protocol'
import type { GatewayCalls } from '../gateway-calls.ts'
import type { McpEndpoint } from '../gateway.ts'
import type { SessionListWatch } from '../session-list-watch.ts'
import type { Grant } from '../token-store.ts'
import { instructions } from './instructions.ts'
import { ListenBus, followListen, isListen } from './listen.ts'
import { ResourceWatch } from './resource-watch.ts'
import { registerResources } from './resources.ts'
import { callTool, type CallerDefaults, type ToolHost } from './tool-call.ts'
import { inputSchema, outputSchema, permittedTools, toolsOf, type Tool, type ToolSet } from './tool-table.ts'

export interface McpOptions {
  readonly calls: GatewayCalls
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
      const grant = authInfo?.extra?.['grant'] as Grant // put there below
      const defaults = { ...options.defaults, $TRANSOM_ACTOR: `mcp ${grant.name}` }
      // The protocol of 2025 is served without a session, and so without a way to tell a client anything.
      const subscriptions = era === 'modern' ? { subscriptions: { era, watch: null } } : {}
      return createServer(permittedTools(tools, grant), grant, { ...options, defaults, ...subscriptions })
    },
    { bus },
  )
  const { calls, sessions } = options
  return {
    fetch: async ({ request, grant, body, isBusy }) => {
      const authInfo = { token: '', clientId: grant.id, scopes: [grant.scope], extra: { grant } }
      if (!isListen(body))
        return handler.fetch(request, { authInfo, ...(body === undefined ? {} : { parsedBody: body }) })
      const watch = new ResourceWatch({ calls, grant, sessions, isBusy })
      return bus.open(watch, async () =>
        handler.fetch(request, { authInfo, parsedBody: await followListen(watch, body) }),
      )
    },
    close: () => handler.close(),
  }
}

/** A server with these tools. With `subscriptions` its client can be told that a resource has changed. */
export function createServer(
  tools: readonly Tool[],
  grant: Grant,
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
  const host: ToolHost = {
    defaults,
    call: (operation, params, signal) => calls.call(grant, operation, params, signal),
  }
  for (const tool of tools) registerTool(server, host, tool)
  const watch = subscriptions?.era === 'legacy' ? subscriptions.watch : null
  if (watch !== null) registerSubscribe(server, watch)
  // In the protocol of 2025 nobody asks to be told that the list has changed: whoever has looked at it is told.
  registerResources(server, host, () => watch?.followList())
  return server
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

function registerTool(server: McpServer, host: ToolHost, tool: Tool): void {
  const { name, title, description, destructive = false } = tool.tool
  const { readOnly } = tool.definition
  server.registerTool(
    name,
    {
      title,
      description,
      inputSchema: described(inputSchema(tool)),
      outputSchema: described(outputSchema(tool)),
      annotations: {
        title,
        readOnlyHint: readOnly,
        destructiveHint: !readOnly && destructive,
        idempotentHint: readOnly,
        openWorldHint: !readOnly, // a program may reach anything
      },
    },
    async (given, context) => callTool(host, tool, given, context),
  )
}

/** A schema that is shown and not checked: the host checks, and its message says what is wrong and what to do. */
function described(schema: Record<string, unknown>) {
  return fromJsonSchema<Record<string, unknown>>(schema, {
    getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
  })
}
