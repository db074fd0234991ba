import { describe, expect, test } from 'vitest'
import { EVENT_TYPE_NUMBERS } from '@transom/protocol'
import { TerminalProjection } from '../kinds/terminal/terminal-projection.ts'
import { VtEmulator } from '../terminal/vt/vt-emulator.ts'
import { takeSnapshot, type SnapshotOptions } from './snapshot.ts'

const REVERSE = '\u001b[7m'
const PLAIN = '\u001b[0m'
const ON_BLUE = '\u001b[44m'
const ON_WHITE = '\u001b[47m'

function screenOf(printed: string, { cols = 40, rows = 5 } = {}): TerminalProjection {
  const screen = new TerminalProjection(new VtEmulator(cols, rows))
  screen.apply({ seq: 1, time: 0, typeNumber: EVENT_TYPE_NUMBERS.output, payload: Buffer.from(printed) })
  return screen
}

function linesOf(printed: string, options: SnapshotOptions, size?: { cols: number; rows: number }): string[] {
  return takeSnapshot('s', screenOf(printed, size), options).lines.map(({ text }) => text)
}

describe('the mark of the cursor', () => {
  test.each([
    ['at the end of a prompt, after its blank', '$ ', '$ ‸'],
    ['before the character that it is on', 'hello\u001b[3D', 'he‸llo'],
    ['past the end of the text', 'ab\u001b[6G', 'ab   ‸'],
    ['before a wide character, also from its right half', '日本\u001b[4G', '日‸本'],
    ['nowhere while the cursor is hidden', 'menu\u001b[?25l', 'menu'],
  ])('stands %s', (_where, printed, line) => {
    expect(linesOf(printed, { mark_cursor: true })[0]).toBe(line)
  })

  test('keeps the blanks at the end of a line of full width', () => {
    const [line] = linesOf('ab\u001b[1G', { mark_cursor: true, full_width: true }, { cols: 6, rows: 1 })
    expect(line).toBe('‸ab    ')
  })

  test('is not there unless asked for', () => {
    expect(linesOf('$ ', {})[0]).toBe('$')
  })
})

describe('what is highlighted', () => {
  const menu = `Main menu\r\n  ${REVERSE}New game  ${PLAIN}\r\n  Load game`

  test('is reported with every snapshot of a terminal', () => {
    expect(takeSnapshot('s', screenOf(menu)).highlighted).toEqual([{ row: 1, col: 2, text: 'New game' }])
    expect(takeSnapshot('s', screenOf('plain text'))).not.toHaveProperty('highlighted')
  })

  test('stands between marks in the text on demand', () => {
    expect(linesOf(menu, { mark_highlights: true }).slice(0, 3)).toEqual([
      'Main menu',
      '  ⟦New game⟧',
      '  Load game',
    ])
  })

  test('has both marks and the cursor’s in one line', () => {
    const line = `${REVERSE}(END)${PLAIN}\u001b[3G`
    expect(linesOf(line, { mark_highlights: true, mark_cursor: true })[0]).toBe('⟦(E‸ND)⟧')
  })

  test('is text on a background that the cells around it do not have, as dialog shows its menus', () => {
    const row = (text: string) => `${ON_BLUE}    ${ON_WHITE}${text}${ON_BLUE}    ${PLAIN}\r\n`
    const shown = `${row('  Apple   ')}${row(`  ${ON_BLUE}Banana${ON_WHITE}  `)}${row('  Cherry  ')}`
    const { highlighted } = takeSnapshot('s', screenOf(shown, { cols: 18, rows: 4 }))
    expect(highlighted).toEqual([{ row: 1, col: 6, text: 'Banana' }])
  })

  test('is a chosen row also where the heading above has a column on the same background, as in htop', () => {
    const shown = `PID ${ON_BLUE}CPU${PLAIN} COMMAND\r\n${ON_BLUE}  1   9 init    ${PLAIN}\r\n  2   1 getty`
    const { highlighted } = takeSnapshot('s', screenOf(shown))
    expect(highlighted).toContainEqual({ row: 1, col: 2, text: '1   9 init' })
  })

  test('is not reported of a bar of keys, which has no chosen one', () => {
    const bar = ['Help', 'Menu', 'View', 'Edit', 'Copy']
      .map((key, n) => `${n}${REVERSE}${key}${PLAIN}`)
      .join(' ')
    const { highlighted } = takeSnapshot('s', screenOf(`${REVERSE}a file${PLAIN}\r\n\r\n${bar}`))
    expect(highlighted).toEqual([{ row: 0, col: 0, text: 'a file' }])
  })

  test('is not reported where so much is coloured that nothing stands out', () => {
    const words = Array.from({ length: 25 }, (_, n) => `${REVERSE}w${n}${PLAIN}\r\n`).join('')
    expect(takeSnapshot('s', screenOf(words, { cols: 20, rows: 30 }))).not.toHaveProperty('highlighted')
  })
})

describe('a snapshot of at most so many characters', () => {
  const many = Array.from({ length: 900 }, (_, n) => `line ${n}`).join('\r\n')

  test('has that much text, from the top and the bottom, however many lines are left out', () => {
    const { scrollback = [], lines } = takeSnapshot('s', screenOf(many), { scrollback: true, max_chars: 500 })
    const kept = [...scrollback, ...lines].filter(({ omitted }) => !omitted).map(({ text }) => text)
    const chars = kept.join('\n').length
    expect(chars).toBeLessThanOrEqual(500)
    expect(chars).toBeGreaterThan(450)
    expect(kept[0]).toBe('line 0')
    expect(kept.at(-1)).toBe('line 899')
  })
})
