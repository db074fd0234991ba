import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { OPERATIONS, type OperationDefinition, type Render, type RenderPart } from '@transom/protocol'
import { noticesOf, renderResult } from './render.ts'
import { fill } from './template.ts'

describe('a template', () => {
  const values = {
    name: 'edit',
    missing: null,
    off: false,
    zero: 0,
    exit: { code: 3, signal: null },
    words: ['vim', 'a b'],
    none: [],
    evil: '\u001b]0;x\u0007',
  }

  test.each([
    ['{name} {exit.code} {zero}', 'edit 3 0'],
    ['<{missing}{off}{none}{no.such.path}>', '<>'],
    ['{exit.signal|exit.code}', '3'],
    ['{missing|"(typed)"}', '(typed)'],
    ['{words}', 'vim a b'],
    ['{evil}', '\\x1b]0;x\\x07'],
    ['{name:8}|{zero:3}', '    edit|  0'],
    ['[{missing}–]{name}', 'edit'],
    ['[{zero}–]{name}', '0–edit'],
    ['{name} [{?off}on][{!off}off]', 'edit off'],
  ])('%s', (template, text) => {
    expect(fill(template, values)).toBe(text)
  })

  test.each([
    ['time', '2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05Z'],
    ['iso', 0.5, '1970-01-01T00:00:00.000Z'],
    ['seconds', 1234, '1.234s'],
    ['plain', 'two\nlines\n', 'two\nlines'],
    ['counts', { output: 2, exit: 1 }, 'output 2, exit 1'],
    ['total', [{ count: 2 }, { count: 3 }], '5'],
    ['some', [1, 2, 3, 4, 5, 6, 7], '1, 2, 3, 4, 5 and 2 more'],
  ])('spells a value as %s', (format, value, text) => {
    expect(fill(`{value:${format}}`, { value })).toBe(text)
  })

  test('refuses a format that there is not', () => {
    expect(() => fill('{name:loud}', values)).toThrow('no format loud')
  })
})

describe('a result', () => {
  const shown = (render: Render | null, result: unknown) => renderResult({ render }, result)

  test('by default is the fields, and a table for each list', () => {
    const result = {
      ok: true,
      session: 's1',
      none: null,
      exit: { code: 1, signal: null },
      homes: [
        { home: '/a', sessions: 2 },
        { home: '/b\n', sessions: null },
      ],
    }
    expect(shown(null, result)).toBe(
      ['session    s1', 'exit_code  1', 'HOME    SESSIONS', '/a      2', '/b\\x0a  -'].join('\n'),
    )
  })

  test('of a wait for several things has a line for each that came', () => {
    const { cli } = OPERATIONS['session.wait']
    const result = { block: { seq: 1, exit_code: 0 }, needs_input: { reason: 'shell_prompt', prompt: '$' } }
    expect(shown(cli?.render ?? null, result)).toBe('block 1 ended with exit code 0\nshell_prompt: $')
  })

  test('counts one thing in the singular', () => {
    expect(shown({ text: '{count:n_byte}' }, { count: 1 })).toBe('1 byte')
    expect(shown({ text: '{count:n_byte}' }, { count: 0 })).toBe('0 bytes')
    const session = {
      session: 's1',
      name: null,
      status: 'exited',
      ended_at: null,
      bytes: 5,
      outcome: 'removed',
    }
    const result = { sessions: [session], bytes: 5, dry_run: false, kept: [] }
    expect(shown({ code: 'collection' }, result)).toContain('\n1 session removed, 5 bytes')
  })

  test('in a table has a dash where there is nothing, but under no heading', () => {
    const render = { table: 'rows', columns: { NAME: '{name}', '': '{note}', SIZE: '{size}' } }
    expect(shown(render, { rows: [{ name: null, note: null, size: 0 }] })).toBe('NAME    SIZE\n-       0')
    expect(shown(render, { rows: [] })).toBe('NAME    SIZE')
  })

  test('in fields has those with a form of their own last', () => {
    const render = { fields: { log: '{log.path}', gone: '{gone}' }, omit: ['secret'] }
    const result = { log: { path: '/l', bytes: 2 }, gone: null, secret: 1, pid: 7 }
    expect(shown(render, result)).toBe('pid  7\nlog  /l')
  })

  test('in parts has a line for each that is not empty', () => {
    const render = [{ text: '{count} files' }, { lines: 'bad', each: '{file} is bad' }] as const
    expect(shown(render, { count: 2, bad: [] })).toBe('2 files')
    expect(shown(render, { count: 2, bad: [{ file: 'a' }] })).toBe('2 files\na is bad')
    expect(shown('nothing', { seq: 3 })).toBe('')
  })

  test('of a screen is its text, with one mark for what was left out', () => {
    const line = (text: string, omitted?: true) => ({ text, wrapped: false, omitted })
    const lines = [line('top'), line('', true), line('', true), line('\u001b[2J'), line('')]
    expect(shown({ code: 'screen' }, { lines })).toBe('top\n[…]\n\\x1b[2J')
  })

  test('has a screen in it where that is asked for', () => {
    const render = { screen: 'snapshot', ifGiven: 'snapshot' }
    const result = { snapshot: { seq: 7, lines: [{ text: '$', wrapped: false }] } }
    expect(shown(render, result)).toBe('')
    expect(renderResult({ render }, result, { snapshot: true })).toBe('--- screen at seq 7 ---\n$\n---')
  })

  test('can come with a notice', () => {
    const { notice = '' } = OPERATIONS['session.screenshot'].cli ?? {}
    expect(noticesOf({ notice }, { missing_glyphs: null })).toEqual([])
    const missing_glyphs = { code_points: ['U+6F22'], install: ['a', 'b'] }
    expect(noticesOf({ notice }, { missing_glyphs })).toEqual([
      'no glyph for U+6F22: drawn as empty boxes; "npm install -g a b" has them',
    ])
  })
})

describe('the operation table', () => {
  const rendered = Object.entries<OperationDefinition>(OPERATIONS).flatMap(([name, { cli, result }]) =>
    cli === null ? [] : [{ name, cli, schema: z.toJSONSchema(result) as Schema }],
  )

  test.each(rendered)('renders only what the result of $name has', ({ cli, schema }) => {
    const parts = [cli.render ?? []].flat()
    const wrong = parts.flatMap((part) => wrongPaths(part, schema))
    expect([...wrong, ...wrongSlots(cli.notice ?? '', schema)]).toEqual([])
  })
})

interface Schema {
  readonly properties?: Record<string, Schema>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

/** The paths of a renderer that lead nowhere. */
function wrongPaths(part: RenderPart, schema: Schema): string[] {
  if (part === 'nothing' || 'code' in part) return []
  if ('text' in part) return wrongSlots(part.text, schema)
  if ('screen' in part) return follow(schema, part.screen) === undefined ? [part.screen] : []
  if ('fields' in part) return Object.values(part.fields).flatMap((form) => wrongSlots(form, schema))
  const list = 'lines' in part ? part.lines : part.table
  const items = follow(schema, list)?.items
  if (items === undefined) return [list]
  const templates = 'lines' in part ? [part.each] : Object.values(part.columns)
  return templates.flatMap((template) => wrongSlots(template, items))
}

function wrongSlots(template: string, schema: Schema): string[] {
  const slots = [...template.matchAll(/\{[?!]?([^}:]*)(?::\w+)?\}/g)].map(([, paths = '']) => paths)
  const paths = slots.flatMap((slot) => slot.split('|')).filter((way) => !way.startsWith('"'))
  return paths.filter((way) => way.split('.').reduce<Schema | undefined>(follow, schema) === undefined)
}

function follow(schema: Schema | undefined, name: string): Schema | undefined {
  const all = [schema, ...(schema?.anyOf ?? [])]
  return all.flatMap((it) => it?.properties?.[name] ?? [])[0]
}
