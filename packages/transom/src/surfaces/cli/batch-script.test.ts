import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { commandTable } from '@transom/protocol'
import { parseBatch } from './batch-script.ts'
import { jsonErrorOffset } from './json-position.ts'
import { scriptWords } from './script-words.ts'

const texts = (line: string) => scriptWords(line).map(({ text }) => text)

describe('the words of a script line', () => {
  test('are split at blanks, with their columns', () => {
    expect(scriptWords('  type  abc\t--enter # now')).toEqual([
      { text: 'type', column: 3 },
      { text: 'abc', column: 9 },
      { text: '--enter', column: 13 },
    ])
  })

  test('may be quoted, in whole or in part', () => {
    expect(texts(`type 'it is' "a\\tb\\n\\"c\\"" --text='x y'z`)).toEqual([
      'type',
      'it is',
      'a\tb\n"c"',
      '--text=x yz',
    ])
    expect(texts(`type "\\u{1f600}\\e[A" \\# a#b ''`)).toEqual(['type', '\u{1f600}\u001b[A', '#', 'a#b', ''])
  })

  test('that are not closed are refused where they begin', () => {
    expect(() => scriptWords("type 'abc")).toThrow(expect.objectContaining({ column: 6 }))
    expect(() => scriptWords('type "a\\qb"')).toThrow(expect.objectContaining({ column: 8 }))
    expect(() => scriptWords('type \\')).toThrow(expect.objectContaining({ column: 6 }))
  })

  test('in single quotes are exactly what was written', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !/['\n\r]/.test(text)),
        (text) => {
          expect(texts(`type '${text}'`)).toEqual(['type', text])
        },
      ),
    )
  })
})

describe('a script', () => {
  const context = { env: {}, cwd: '/here', readText: () => '', public: true }

  test('is refused with all its mistakes at once, each with its place', () => {
    const text = 'mark a\ntpye x\nwait --text x --tiemout 5\nwait --text x --timeout 2s\ntype "abc'
    expect(() => parseBatch(text, 'flow.batch', commandTable(), context)).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: expect.stringMatching(
          /^flow\.batch:2:1: unknown step "tpye" \(did you mean "type"\?\).*\nflow\.batch:3:15: unknown option --tiemout .*\(did you mean --timeout\?\).*\nflow\.batch:5:6: this " has no other/,
        ),
      }),
    )
  })

  test('takes times as the command line does', () => {
    const text = 'wait --text x --timeout 2s\nwait --idle-ms 500ms --timeout 750'
    expect(parseBatch(text, 'flow.batch', commandTable(), context).map(({ step }) => step)).toEqual([
      { step: 'wait', text: ['x'], timeout_ms: 2000 },
      { step: 'wait', idle_ms: 500, timeout_ms: 750 },
    ])
  })
})

describe('the place where a text stops being JSON', () => {
  test('is none for JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(jsonErrorOffset(text)).toBe(null)
      }),
    )
  })

  test('is found exactly when JSON.parse refuses the text', () => {
    const nearJson = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '}', ']', 'x', '\\'))
      .map(([text, at, inserted]) => {
        const index = at % (text.length + 1)
        return text.slice(0, index) + inserted + text.slice(index + 1)
      })
    fc.assert(
      fc.property(nearJson, (text) => {
        let isJson = true
        try {
          JSON.parse(text)
        } catch {
          isJson = false
        }
        expect(jsonErrorOffset(text) === null).toBe(isJson)
      }),
    )
  })

  test('is the first character that does not fit', () => {
    expect(jsonErrorOffset('[1, 2,, 3]')).toBe(6)
    expect(jsonErrorOffset('{"a": tru}')).toBe(6)
    expect(jsonErrorOffset('[1] 2')).toBe(4)
    expect(jsonErrorOffset('')).toBe(0)
  })
})
