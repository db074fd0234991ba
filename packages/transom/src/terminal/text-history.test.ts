import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TextHistory } from './text-history.ts'
import { VtEmulator } from './vt/vt-emulator.ts'

function historyOf(cols: number, rows: number, ...parts: (string | [cols: number, rows: number])[]): string {
  let text = ''
  const history = new TextHistory(cols, rows, (piece) => (text += piece))
  for (const part of parts) {
    if (typeof part === 'string') history.apply({ type: 'output', bytes: Buffer.from(part) })
    else history.apply({ type: 'resize', cols: part[0], rows: part[1] })
  }
  history.end()
  return text
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `line ${from + index}`)

describe('the text history', () => {
  test('has every line, however many scroll off', () => {
    const lines = numbered(0, 30_000)
    expect(historyOf(80, 24, lines.join('\r\n'))).toBe(`${lines.join('\n')}\n`)
    expect(historyOf(80, 24, ...lines.map((line) => `${line}\r\n`))).toBe(`${lines.join('\n')}\n`)
  })

  test('has lines of nothing but line breaks, also when one write fills the scrollback', () => {
    expect(historyOf(80, 24, `${'\n'.repeat(5000)}end`).split('\n')).toHaveLength(5002)
  })

  test('joins rows that wrap, also over the edge of the scrollback', () => {
    const long = Array.from({ length: 400 }, (_, index) => `${index}:${'x'.repeat(250)}`)
    expect(historyOf(80, 24, long.join('\r\n'))).toBe(`${long.join('\n')}\n`)
  })

  test('keeps what was scrolled off before the scrollback was cleared or the terminal reset', () => {
    const lines = numbered(0, 100)
    const first = lines.slice(0, 100 - 23) // the rest is on the screen, and erased there
    for (const clear of ['\x1b[H\x1b[2J\x1b[3J', '\x1bc']) {
      const text = historyOf(80, 24, `${lines.join('\r\n')}\r\n`, clear, 'after')
      expect(text.split('\n').slice(0, first.length)).toEqual(first)
      expect(text.endsWith('after\n')).toBe(true)
    }
  })

  test('goes on after a reset as before', () => {
    const lines = numbered(0, 5000)
    expect(historyOf(80, 24, '\x1bc', lines.join('\r\n'))).toBe(`${lines.join('\n')}\n`)
  })

  test('scrolls in a region that does not reach the bottom', () => {
    const lines = numbered(0, 5000)
    const text = historyOf(80, 24, '\x1b[1;20r', lines.join('\r\n'))
    expect(text).toBe(`${lines.join('\n')}\n`)
  })

  test('shows the alternate screen only when it is the last', () => {
    const inside = '\x1b[?1049h\x1b[Hfull screen'
    expect(historyOf(80, 24, 'before\r\n', inside, '\x1b[?1049l', 'after')).toBe('before\nafter\n')
    expect(historyOf(80, 24, ...numbered(0, 40).map((line) => `${line}\r\n`), inside)).toBe(
      `${numbered(0, 17).join('\n')}\nfull screen\n`,
    )
  })

  test('loses nothing when the width changes with a full scrollback', () => {
    const lines = numbered(0, 3000).map((line) => `${line} ${'y'.repeat(60)}`)
    const text = historyOf(80, 24, `${lines.join('\r\n')}\r\n`, [40, 24], [33, 24], [120, 30], 'end')
    expect(text).toBe(`${[...lines, 'end'].join('\n')}\n`)
  })

  test('lets no control character through', () => {
    const text = historyOf(80, 24, 'a\x1b]0;title\x07b\x9bc\u009b31md\x7fe')
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  })

  test('ends with the screen that the emulator shows, whatever was printed', () => {
    const parts = fc.array(
      fc.oneof(
        fc.string({ maxLength: 60 }),
        fc.constantFrom(
          '\r\n',
          '\n\n\n',
          '\x1b[2J',
          '\x1b[H',
          '\x1b[3J',
          '\x1b7',
          '\x1b8',
          '\x1b[5S',
          '\x1b[3L',
          '漢字',
        ),
      ),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(parts, (pieces) => {
        const emulator = new VtEmulator(20, 5)
        for (const piece of pieces) emulator.write(Buffer.from(piece))
        const { grid } = emulator.frame()
        const screen = Array.from({ length: 5 }, (_, row) => grid.lineOf(row))
          .join('')
          .trimEnd()
        const text = historyOf(20, 5, ...pieces).replaceAll('\n', '')
        expect(text.replaceAll(' ', '').endsWith(screen.replaceAll(' ', ''))).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})
