import type { Template } from '@transom/protocol'
import { counted, printable, shortTime } from './text-layout.ts'

const LISTED_MAX = 5 // of `some`: enough to know what it is about

/** Fills in a template of the operation table (Template in packages/protocol/src/render.ts). */
export function fill(template: Template, values: unknown): string {
  return template.replaceAll(
    /\[([^\]]*)\]|\{([^}]*)\}/g,
    (_all, group: string | undefined, slot: string | undefined) =>
      group === undefined ? textOf(slot ?? '', values) : fillGroup(group, values),
  )
}

function fillGroup(group: string, values: unknown): string {
  const slots = [...group.matchAll(/\{([^}]*)\}/g)].map(([, slot = '']) => slot)
  return slots.every((slot) => holds(slot, values)) ? fill(group, values) : ''
}

function holds(slot: string, values: unknown): boolean {
  if (slot.startsWith('!')) return !isThere(valueOf(slot.slice(1), values))
  return isThere(valueOf(slot.replace(/^\?/, ''), values))
}

function textOf(slot: string, values: unknown): string {
  if (/^[?!]/.test(slot)) return ''
  const value = valueOf(slot, values)
  const [, format] = /:(\w+)$/.exec(slot) ?? []
  return isThere(value) ? formatted(value, format) : ''
}

/** The value of the first path that leads to one. */
function valueOf(slot: string, values: unknown): unknown {
  for (const way of slot.replace(/:\w+$/, '').split('|')) {
    const [, words] = /^"(.*)"$/.exec(way) ?? []
    const value = words ?? way.split('.').reduce(memberOf, values)
    if (isThere(value)) return value
  }
  return null
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function isThere(value: unknown): boolean {
  const isEmpty = value === '' || (Array.isArray(value) && value.length === 0)
  return value !== null && value !== undefined && value !== false && !isEmpty
}

function formatted(value: unknown, format: string | undefined): string {
  if (format === undefined) return plainText(value)
  if (/^\d+$/.test(format)) return plainText(value).padStart(Number(format))
  if (format.startsWith('n_')) return counted(Number(value), format.slice(2))
  const form = Object.hasOwn(TEMPLATE_FORMATS, format) ? TEMPLATE_FORMATS[format] : undefined
  if (form === undefined) throw new Error(`a template has no format ${format}`)
  return form(value)
}

/** As one word or line; the words of a list with blanks between them. */
export function plainText(value: unknown): string {
  if (Array.isArray(value)) return value.map(plainText).join(' ')
  return printable(typeof value === 'string' ? value : JSON.stringify(value))
}

/** How a value is spelled. A number as format is a width, with the value at its right end; `n_byte` gives `2 bytes`. */
const TEMPLATE_FORMATS: Readonly<Record<string, (value: unknown) => string>> = {
  /** ISO 8601 to the second, of an ISO 8601 time. */
  time: (value) => printable(shortTime(String(value))),
  /** ISO 8601, of milliseconds since 1970. */
  iso: (value) => new Date(Number(value)).toISOString(),
  /** Of milliseconds. */
  seconds: (value) => `${(Number(value) / 1000).toFixed(3)}s`,
  /** Text of several lines that is free of control sequences already. */
  plain: (value) => String(value).replace(/\n$/, ''),
  /** `output 12, exit 1`, of numbers by name. */
  counts: (value) =>
    Object.entries(value as object)
      .map(([name, count]) => `${printable(name)} ${String(count)}`)
      .join(', '),
  /** The sum of `count` over a list. */
  total: (value) => String((value as { count: number }[]).reduce((sum, { count }) => sum + count, 0)),
  /** The first of a list, and how many more there are. */
  some: (value) => {
    const all = (value as unknown[]).map(plainText)
    const more = all.length > LISTED_MAX ? ` and ${all.length - LISTED_MAX} more` : ''
    return `${all.slice(0, LISTED_MAX).join(', ')}${more}`
  },
}
