import {
  McpServer,
  ResourceTemplate,
  createMcpHandler,
  fromJsonSchema,
  type McpServerFactory,
} from '@modelcontextprotocol/server'
import { VERSION, type Snapshot } from '@transom/protocol'
import { FULL_GRANT } from '../access.ts'
import type { GatewayCalls } from '../gateway-calls.ts'
import type { McpEndpoint } from '../gateway.ts'
import type { Grant } from '../token-store.ts'
import { SCREEN_CHARS_DEFAULT, compact, fenced } from './compact-screen.ts'
import { instructions } from './instructions.ts'
import { callTool, type ToolHost } from './tool-call.ts'
import { inputSchema, outputSchema, permittedTools, toolsOf, type Tool, type ToolSet } from './tool-table.ts'

const SESSIONS_URI = 'transom://sessions'
const SCREEN_URI = 'transom://sessions/{session}/screen'

export interface McpOptions {
  readonly calls: GatewayCalls
  readonly set: ToolSet
  /** What parameters are taken to be that a caller leaves out, by name. */
  readonly defaults: Readonly<Record<string, unknown>>
}

/** Makes servers for `serveStdio`: whoever started this program may do everything. */
export function mcpServerFactory(options: McpOptions): McpServerFactory {
  const tools = toolsOf(options.set)
  return () => createServer(tools, FULL_GRANT, options)
}

/** MCP over Streamable HTTP; who calls has been let in by the gateway, and has the tools that its token allows. */
export function createMcpEndpoint(options: McpOptions): McpEndpoint {
  const tools = toolsOf(options.set)
  const handler = createMcpHandler(({ authInfo }) => {
    const grant = authInfo?.extra?.['grant'] as Grant // put there below
    const defaults = { ...options.defaults, actor: `mcp ${grant.name}` }
    return createServer(permittedTools(tools, grant), grant, { ...options, defaults })
  })
  return {
    fetch: async (request, grant, parsedBody) =>
      handler.fetch(request, {
        authInfo: { token: '', clientId: grant.id, scopes: [grant.scope], extra: { grant } },
        ...(parsedBody === undefined ? {} : { parsedBody }),
      }),
    close: () => handler.close(),
  }
}

function createServer(tools: readonly Tool[], grant: Grant, { calls, set, defaults }: McpOptions): McpServer {
  const server = new McpServer(
    { name: 'transom', title: 'Transom', version: VERSION },
    { instructions: instructions(set), capabilities: { tools: {}, resources: {} } },
  )
  const host: ToolHost = {
    defaults,
    call: (operation, params, signal) => calls.call(grant, operation, params, signal),
  }
  for (const tool of tools) registerTool(server, host, tool)
  registerResources(server, host)
  return server
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

function registerResources(server: McpServer, host: ToolHost): void {
  const none = new AbortController().signal
  const listed = async (signal: AbortSignal) => {
    const { sessions } = (await host.call('session.list', {}, signal)) as { sessions: SessionLine[] }
    return sessions
  }
  server.registerResource(
    'sessions',
    SESSIONS_URI,
    { title: 'Sessions', description: 'The active sessions.', mimeType: 'application/json' },
    async (uri, { mcpReq }) => {
      const text = JSON.stringify(await listed(mcpReq.signal))
      return { contents: [{ uri: uri.href, mimeType: 'application/json', text }] }
    },
  )
  const list = async () => ({
    resources: (await listed(none)).map(({ session, name, command }) => ({
      uri: SCREEN_URI.replace('{session}', session),
      name: name ?? session,
      description: `The screen of ${command.join(' ').slice(0, 100)}`,
      mimeType: 'text/plain',
    })),
  })
  server.registerResource(
    'screen',
    new ResourceTemplate(SCREEN_URI, { list }),
    { title: 'Screen', description: 'What a session shows now.', mimeType: 'text/plain' },
    async (uri, { session }, { mcpReq }) => {
      const snapshot = (await host.call('session.snapshot', { session }, mcpReq.signal)) as Snapshot
      const text = fenced(compact(snapshot, SCREEN_CHARS_DEFAULT * 2).untrusted_output)
      return { contents: [{ uri: uri.href, mimeType: 'text/plain', text }] }
    },
  )
}

interface SessionLine {
  readonly session: string
  readonly name: string | null
  readonly command: readonly string[]
}

/** A schema that is shown and not checked: the host checks, and its message says what is wrong and what to do. */
function described(schema: Record<string, unknown>) {
  return fromJsonSchema<Record<string, unknown>>(schema, {
    getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
  })
}
