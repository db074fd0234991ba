import { z } from 'zod'
import { ERROR_TABLE, type ErrorRow } from './errors.ts'
import type { OperationDefinition } from './operation.ts'
import { OPERATIONS } from './operations.ts'

/** docs/operations.md: the operation table and the error table for people. */
export function operationsDocument(): string {
  return [
    '# Operations',
    '',
    'Generated from `packages/protocol/src/operations/` by `npm run docs`; do not edit.',
    '',
    'Each operation is a JSON-RPC 2.0 method on the host’s Unix socket (one JSON object a line) and, where it has one, a command of the CLI. Parameters in **bold** are required. “Needs” names the capability that the session must have: `tty` (a program on a terminal), `blocks` (a shell with blocks) or `page` (a web page). Every operation may also answer with `usage`, `internal`, `cancelled` and `io_error`.',
    '',
    ...Object.entries<OperationDefinition>(OPERATIONS).flatMap(([name, definition]) =>
      operationSection(name, definition),
    ),
    '## Errors',
    '',
    'An error has `code`, `message`, `retryable` and `details`, the same on every wire. On JSON-RPC the number is in `error.code` and the rest in `error.data`. `details.next` lists what to do about it, as operations (`call`, `params`) or parameters (`set`); the CLI, MCP and HTTP add that to the message in their own words. `details.quote` is text that a program or a page has chosen.',
    '',
    '| code | meaning | exit | JSON-RPC | HTTP | retry |',
    '| --- | --- | --- | --- | --- | --- |',
    ...Object.entries<ErrorRow>(ERROR_TABLE).map(
      ([code, row]) =>
        `| \`${code}\` | ${row.summary} | ${row.exit} | ${row.rpc} | ${row.http} | ${row.retryable ? 'yes' : 'no'} |`,
    ),
    '',
  ].join('\n')
}

interface Property {
  type?: string | string[]
  description?: string
  default?: unknown
  enum?: unknown[]
  anyOf?: Property[]
  items?: Property
  minimum?: number
  maximum?: number
}

function operationSection(
  name: string,
  { summary, description, params, result, errors, readOnly, needs, cli, awi = [] }: OperationDefinition,
): string[] {
  const input = z.toJSONSchema(params, { io: 'input' })
  const output = z.toJSONSchema(result)
  return [
    `## \`${name}\``,
    '',
    [summary, readOnly ? ' Changes nothing.' : '', needs === undefined ? '' : ` Needs \`${needs}\`.`].join(
      '',
    ),
    '',
    ...(description === undefined ? [] : [description, '']),
    ...(cli === null ? [] : ['```sh', ...cli.examples, '```', '']),
    ...(awi.length === 0
      ? []
      : [`On an agent socket: ${awi.map(({ method }) => `\`${method}\``).join(', ')}.`, '']),
    ...propertyTable('parameter', input.properties, input.required),
    ...propertyTable('result', output.properties, []),
    ...(errors.length === 0 ? [] : [`Errors: ${errors.map((code) => `\`${code}\``).join(', ')}.`, '']),
  ]
}

function propertyTable(
  title: string,
  properties: object | undefined,
  required: readonly string[] = [],
): string[] {
  // The JSON schema of an object: every value is a schema with the keywords that Property lists.
  const entries = Object.entries((properties ?? {}) as Record<string, Property>)
  if (entries.length === 0) return []
  return [
    `| ${title} | type | meaning |`,
    '| --- | --- | --- |',
    ...entries.map(([name, property]) => {
      const label = required.includes(name) ? `**\`${name}\`**` : `\`${name}\``
      return `| ${label} | ${typeOf(property)} | ${meaningOf(property)} |`
    }),
    '',
  ]
}

function typeOf(property: Property): string {
  if (property.enum !== undefined) return property.enum.map((value) => `\`${String(value)}\``).join(' ')
  if (property.anyOf !== undefined) return [...new Set(property.anyOf.map(typeOf))].join(' or ')
  if (property.type === 'array')
    return `list of ${property.items === undefined ? 'values' : typeOf(property.items)}`
  const range = property.maximum !== undefined && property.maximum < Number.MAX_SAFE_INTEGER
  return `${String(property.type ?? 'value')}${range ? ` ${property.minimum}–${property.maximum}` : ''}`
}

function meaningOf(property: Property): string {
  const parts = [property.description ?? '']
  if (property.default !== undefined) parts.push(`Default: ${JSON.stringify(property.default)}.`)
  return parts.filter(Boolean).join(' ').replaceAll('|', '\\|')
}
