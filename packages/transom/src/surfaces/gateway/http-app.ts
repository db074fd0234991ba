import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono, type Context } from 'hono'
import { OPERATIONS, VERSION } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { REQUEST_BYTES_MAX } from '@transom/protocol/jsonrpc'
import { assertScope, assertUnrestricted } from '../host-calls/access.ts'
import type { Admission } from './admission.ts'
import { SECURITY_HEADERS, corsHeaders, errorAnswer, jsonAnswer, type Answer } from './answer.ts'
import { streamEvents } from './event-stream.ts'
import type { HostCalls } from '../host-calls/host-calls.ts'
import type { McpEndpoint } from '../mcp/mcp-endpoint.ts'
import { openApiDocument } from './openapi.ts'
import { isAllowedOrigin, type OriginRules } from './origin-guard.ts'
import { callerLeft } from './operation-route.ts'
import { readJsonBody } from './request-body.ts'
import type { StreamSlots } from './stream-slots.ts'
import type { AppEnv } from './app-env.ts'
import { OPEN_VIEWER_PATHS, VIEWER_PATH, addViewerRoutes } from './viewer-routes.ts'

export interface AppParts {
  readonly calls: HostCalls
  readonly admission: Admission
  readonly slots: StreamSlots
  readonly metrics: (signal: AbortSignal) => Promise<string>
  /** Serves /mcp to a caller that has been let in. */
  readonly mcp: McpEndpoint
  /** Null if debug output is off. */
  readonly debug: ((line: string) => void) | null
}

type AppContext = Context<AppEnv>

/** Every HTTP route but those of operations. Nothing is answered before its Host and Origin are checked, and then its token, but for /healthz and the viewer's empty page. */
export function createHttpApp(parts: AppParts): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  app.use(async (context, next) => {
    const startMs = performance.now()
    const refused = admit(parts.admission, context)
    if (refused === null) await next()
    const { method, path } = context.req
    parts.debug?.(
      `${method} ${path} ${refused?.status ?? context.res.status} ${ms(performance.now() - startMs)}`,
    )
    return refused ?? undefined
  })
  app.get('/healthz', (context) => answerText(context, parts.admission.rules, '{"status":"ok"}'))
  app.get('/openapi.json', (context) =>
    answerText(context, parts.admission.rules, JSON.stringify(openApiDocument(OPERATIONS, VERSION))),
  )
  app.get('/metrics', async (context) => {
    assertUnrestricted(context.var.grant, 'GET /metrics')
    const text = await parts.metrics(callerLeft(context.env.outgoing))
    return context.body(text, 200, { ...SECURITY_HEADERS, 'content-type': 'text/plain; version=0.0.4' })
  })
  app.get('/v1/subscribe', (context) => subscribe(parts, context))
  app.get('/v1/stream', () => {
    throw new OpError('method_not_allowed', '/v1/stream is a WebSocket: ask for an upgrade')
  })
  app.options('/', (context) => context.body(null, 204, { ...SECURITY_HEADERS, allow: 'GET, POST, OPTIONS' }))
  app.all('/mcp', (context) => serveMcp(parts, context))
  addViewerRoutes(app, parts, SECURITY_HEADERS)
  app.all('*', (context) => {
    throw wrongRoute(context)
  })
  app.onError((error, context) => failure(context, parts.admission.rules, error))
  return app
}

/** Lets a request in, or answers it: a preflight of an allowed page, or an error. */
function admit(admission: Admission, context: AppContext): Response | null {
  const header = (name: string) => context.env.incoming.headers[name]?.toString()
  const origin = header('origin')
  try {
    admission.checkOrigin({ host: header('host'), origin })
    if (context.req.method === 'OPTIONS' && origin !== undefined) return preflight(admission.rules, origin)
    if (context.req.path === '/healthz' || OPEN_VIEWER_PATHS.includes(context.req.path)) return null
    const grant = admission.identify(context.env.incoming)
    assertScope(grant, 'read', context.req.path)
    admission.count(grant)
    context.set('grant', grant)
    return null
  } catch (error) {
    return failure(context, admission.rules, error)
  }
}

async function subscribe({ calls, slots, admission }: AppParts, context: AppContext): Promise<Response> {
  const { grant } = context.var
  const { outgoing, incoming } = context.env
  const { session, to = 'screen', after_seq, ...unknown } = context.req.query()
  const [extra] = Object.keys(unknown)
  if (extra !== undefined) throw new OpError('usage', `GET /v1/subscribe takes no ${JSON.stringify(extra)}`)
  // An EventSource that connects again says what it has seen last.
  const after = incoming.headers['last-event-id']?.toString() ?? after_seq
  const params = {
    session,
    to,
    ...(after === undefined || to === 'screen' ? {} : { after_seq: Number(after) }), // a screen has no past
  }
  const signal = callerLeft(context.env.outgoing)
  const checked = await calls.authorize(grant, 'session.subscribe', params, signal)
  const slot = slots.take({ close: () => outgoing.destroy(), grant })
  const headers = { ...SECURITY_HEADERS, ...corsHeaders(admission.rules, originOf(context)) }
  try {
    await streamEvents({
      calls,
      principal: grant,
      params: checked,
      outgoing,
      headers,
      signal,
      onEnd: () => slot.release(),
    })
  } catch (error) {
    slot.release()
    throw error
  }
  return RESPONSE_ALREADY_SENT
}

async function serveMcp(parts: AppParts, context: AppContext): Promise<Response> {
  const { incoming, outgoing } = context.env
  const { grant } = context.var
  const body = incoming.method === 'POST' ? await readJsonBody(incoming, REQUEST_BYTES_MAX) : undefined
  if (parts.mcp.opensStream(body)) {
    const slot = parts.slots.take({ close: () => outgoing.destroy(), grant })
    outgoing.once('close', () => slot.release())
  }
  const isBusy = () => outgoing.writableNeedDrain
  const response = await parts.mcp.fetch({ request: context.req.raw, grant, body, isBusy })
  const headers = new Headers(response.headers)
  for (const [name, value] of Object.entries({
    ...SECURITY_HEADERS,
    ...corsHeaders(parts.admission.rules, originOf(context)),
  }))
    headers.set(name, value)
  return new Response(response.body, { status: response.status, headers })
}

function answerText(context: AppContext, rules: OriginRules, json: string): Response {
  return responseOf(jsonAnswer(rules, originOf(context), json))
}

function failure(context: AppContext, rules: OriginRules, error: unknown): Response {
  return responseOf(errorAnswer(rules, originOf(context), error))
}

function responseOf({ status, headers, body }: Answer): Response {
  return new Response(body, { status, headers })
}

function originOf({ env }: AppContext): string | undefined {
  return env.incoming.headers.origin
}

/** What a page of an allowed origin may send: of ours, and of MCP, 2025-11-25 and 2026-07-28. */
const CROSS_ORIGIN_HEADERS = [
  'authorization',
  'content-type',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-session-id', // a client of 2025 may send one
  'mcp-method',
  'mcp-name',
].join(', ')

function preflight(rules: OriginRules, origin: string): Response {
  const headers = isAllowedOrigin(rules, origin)
    ? {
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': CROSS_ORIGIN_HEADERS,
        'access-control-max-age': '600',
        vary: 'Origin',
      }
    : {}
  return new Response(null, { status: 204, headers })
}

function wrongRoute({ req }: AppContext): OpError {
  const { method, path } = req
  const operation = /^\/v1\/([^/]+)$/.exec(path)?.[1]
  const isGet = ['/healthz', '/openapi.json', '/metrics', '/v1/subscribe', VIEWER_PATH].includes(path)
  const isPost = operation !== undefined && Object.hasOwn(OPERATIONS, operation)
  if (isGet || isPost || path.startsWith(`${VIEWER_PATH}/log`)) {
    const allow = isGet ? 'GET' : 'POST'
    return new OpError('method_not_allowed', `${path} takes ${allow}, not ${method}`, { allow })
  }
  const message = `no route ${JSON.stringify(path)}; operations are at POST /v1/OPERATION, see GET /openapi.json`
  return new OpError('unknown_operation', message, { path })
}

function ms(duration: number): string {
  return `${duration.toFixed(1)} ms`
}
