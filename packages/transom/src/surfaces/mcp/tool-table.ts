import { z } from 'zod'
import {
  OPERATIONS,
  includesScope,
  neededFor,
  reachOf,
  snapshot,
  type McpTool,
  type OperationDefinition,
  type Principal,
  type ToolParam,
  type ToolSet,
} from '@transom/protocol'
import { compactSessions } from './compact-list.ts'
import { compactScreen } from './compact-screen.ts'

/** Clients give up on a call after 60 s at the most common setting. */
export const WAIT_MS_MAX = 50_000
export interface Tool {
  readonly operation: string
  readonly definition: OperationDefinition
  readonly tool: Required<Pick<McpTool, 'name' | 'title' | 'description' | 'destructive'>>
  /** Null for a result that is given to a model as a whole. */
  readonly paged: PagedResult | null
}

/** A result that is given to a model in pages. */
export interface PagedResult {
  readonly schema: z.ZodType
  /** What its cursor leads to. */
  readonly cursor: string
}

const PAGED_RESULTS: Readonly<Record<NonNullable<McpTool['paged']>, PagedResult>> = {
  screen: { schema: compactScreen, cursor: 'the lines that it left out, from there on.' },
  sessions: { schema: compactSessions, cursor: 'the sessions that it left out.' },
}

/** The tools of a set, as the operation table has them. */
export function toolsOf(
  set: ToolSet,
  operations: Readonly<Record<string, OperationDefinition>> = OPERATIONS,
): Tool[] {
  return Object.entries(operations).flatMap(([operation, definition]): Tool[] => {
    const { mcp, summary } = definition
    if (mcp === undefined || (mcp.set ?? 'transom') !== set) return []
    const { name, title = name.replaceAll('_', ' '), description = summary, destructive = false } = mcp
    const paged = mcp.paged === undefined ? null : PAGED_RESULTS[mcp.paged]
    return [{ operation, definition, tool: { name, title, description, destructive }, paged }]
  })
}

/** Those that a principal may use. */
export function permittedTools(tools: readonly Tool[], principal: Principal): Tool[] {
  const { scope, sessions } = reachOf(principal)
  return tools.filter(({ definition }) => {
    const needed = neededFor(definition, {})
    return includesScope(scope, needed.scope) && (sessions === null || needed.unrestricted === null)
  })
}

/** The parameters that the caller of a tool may give. */
export function parameterNames({ definition }: Tool): string[] {
  return Object.entries<z.ZodType>(definition.params.shape).flatMap(([name, param]) => {
    const { hidden, touches, tool } = param.meta() ?? {}
    return hidden === true || touches === 'file' || tool !== undefined ? [] : [name]
  })
}

/** The arguments of a tool: the operation's parameters, without those that the caller of a tool cannot choose. */
export function inputSchema(tool: Tool): Record<string, unknown> {
  const { definition, paged } = tool
  const schema = cleaned(z.toJSONSchema(definition.params, { io: 'input' }))
  const all = schema['properties'] as Record<string, Record<string, unknown>>
  const properties = Object.fromEntries(parameterNames(tool).map((name) => [name, all[name] ?? {}]))
  const timeout = properties['timeout_ms']
  if (timeout !== undefined) properties['timeout_ms'] = { ...timeout, maximum: WAIT_MS_MAX }
  if (paged !== null)
    properties['cursor'] = { type: 'string', description: `The cursor of an earlier answer: ${paged.cursor}` }
  return { ...schema, properties }
}

/** The parameters that a tool always gives, by their names. */
export function fixedParams({ definition }: Tool): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries<z.ZodType>(definition.params.shape).flatMap(([name, param]) => {
      const tool = param.meta()?.['tool'] as ToolParam | undefined // as the operation table writes it
      return tool !== undefined && 'fixed' in tool ? [[name, tool.fixed]] : []
    }),
  )
}

/** What a tool answers with: the operation's result, a screen in its short form. */
export function outputSchema({ definition, paged }: Tool): Record<string, unknown> {
  const { result } = definition
  if (paged !== null) return cleaned(z.toJSONSchema(paged.schema))
  const schema = cleaned(z.toJSONSchema(result))
  if (!(result instanceof z.ZodObject)) return { type: 'object' }
  const properties = { ...(schema['properties'] as Record<string, object>) }
  delete properties['png_b64'] // it comes as a picture
  for (const [name, part] of Object.entries<z.ZodType>(result.shape)) {
    if (part === snapshot) properties[name] = cleaned(z.toJSONSchema(compactScreen))
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

/** What the operation table says of a field to the surfaces is noise to a model. */
const SURFACE_KEYS = new Set([
  '$schema',
  'placeholder',
  'from',
  'flag',
  'parse',
  'readable',
  'secretWith',
  'hidden',
  'touches',
  'tool',
  'completes',
  'untrusted',
])

function cleaned(schema: object): Record<string, unknown> {
  const isMap = (key: string) => key === 'properties'
  const clean = (value: unknown, inMap: boolean): unknown => {
    if (Array.isArray(value)) return value.map((part) => clean(part, false))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, part]) =>
        !inMap &&
        (SURFACE_KEYS.has(key) || part === Number.MAX_SAFE_INTEGER || part === -Number.MAX_SAFE_INTEGER)
          ? []
          : [[key, clean(part, isMap(key) && !inMap)]],
      ),
    )
  }
  return clean(schema, false) as Record<string, unknown>
}
