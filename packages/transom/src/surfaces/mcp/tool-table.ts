import { z } from 'zod'
import {
  OPERATIONS,
  reachOf,
  tokenScopeOf,
  TOKEN_SCOPES,
  type McpTool,
  type OperationDefinition,
  type Principal,
} from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { compactSessions, isSessionsSchema } from './compact-list.ts'
import { compactScreen, isScreenSchema } from './compact-screen.ts'

/** Clients give up on a call after 60 s at the most common setting. */
export const WAIT_MS_MAX = 50_000
/** Which tools are offered: those of the table's `mcp`, or `pty.*` under their own names. */
export const TOOL_SETS = ['transom', 'pty'] as const
export type ToolSet = (typeof TOOL_SETS)[number]

export interface Tool {
  readonly operation: string
  readonly definition: OperationDefinition
  readonly tool: McpTool
}

/** The tools of a set, as the operation table has them. */
export function toolsOf(
  set: ToolSet,
  operations: Readonly<Record<string, OperationDefinition>> = OPERATIONS,
): Tool[] {
  const tools = Object.entries(operations).flatMap(([operation, definition]): Tool[] => {
    const tool = set === 'pty' ? ptyTool(operation, definition) : definition.mcp
    return tool === undefined ? [] : [{ operation, definition, tool }]
  })
  if (tools.length > 0) return tools
  throw new OpError('usage', `this version of Transom has no operations for --tools ${set}`, { tools: set })
}

/** Those that a principal may use. */
export function permittedTools(tools: readonly Tool[], principal: Principal): Tool[] {
  const { scope, sessions } = reachOf(principal)
  return tools.filter(({ definition }) => {
    const { access, params } = definition
    const reaches = TOKEN_SCOPES.indexOf(scope) >= TOKEN_SCOPES.indexOf(tokenScopeOf(definition, {}))
    return reaches && (sessions === null || 'session' in params.shape || access?.restricted !== undefined)
  })
}

/** The arguments of a tool: the operation's parameters, without what the caller of a tool has no say in. */
export function inputSchema({ definition }: Tool): Record<string, unknown> {
  const schema = cleaned(z.toJSONSchema(definition.params, { io: 'input' }))
  const properties = { ...(schema['properties'] as Record<string, Record<string, unknown>>) }
  for (const name of Object.keys(definition.params.shape)) {
    const meta = definition.params.shape[name]?.meta() ?? {}
    if (name === 'actor' || meta['hidden'] === true || meta['touches'] === 'file') delete properties[name]
  }
  // A picture is in the answer itself, and a PNG: nothing else is a picture to a model.
  if ('inline' in properties) for (const name of ['inline', 'force', 'format']) delete properties[name]
  const timeout = properties['timeout_ms']
  if (timeout !== undefined) properties['timeout_ms'] = { ...timeout, maximum: WAIT_MS_MAX }
  if (isScreenSchema(definition.result)) {
    properties['cursor'] = {
      type: 'string',
      description: 'The cursor of an earlier answer: the lines that it left out, from there on.',
    }
  }
  if (isSessionsSchema(definition.result)) {
    properties['cursor'] = {
      type: 'string',
      description: 'The cursor of an earlier answer: the sessions that it left out.',
    }
  }
  return { ...schema, properties }
}

/** What a tool answers with: the operation's result, a screen in its short form. */
export function outputSchema({ definition }: Tool): Record<string, unknown> {
  const { result } = definition
  if (isScreenSchema(result)) return cleaned(z.toJSONSchema(compactScreen))
  if (isSessionsSchema(result)) return cleaned(z.toJSONSchema(compactSessions))
  const schema = cleaned(z.toJSONSchema(result))
  if (!(result instanceof z.ZodObject)) return { type: 'object' }
  const properties = { ...(schema['properties'] as Record<string, object>) }
  delete properties['png_b64'] // it comes as a picture
  for (const [name, part] of Object.entries<z.ZodType>(result.shape)) {
    if (isScreenSchema(part)) properties[name] = cleaned(z.toJSONSchema(compactScreen))
  }
  if (!definition.errors.includes('wait_timeout')) return { ...schema, properties }
  // A wait that has not come true is no failure of the tool: it answers with what it saw, and how to go on.
  const resume = { type: 'object', description: 'Arguments to go on waiting with, after a timeout.' }
  const wait = { ...properties, matched: { type: 'boolean' }, resume }
  return {
    ...schema,
    properties: wait,
    required: ['session', 'matched', 'condition', 'elapsed_ms', 'snapshot'],
  }
}

function ptyTool(operation: string, { summary }: OperationDefinition): McpTool | undefined {
  if (!operation.startsWith('pty.')) return undefined
  const name = operation.slice('pty.'.length)
  return { name, title: name.replaceAll('_', ' '), description: summary }
}

/** What the CLI wants to know of a parameter is noise to a model. */
const CLI_KEYS = new Set(['$schema', 'placeholder', 'from', 'flag', 'parse', 'readable', 'hidden', 'touches'])

function cleaned(schema: object): Record<string, unknown> {
  const isMap = (key: string) => key === 'properties'
  const clean = (value: unknown, inMap: boolean): unknown => {
    if (Array.isArray(value)) return value.map((part) => clean(part, false))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, part]) =>
        !inMap && (CLI_KEYS.has(key) || part === Number.MAX_SAFE_INTEGER || part === -Number.MAX_SAFE_INTEGER)
          ? []
          : [[key, clean(part, isMap(key) && !inMap)]],
      ),
    )
  }
  return clean(schema, false) as Record<string, unknown>
}
