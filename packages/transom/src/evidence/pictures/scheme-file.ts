/**
 * Colour schemes that people already have: Windows Terminal's JSON (also what a hand-written one looks like), a JSON
 * with a list of 16 `colors`, base16 as JSON or YAML, and iTerm2's property list.
 */
import { OpError } from '@transom/protocol/errors'
import type { Theme } from './theme.ts'

/** Names as Windows Terminal has them; `magenta` is taken for `purple`. */
const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'purple', 'cyan', 'white']

/** Which base16 colour stands for each of the 16 of a terminal. */
const BASE16 = [0x0, 0x8, 0xb, 0xa, 0xd, 0xe, 0xc, 0x5, 0x3, 0x8, 0xb, 0xa, 0xd, 0xe, 0xc, 0x7]

/** Reads a scheme from the text of its file; `name` stands in the errors, and for the theme when it has no name. */
export function parseScheme(text: string, name: string): Theme {
  const trimmed = text.trim()
  if (trimmed.startsWith('<')) return iTermScheme(trimmed, name)
  if (!trimmed.startsWith('{')) return base16Scheme(yamlFields(trimmed), name)
  let fields: Record<string, unknown>
  try {
    fields = JSON.parse(trimmed) as Record<string, unknown> // an object: it starts with a brace
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw unusable(name, `it is no JSON (${message})`)
  }
  const isBase16 = 'base00' in fields || isRecord(fields['palette'])
  return isBase16 ? base16Scheme(fields, name) : namedScheme(fields, name)
}

function namedScheme(fields: Record<string, unknown>, name: string): Theme {
  const list = Array.isArray(fields['colors']) ? (fields['colors'] as unknown[]) : null
  const byName = (index: number) => {
    const color = NAMES[index % 8] ?? ''
    const key = index < 8 ? color : `bright${color.charAt(0).toUpperCase()}${color.slice(1)}`
    return fields[key] ?? fields[key.replace('purple', 'magenta').replace('Purple', 'Magenta')]
  }
  const palette = Array.from({ length: 16 }, (_, index) => {
    const given = list === null ? byName(index) : list[index]
    const what = list === null ? `"${index < 8 ? '' : 'bright '}${NAMES[index % 8]}"` : `colors[${index}]`
    return colorOf(given, what, name)
  })
  return themeOf(name, {
    name: fields['name'],
    palette,
    foreground: colorOf(fields['foreground'], '"foreground"', name),
    background: colorOf(fields['background'], '"background"', name),
    cursor: fields['cursorColor'] ?? fields['cursor'],
  })
}

function base16Scheme(fields: Record<string, unknown>, name: string): Theme {
  const colors = isRecord(fields['palette']) ? fields['palette'] : fields
  const base = (index: number) => {
    const key = `base0${index.toString(16).toUpperCase()}`
    return colorOf(colors[key] ?? colors[key.toLowerCase()], key, name)
  }
  return themeOf(name, {
    name: fields['scheme'] ?? fields['name'],
    palette: BASE16.map(base),
    foreground: base(5),
    background: base(0),
    cursor: undefined,
  })
}

/** `key: "value"` lines, as far as base16 files use YAML. */
function yamlFields(text: string): Record<string, unknown> {
  const lines = text.matchAll(/^[ \t]*(\w+):[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s#"']\S*))/gm)
  return Object.fromEntries(
    [...lines].map(([, key = '', ...values]) => [key, values.find((it) => it !== undefined)]),
  )
}

function iTermScheme(text: string, name: string): Theme {
  const color = (label: string) => {
    const escaped = label.replaceAll(/[()]/g, String.raw`\$&`)
    const entry = new RegExp(`<key>${escaped}</key>\\s*<dict>([\\s\\S]*?)</dict>`).exec(text)?.[1]
    const part = (channel: string) => {
      const value = new RegExp(`<key>${channel} Component</key>\\s*<real>([\\d.eE+-]+)</real>`).exec(
        entry ?? '',
      )
      return value === null ? Number.NaN : Math.round(Number(value[1]) * 255)
    }
    const parts = [part('Red'), part('Green'), part('Blue')]
    if (parts.some((value) => !(value >= 0 && value <= 255))) return undefined
    return `#${parts.map((value) => value.toString(16).padStart(2, '0')).join('')}`
  }
  const needed = (label: string) => colorOf(color(label), `"${label}"`, name)
  return themeOf(name, {
    name: undefined,
    palette: Array.from({ length: 16 }, (_, index) => needed(`Ansi ${index} Color`)),
    foreground: needed('Foreground Color'),
    background: needed('Background Color'),
    cursor: color('Cursor Color'),
  })
}

interface Found {
  readonly name: unknown
  readonly palette: readonly number[]
  readonly foreground: number
  readonly background: number
  readonly cursor: unknown
}

function themeOf(fileName: string, { name, palette, foreground, background, cursor }: Found): Theme {
  return {
    name: typeof name === 'string' && name !== '' ? name : fileName,
    palette,
    foreground,
    background,
    cursor: cursor === undefined ? foreground : colorOf(cursor, 'the cursor', fileName),
    cursorText: background,
    keepsContrast: false, // the colours are the user's own
  }
}

function colorOf(value: unknown, what: string, name: string): number {
  const digits = typeof value === 'string' ? /^(?:#|0x)?([0-9a-f]{6})$/i.exec(value.trim())?.[1] : undefined
  if (digits !== undefined) return Number.parseInt(digits, 16)
  const got = value === undefined ? 'is missing' : `is no colour like #d8d8d8 (got ${JSON.stringify(value)})`
  throw unusable(name, `${what} ${got}`)
}

function unusable(name: string, why: string): OpError {
  const message = `${name} is no colour scheme that can be read: ${why}; Windows Terminal's JSON, base16 and iTerm2's are`
  return new OpError('scheme_invalid', message, { file: name })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
