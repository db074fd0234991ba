import { describe, expect, it } from 'vitest'
import { AotuiError } from '../contract/aotui-error.ts'
import { parseContexts } from './context-parser.ts'

/** The command of a text with one context. */
function parse(body: string) {
  const [context] = parseContexts(`<context>${body}</context>`)
  return context?.command
}

function problem(text: string): AotuiError {
  try {
    parseContexts(text)
  } catch (error) {
    if (error instanceof AotuiError) return error
    throw error
  }
  throw new Error('expected a syntax error')
}

describe('the outer layer', () => {
  it('names the application and the view, with commas between attributes or without', () => {
    for (const tag of [
      '<context app_id="app_1" view_id="view_001">',
      "<context app_id='app_1', view_id='view_001' >",
      '<context\n  app_id = "app_1"\n  view_id="view_001"\n>',
    ]) {
      expect(parseContexts(`${tag} execute go </context>`)).toMatchObject([
        { appId: 'app_1', viewId: 'view_001' },
      ])
    }
  })

  it('ignores prose and takes several contexts in order', () => {
    const found = parseContexts(
      'I will <b>open</b> it.\n<context>open --application app_1</context> then <context app_id="a.b">execute x</context> done',
    )
    expect(found.map((one) => [one.appId, one.command.verb])).toEqual([
      [undefined, 'open'],
      ['a.b', 'execute'],
    ])
  })

  it('ends at the closing tag outside quotes only', () => {
    expect(parse('execute say --text "</context> stays"')?.args[0]?.value).toEqual({
      text: '</context> stays',
      quoted: true,
    })
  })

  it('says where it went wrong', () => {
    expect(problem('no command here').data['reason']).toBe('no_context')
    expect(problem('one\n<context app="x">go</context>').data).toMatchObject({ line: 2, column: 10 })
    expect(problem('<context>execute go').message).toContain('never closed')
    expect(problem('<context app_id="a" app_id="b">execute go</context>').message).toContain('twice')
    expect(problem('<context></context>').message).toContain('expected a command')
  })
})

describe('the inner layer', () => {
  it('reads every form of argument', () => {
    expect(
      parse(
        `execute send --content "Hello World" --to=ann --note='it\\'s' --urgent -k v --n -5 --list a --list b`,
      )?.args,
    ).toMatchObject([
      { name: 'content', short: false, value: { text: 'Hello World', quoted: true } },
      { name: 'to', value: { text: 'ann', quoted: false } },
      { name: 'note', value: { text: "it's", quoted: true } },
      { name: 'urgent' },
      { name: 'k', short: true, value: { text: 'v', quoted: false } },
      { name: 'n', value: { text: '-5', quoted: false } },
      { name: 'list', value: { text: 'a', quoted: false } },
      { name: 'list', value: { text: 'b', quoted: false } },
    ])
  })

  it('reads values over several lines and escapes', () => {
    expect(parse('execute send\n  --content "line one\nline \\"two\\"\\n\\\\"\n')?.args[0]?.value?.text).toBe(
      'line one\nline "two"\n\\',
    )
  })

  it('gives line and column of every mistake', () => {
    for (const [body, message, column] of [
      ['execute', 'expected the id of an operation', 17],
      ['execute go extra', 'unexpected "extra"', 21],
      ['execute go --a "open', 'never closed', 25],
      ['execute go --a "x"y', 'expected a space', 28],
      ['execute go --a x"y', 'a quote inside a bare word', 26],
      ['execute go --a "\\q"', 'unknown escape', 26],
      ['execute go --9', 'unexpected "--9"', 21],
      ['"execute" go', 'is not a command', 10],
    ] as const) {
      const error = problem(`<context>${body}</context>`)
      expect(error.code).toBe('E_INVALID_CMD')
      expect(error.message).toContain(message)
      expect(error.data).toMatchObject({ line: 1, column })
    }
  })

  it('is bounded', () => {
    expect(problem('x'.repeat((1 << 20) + 1)).data['reason']).toBe('too_long')
    expect(problem('<context>open</context>'.repeat(65)).message).toContain('more than 64')
    expect(problem(`<context>execute go${' --a b'.repeat(600)}</context>`).message).toContain(
      'more than 1000',
    )
  })
})
