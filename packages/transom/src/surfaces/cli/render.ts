import type { CodeRenderer, Command, RenderPart, Result } from '@transom/protocol'
import type { WireError } from '@transom/protocol/errors'
import { fill, plainText } from './template.ts'
import { counted, fields, printable, textTable } from './text-layout.ts'

/** What a person is shown of a result: the one thing asked for, and nothing around it. Empty for nothing. */
export function renderResult(
  { render }: Pick<Command, 'render'>,
  result: unknown,
  params: Readonly<Record<string, unknown>> = {},
): string {
  if (render === null) return generic(result)
  const parts = isParts(render) ? render : [render]
  return parts
    .map((part) => renderPart(part, result, params))
    .filter((text) => text !== '')
    .join('\n')
}

/** What a person should know beside the result; printed to standard error. */
export function noticesOf({ notice }: Pick<Command, 'notice'>, result: unknown): string[] {
  const text = fill(notice, result)
  return text === '' ? [] : [text]
}

/** An error for a person: what failed, and the screen that was seen, when there is one. */
export function renderError(error: WireError, program: string): string {
  const { snapshot } = error.details as { snapshot?: Result<'session.snapshot'> }
  const message = `${program}: ${error.message.split('\n').map(printable).join('\n')}`
  if (snapshot === undefined) return message
  return `${message}\n${framedScreen(snapshot)}`
}

/** Between lines, so that it is told from what stands before it. */
function framedScreen({ seq, lines }: Result<'session.snapshot'>): string {
  return `--- screen at seq ${seq} ---\n${screenText(lines)}\n---`
}

function isParts(render: RenderPart | readonly RenderPart[]): render is readonly RenderPart[] {
  return Array.isArray(render)
}

function renderPart(part: RenderPart, result: unknown, params: Readonly<Record<string, unknown>>): string {
  if (part === 'nothing') return ''
  if ('text' in part) return fill(part.text, result)
  if ('lines' in part)
    return listIn(result, part.lines)
      .map((item) => fill(part.each, item))
      .join('\n')
  if ('table' in part) return table(part.columns, listIn(result, part.table))
  if ('fields' in part) return fields(fieldsOf(result, part))
  if ('screen' in part) {
    const snapshot: unknown = Reflect.get(result as object, part.screen)
    return params[part.ifGiven] === true ? framedScreen(snapshot as Result<'session.snapshot'>) : '' // by its schema
  }
  // The host has made the result by the schema of the operation that names this renderer.
  return (CODE_RENDERERS[part.code] as (result: unknown) => string)(result)
}

/** A cell with nothing in it has a dash, unless its column has no heading. */
function table(columns: Readonly<Record<string, string>>, items: readonly unknown[]): string {
  const rows = items.map((item) =>
    Object.entries(columns).map(([heading, template]) => fill(template, item) || (heading === '' ? '' : '-')),
  )
  return textTable([Object.keys(columns), ...rows])
}

function fieldsOf(
  result: unknown,
  { fields: forms, omit = [] }: { fields: Readonly<Record<string, string>>; omit?: readonly string[] },
): Record<string, unknown> {
  const own = Object.entries(result as object).filter(([name]) => !omit.includes(name) && !(name in forms))
  const formed = Object.entries(forms).map(([name, form]) => [name, fill(form, result) || null])
  return flat(Object.fromEntries([...own, ...formed]))
}

/** The default rendering of a result: its fields, and a table for each list of objects in it. */
function generic(result: unknown): string {
  const entries = Object.entries(result as object) // every operation answers with an object
  const isTable = (value: unknown) =>
    Array.isArray(value) && value.some((item) => typeof item === 'object' && item !== null)
  const plain = Object.fromEntries(entries.filter(([, value]) => !isTable(value)))
  const tables = entries.flatMap(([, value]) => (isTable(value) ? [genericTable(value as object[])] : []))
  return [fields(flat(plain)), ...tables].filter((text) => text !== '').join('\n')
}

function genericTable(items: readonly object[]): string {
  const names = Object.keys(flat(items[0] ?? {}))
  return table(
    Object.fromEntries(names.map((name) => [name.toUpperCase(), `{${name}}`])),
    items.map((item) => flat(item)),
  )
}

/** Without objects in it: their fields with the name before them. What every answer has (`ok`) is left out. */
function flat(record: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]: [string, unknown]) => {
      if (name === 'ok' || value === undefined || value === null) return [[name, null]]
      if (Array.isArray(value)) return [[name, plainText(value)]]
      if (typeof value !== 'object') return [[name, value]]
      return Object.entries(flat(value)).map(([inner, part]) => [`${name}_${inner}`, part])
    }),
  )
}

function listIn(result: unknown, name: string): readonly unknown[] {
  const list: unknown = Reflect.get(result as object, name) // as the operation's schema has it
  return Array.isArray(list) ? list : []
}

const CODE_RENDERERS = {
  screen: ({ scrollback = [], lines }: Result<'session.snapshot'>) => screenText([...scrollback, ...lines]),
  collection: renderCollection,
  repair: renderRepair,
} satisfies Record<CodeRenderer, (result: never) => string>

function screenText(lines: readonly { text: string; omitted?: true | undefined }[]): string {
  return lines
    .map(({ text, omitted }) => (omitted ? '[…]' : printable(text)))
    .join('\n')
    .replaceAll(/(?:\[\u2026\]\n)+\[\u2026\]/g, '[…]')
    .replace(/\n+$/, '')
}

function renderCollection(result: Result<'session.gc'>): string {
  const { sessions, bytes, dry_run, kept } = result
  const failed = sessions.filter(({ outcome }) => outcome === 'failed').length
  const total = `${counted(sessions.length - failed, 'session')} ${dry_run ? 'would be ' : ''}removed, ${counted(bytes, 'byte')}${failed > 0 ? `; ${failed} could not be removed` : ''}${kept.length > 0 ? `; ${kept.length} kept for their pinned artifacts` : ''}`
  if (sessions.length === 0) return total
  const columns = {
    ID: '{session}',
    NAME: '{name}',
    STATUS: '{status}',
    ENDED: '{ended_at:time}',
    BYTES: '{bytes}',
    OUTCOME: '[failed: {problem}][{!problem}{done}]',
  }
  const rows = sessions.map((session) => ({ ...session, done: session.outcome.replace('_', ' ') }))
  return `${table(columns, rows)}\n${total}`
}

function renderRepair(result: Result<'log.repair'>): string {
  const { tail, records, removed_bytes, damaged_copy, dry_run } = result
  if (tail === 'none') return `nothing to repair: ${counted(records, 'record')} can be read`
  const would = dry_run ? 'would be ' : ''
  const copy = damaged_copy === null ? '' : `; the damaged log ${would}kept as ${printable(damaged_copy)}`
  return `${tail}: ${counted(removed_bytes, 'byte')} ${would}removed, ${counted(records, 'record')} ${would}kept${copy}`
}
