import { z } from 'zod'
import { neededFor, type OperationDefinition } from '@transom/protocol'
import { ERROR_TABLE, type ErrorCode } from '@transom/protocol/errors'

/** How every operation can fail at the gateway. */
const GATEWAY_ERRORS: readonly ErrorCode[] = [
  'usage',
  'parse_error',
  'unauthorized',
  'forbidden',
  'origin_refused',
  'media_type_refused',
  'frame_too_large',
  'rate_limited',
  'too_many_requests',
  'internal',
  'io_error',
  'host_unavailable',
]

const GATEWAY_TAG = 'gateway'

/** The operation table as an OpenAPI 3.1 document. */
export function openApiDocument(
  operations: Readonly<Record<string, OperationDefinition>>,
  version: string,
): object {
  const called = Object.entries(operations).filter(([, { stream }]) => stream !== true)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Transom',
      version,
      description: 'Every operation of a Transom host. Streams: the WebSocket /v1/stream, and /v1/subscribe.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The gateway that serves this document.' }],
    tags: tagsOf(Object.keys(operations)),
    security: [{ token: [] }],
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: errorSchema() },
    },
    paths: {
      ...Object.fromEntries(
        called.map(([name, definition]) => [`/v1/${name}`, { post: route(name, definition) }]),
      ),
      '/v1/subscribe': { get: subscribeRoute(operations) },
      '/healthz': {
        get: plainRoute('healthz', 'Says that the gateway is there.', 'application/json', { security: [] }),
      },
      '/metrics': { get: plainRoute('metrics', 'Counts and latencies, for Prometheus.', 'text/plain') },
      '/openapi.json': { get: plainRoute('openapi', 'This document.', 'application/json') },
    },
  }
}

function route(name: string, definition: OperationDefinition): object {
  const { summary, params, result, errors } = definition
  const schema = z.toJSONSchema(params, { io: 'input', override: dropForeignKeywords })
  return {
    operationId: name,
    summary,
    description: `Needs a token with the scope \`${neededFor(definition, {}).scope}\`.`,
    tags: [name.split('.', 1)[0]],
    requestBody: {
      required: (schema.required ?? []).length > 0,
      content: { 'application/json': { schema: withoutDialect(schema) } },
    },
    responses: {
      200: {
        description: 'The result.',
        content: {
          'application/json': {
            schema: withoutDialect(z.toJSONSchema(result, { override: dropForeignKeywords })),
          },
        },
      },
      ...failures([...GATEWAY_ERRORS, ...errors]),
    },
  }
}

function subscribeRoute(operations: Readonly<Record<string, OperationDefinition>>): object {
  const shape = operations['session.subscribe']?.params.shape ?? {}
  const required = new Set(['session'])
  return {
    operationId: 'session.subscribe',
    summary: 'Follow a session as Server-Sent Events: one dump, then every change.',
    description: 'Needs a token with the scope `read`.',
    tags: ['session'],
    parameters: Object.entries(shape).map(([name, schema]) => ({
      name,
      in: 'query',
      required: required.has(name),
      schema: withoutDialect(
        z.toJSONSchema(schema as z.ZodType, { io: 'input', override: dropForeignKeywords }),
      ),
    })),
    responses: {
      200: { description: 'The stream.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
      ...failures(GATEWAY_ERRORS),
    },
  }
}

function plainRoute(operationId: string, summary: string, type: string, more: object = {}): object {
  return {
    operationId,
    summary,
    description: 'Of the gateway itself.',
    tags: [GATEWAY_TAG],
    ...more,
    responses: { 200: { description: summary, content: { [type]: {} } }, ...failures(GATEWAY_ERRORS) },
  }
}

function failures(codes: readonly ErrorCode[]): Record<string, object> {
  const all = [...new Set(codes)]
  const statuses = [...new Set(all.map((code) => ERROR_TABLE[code].http))]
  return Object.fromEntries(
    statuses.map((status) => {
      const group = all.filter((code) => ERROR_TABLE[code].http === status)
      const description = group.map((code) => `\`${code}\`: ${ERROR_TABLE[code].summary}`).join(' ')
      const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
      return [String(status), { description, content }]
    }),
  )
}

function errorSchema(): object {
  const error = z.object({
    code: z.string(),
    message: z.string(),
    retryable: z.boolean(),
    details: z.record(z.string(), z.unknown()),
  })
  return withoutDialect(z.toJSONSchema(z.object({ error })))
}

/** The first part of each operation's name, and one for what is none. */
function tagsOf(names: readonly string[]): object[] {
  const families = [...new Set(names.map((name) => name.split('.', 1)[0]))]
  return [
    ...families.map((name) => ({ name, description: `The operations \`${name}.*\`.` })),
    { name: GATEWAY_TAG, description: 'Routes of the gateway itself.' },
  ]
}

/** What the table says of a parameter for our own surfaces: it means nothing to a reader of JSON Schema. */
const FOREIGN_KEYWORDS = [
  'placeholder',
  'flag',
  'touches',
  'parse',
  'from',
  'hidden',
  'untrusted',
  'readable',
  'secretWith',
  'tool',
  'completes',
]

function dropForeignKeywords({ jsonSchema }: { jsonSchema: object }): void {
  for (const keyword of FOREIGN_KEYWORDS) Reflect.deleteProperty(jsonSchema, keyword)
}

/** OpenAPI 3.1 has JSON Schema's own dialect; to say it again at each schema confuses readers. */
function withoutDialect({ $schema: _dialect, ...schema }: Record<string, unknown>): object {
  return schema
}
