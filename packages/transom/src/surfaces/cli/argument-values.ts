import type { CommandParam } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'

/** The value of an option or argument, from its word. `before` is what earlier ones of the same option gave. */
export function readValue(param: CommandParam, name: string, text: string, before: unknown): unknown {
  switch (param.type) {
    case 'integer':
      if (!/^-?\d+$/.test(text))
        throw usage(`${name} needs a whole number (got ${JSON.stringify(text)})`, {
          option: name,
          value: text,
        })
      return Number(text)
    case 'point': {
      const point = /^(\d+),(\d+)$/.exec(text)
      if (point === null)
        throw usage(`${name} needs ROW,COL, counted from 0 (got ${JSON.stringify(text)})`, {
          option: name,
          value: text,
        })
      return { row: Number(point[1]), col: Number(point[2]) }
    }
    case 'assignments': {
      const at = text.indexOf('=')
      if (at <= 0)
        throw usage(`${name} needs NAME=VALUE (got ${JSON.stringify(text)})`, { option: name, value: text })
      return { ...(before as object | undefined), [text.slice(0, at)]: text.slice(at + 1) }
    }
    case 'duration':
      return readDuration(name, text)
    case 'age':
      return readAge(name, text)
    case 'block':
      if (text === 'last') return text
      if (!/^[1-9]\d*$/.test(text)) {
        const message = `${name} needs the number of a block, or nothing for the last one (got ${JSON.stringify(text)})`
        throw usage(message, { option: name, value: text })
      }
      return Number(text)
    case 'list':
      return [...((before as string[] | undefined) ?? []), text]
    case 'string':
      if (param.values !== null && !param.values.includes(text)) {
        const message = `${name} is one of ${param.values.join(', ')} (got ${JSON.stringify(text)})`
        throw usage(message, { option: name, value: text })
      }
      return text
    case 'path':
    case 'boolean':
    case 'optional':
      return text
    default:
      return param.type satisfies never
  }
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds without a unit, as in every other surface. */
function readDuration(name: string, text: string): number {
  const duration = /^(\d+)(ms|s|m|h|d)?$/.exec(text)
  if (duration === null) {
    const message = `${name} needs a duration such as 500ms, 90s, 30m, 12h or 7d (got ${JSON.stringify(text)})`
    throw usage(message, { option: name, value: text })
  }
  return Number(duration[1]) * (UNIT_MS[duration[2] ?? 'ms'] ?? 0)
}

/** A duration with its unit: what a bare number means is too easily guessed wrong where something is removed. */
function readAge(name: string, text: string): number {
  if (/^\d+[a-z]+$/.test(text)) return readDuration(name, text)
  const message = `${name} needs a duration with its unit, such as 7d, 12h, 30m, 90s or 500ms (got ${JSON.stringify(text)})`
  throw usage(message, { option: name, value: text })
}

export function usage(message: string, details: Record<string, unknown>): OpError {
  return new OpError('usage', message, details)
}
