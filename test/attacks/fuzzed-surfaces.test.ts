/** Random requests to the gateway and to MCP over both transports: only errors of the table, and nothing ends. */
import { once } from 'node:events'
import * as net from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { FUZZ_TIMEOUT_MS, expectNoBug, oddMessage, oddText, oddValuesOf, withstand } from '../support/fuzz.ts'
import { GatewayProcess } from '../support/gateway-process.ts'
import { StdioClient, type Tool } from '../support/mcp-client.ts'
import { oddRequest, paramsOf } from '../support/odd-requests.ts'
import { TestHome } from '../support/test-home.ts'

const MCP_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
}
/** What starts programs or browsers, or ends the session that is asked about. */
const TOOLS_LEFT_OUT = ['create_session', 'destroy_session', 'open_page']

let home: TestHome
let session: string
let gateway: GatewayProcess
let stdio: StdioClient
let tools: Tool[]

beforeAll(async () => {
  home = new TestHome()
  session = await home.ok('create', '--', 'cat')
  gateway = await GatewayProcess.start(home, '--rate-limit', '1000000')
  stdio = await StdioClient.start(home)
  const listed = (await stdio.request('tools/list')) as unknown as { tools: Tool[] }
  tools = listed.tools.filter(({ name }) => !TOOLS_LEFT_OUT.includes(name))
})

afterAll(async () => {
  await stdio.close()
  await gateway.close()
  await home.close()
})

/** As Node's client sends it: the rest would fail before it is sent. */
const headerText = oddText.map((text) => text.replaceAll(/[^\t\x20-\x7e]/g, '').slice(0, 300))
const pathText = oddText.map((text) => encodeURIComponent(text.replaceAll(/\p{Cs}/gu, '')).slice(0, 500))

function toolCall(): fc.Arbitrary<{ name: string; arguments: object }> {
  return fc.constantFrom(...tools).chain(({ name, inputSchema }) => {
    const names = Object.keys(inputSchema.properties)
    const fixed = {
      ...(names.includes('session') ? { session } : {}),
      ...(names.includes('timeout_ms') ? { timeout_ms: 0 } : {}),
    }
    return fc.record({ given: oddValuesOf(names), isForSession: fc.boolean() }).map((asked) => ({
      name,
      arguments: { ...asked.given, ...(asked.isForSession ? fixed : { timeout_ms: 0 }) },
    }))
  })
}

test(
  'HTTP: each operation answers by the table, whatever its parameters are',
  async () => {
    await withstand({ home, kind: 'operations over HTTP' }, oddRequest, async (asked, id) => {
      const params = paramsOf(asked, { id, session, root: home.root })
      const { status, text } = await gateway.ask(`/v1/${asked.method}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(params),
      })
      expectNoBug(text)
      expect([asked.method, status]).not.toEqual([asked.method, 500])
    })
  },
  FUZZ_TIMEOUT_MS,
)

test(
  'HTTP: any route, method, header and body has an answer',
  async () => {
    const route = fc.oneof(
      fc.constantFrom('/healthz', '/openapi.json', '/metrics', '/mcp', '/', '/viewer', '/viewer/login'),
      fc.constantFrom('/v1/session.list', '/v1/session.inspect', '/v1/session.snapshot', '/v1/stream'),
      pathText.map((text) => `/v1/${text}`),
      pathText.map((text) => `/v1/session.inspect?session=${text}`),
      pathText.map((text) => `/${text}`),
    )
    const header = fc.constantFrom(
      'content-type',
      'accept',
      'origin',
      'host',
      'authorization',
      'cookie',
      'upgrade',
      'last-event-id',
      'mcp-protocol-version',
      'mcp-session-id',
      'mcp-method',
      'mcp-name',
      'sec-websocket-protocol',
      'te',
    )
    const asked = fc.record({
      path: route,
      method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE', 'REPORT'),
      headers: fc.dictionary(header, fc.oneof(headerText, fc.constant('application/json')), { maxKeys: 4 }),
      body: fc.oneof(
        oddText,
        oddMessage.map((message) => JSON.stringify(message)),
      ),
    })
    await withstand({ home, kind: 'HTTP requests' }, asked, async ({ path, ...request }) => {
      const { status, text } = await gateway.ask(path, request)
      expectNoBug(text)
      expect([path, request, status]).not.toEqual([path, request, 500])
    })
    expect((await gateway.call('session.inspect', { session })).status).toBe(200)
  },
  FUZZ_TIMEOUT_MS,
)

test(
  'HTTP: bytes that are no request end their connection only',
  async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.array(oddText, { maxLength: 6 }).map((lines) => Buffer.from(lines.join('\r\n'))),
      fc
        .tuple(headerText, headerText)
        .map(([name, value]) => Buffer.from(`GET /healthz HTTP/1.1\r\n${name}: ${value}\r\n\r\n`)),
    )
    await withstand({ home, kind: 'bytes to the gateway' }, bytes, async (sent) => {
      const socket = net.connect(gateway.port, '127.0.0.1').on('error', () => {})
      let text = ''
      socket.on('data', (chunk) => (text += String(chunk)))
      socket.end(sent)
      await once(socket, 'close')
      expectNoBug(text)
    })
    expect((await gateway.call('session.inspect', { session })).status).toBe(200)
  },
  FUZZ_TIMEOUT_MS,
)

test(
  'WebSocket: any message is answered or closes its own connection',
  async () => {
    let webSocket: WebSocket | null = null
    const open = async () => {
      webSocket = gateway.webSocket()
      webSocket.on('close', () => (webSocket = null))
      await once(webSocket, 'open')
      return webSocket
    }
    const sent = fc.oneof(
      oddMessage.map((message) => JSON.stringify(message)),
      oddText,
    )
    await withstand({ home, kind: 'messages to a WebSocket' }, sent, async (message, id) => {
      const its = webSocket ?? (await open())
      let closed = () => {}
      const answered = new Promise<void>((resolve, reject) => {
        its.on('message', (data: Buffer) => {
          const text = String(data)
          try {
            expectNoBug(text)
          } catch (error) {
            reject(error)
          }
          if (text.includes(`"next ${id}"`)) resolve()
        })
        its.once('close', resolve)
        closed = resolve
      })
      its.send(message)
      its.send(JSON.stringify({ jsonrpc: '2.0', id: `next ${id}`, method: 'session.list', params: {} }))
      await answered
      its.removeAllListeners('message')
      its.off('close', closed)
    })
  },
  FUZZ_TIMEOUT_MS,
)

test(
  'MCP over stdio: each tool answers, whatever its arguments are',
  async () => {
    await withstand({ home, kind: 'tool calls over stdio' }, toolCall(), async (params) => {
      const id = stdio.start('tools/call', params)
      expectNoBug(JSON.stringify(await stdio.next((message) => message.id === id)))
    })
  },
  FUZZ_TIMEOUT_MS,
)

test(
  'MCP over stdio: any message leaves the server running',
  async () => {
    const sent = fc.oneof(
      oddMessage.map((message) => JSON.stringify(message)),
      oddText.map((text) => text.replaceAll('\n', '')),
    )
    await withstand({ home, kind: 'messages over stdio' }, sent, async (message) => {
      stdio.sendLine(message)
      await stdio.request('ping')
      for (const stray of stdio.takeReceived()) expectNoBug(JSON.stringify(stray))
    })
  },
  FUZZ_TIMEOUT_MS,
)

test(
  'MCP over HTTP: each tool and any message is answered',
  async () => {
    const called = toolCall().map((params) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
    const sent = fc.oneof(called, oddMessage)
    await withstand({ home, kind: 'MCP over HTTP' }, sent, async (message) => {
      const body = JSON.stringify(message)
      const { status, text } = await gateway.ask('/mcp', { method: 'POST', headers: MCP_HEADERS, body })
      expectNoBug(text)
      expect([body, status]).not.toEqual([body, 500])
    })
  },
  FUZZ_TIMEOUT_MS,
)
