import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MARK_BYTES_MAX, MarkCutter, type Mark } from './mark-cutter.ts'
import { unquoteShellWord } from './unquote.ts'

const NONCE = '123456789012345678901234567890123456789'
const OTHER_NONCE = '123456789012345678901234567890999999999'

function cut(chunks: readonly Buffer[]): { bytes: Buffer; marks: Mark[]; at: number[] } {
  const cutter = new MarkCutter()
  cutter.know(NONCE, unquoteShellWord)
  cutter.know(OTHER_NONCE, unquoteShellWord)
  const bytes: Buffer[] = []
  const marks: Mark[] = []
  const at: number[] = []
  const position = () => bytes.reduce((sum, { length }) => sum + length, 0)
  for (const chunk of chunks) {
    for (const part of cutter.take(chunk)) {
      if (Buffer.isBuffer(part)) bytes.push(part)
      else {
        marks.push(part.mark)
        at.push(position())
      }
    }
  }
  bytes.push(cutter.release())
  return { bytes: Buffer.concat(bytes), marks, at }
}

function split(bytes: Buffer, points: readonly number[]): Buffer[] {
  const ends = [...points.map((point) => point % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b)
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}

const pieces = fc.array(
  fc.oneof(
    fc.uint8Array({ maxLength: 40 }).map((bytes) => ({ bytes: Buffer.from(bytes), mark: false })),
    fc
      .constantFrom(
        '\x1b',
        '\x1b]',
        '\x1b]7717;',
        `\x1b]7717;${NONCE}`,
        `\x1b]7717;${OTHER_NONCE}`,
        '\x1b]7717;999;3;0;/\x07',
        '\x07',
        NONCE,
      )
      .map((text) => ({ bytes: Buffer.from(text, 'latin1'), mark: false })),
    fc
      .tuple(fc.constantFrom('1', '4'), fc.nat(1000))
      .map(([kind, n]) => ({ bytes: Buffer.from(`\x1b]7717;${NONCE};${kind};${n}\x07`), mark: true })),
  ),
  { maxLength: 20 },
)

test('marks are cut whatever the chunks, and every other byte survives in order', () => {
  fc.assert(
    fc.property(pieces, fc.array(fc.nat(5000), { maxLength: 30 }), (parts, points) => {
      const whole = Buffer.concat(parts.map(({ bytes }) => bytes))
      const together = cut([whole])
      expect(cut(split(whole, points))).toEqual(together)
      // A piece of noise may itself complete a mark; what was cut plus what was kept is all there was.
      expect(together.marks.length).toBeGreaterThanOrEqual(0)
      const noise = Buffer.concat(parts.filter(({ mark }) => !mark).map(({ bytes }) => bytes))
      if (!noise.includes('\x1b]7717;')) {
        expect(together.marks.length).toBe(parts.filter(({ mark }) => mark).length)
        expect(together.bytes.equals(noise)).toBe(true)
      }
    }),
    { numRuns: 2000 },
  )
})

test('the fields of a mark are read, also with separators and control characters in them', () => {
  const mark = (body: string) => cut([Buffer.from(`\x1b]7717;${NONCE};${body}\x07`)]).marks[0]
  expect(mark('1;17')).toEqual({ kind: 'begin', request: 17 })
  expect(mark(String.raw`3;130;/tmp/a\;b`)).toEqual({
    kind: 'end',
    exitCode: 130,
    cwd: Buffer.from('/tmp/a;b'),
  })
  expect(mark(String.raw`2;$'a\nb;c';/x`)).toEqual({
    kind: 'typed',
    command: Buffer.from('a\nb;c'),
    cwd: Buffer.from('/x'),
  })
  expect(mark('2;;/x')).toEqual({ kind: 'typed', command: null, cwd: Buffer.from('/x') })
  expect(mark('9;what')).toBeUndefined()
})

test('a mark identifies its shell, and the mark of a forgotten shell is output', () => {
  const cutter = new MarkCutter()
  for (const nonce of [NONCE, OTHER_NONCE]) cutter.know(nonce, unquoteShellWord)
  const asks = (nonce: string) => Buffer.from(`\x1b]7717;${nonce};6\x07`)
  const both = Buffer.concat([asks(OTHER_NONCE), asks(NONCE)])
  expect(cutter.take(both)).toEqual([
    { nonce: OTHER_NONCE, mark: { kind: 'asks' } },
    { nonce: NONCE, mark: { kind: 'asks' } },
  ])
  cutter.forget(OTHER_NONCE)
  expect(cutter.take(both)).toEqual([asks(OTHER_NONCE), { nonce: NONCE, mark: { kind: 'asks' } }])
})

test('a mark that never ends is output in the end', () => {
  const endless = Buffer.concat([Buffer.from(`\x1b]7717;${NONCE};1;`), Buffer.alloc(MARK_BYTES_MAX, 'x')])
  expect(cut([endless]).bytes.equals(endless)).toBe(true)
})

test('what the shells quote is unquoted to the same bytes', () => {
  const cases: [string, string][] = [
    [String.raw`/tmp/a\ b`, '/tmp/a b'],
    [String.raw`$'/tmp/\303\274\n\t\a\e'`, '/tmp/ü\n\t\x07\x1b'],
    [String.raw`'it\'s \\ here'`, "it's \\ here"],
    [String.raw`a$'\n'b`, 'a\nb'],
    [String.raw`\x1b\u00e9`, '\x1bé'],
    ["''", ''],
  ]
  for (const [quoted, text] of cases)
    expect(unquoteShellWord(Buffer.from(quoted)).toString(), quoted).toBe(text)
})
