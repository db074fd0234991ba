import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WIDE_SPACER, canonicalText, changedRows } from '@transom/grid'
import { styledRuns } from '../../session/styled-runs.ts'
import type { Frame } from '../emulator.ts'
import { describeFrame, terminalBytes } from '../../../../../test/support/terminal-bytes.ts'
import { VtEmulator } from './vt-emulator.ts'

function emulate(text: string, cols = 80, rows = 24): VtEmulator {
  const emulator = new VtEmulator(cols, rows)
  emulator.write(Buffer.from(text))
  return emulator
}

function linesOf({ grid }: Frame): string[] {
  return Array.from({ length: grid.rows }, (_, row) => grid.lineOf(row))
}

describe('the emulator', () => {
  test('shows the same for any chunking of the bytes, and gives the same answers', () => {
    fc.assert(
      fc.property(
        terminalBytes,
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1 }),
        (bytes, sizes) => {
          const whole = new VtEmulator(40, 12)
          whole.write(bytes)
          const pieces = new VtEmulator(40, 12)
          for (let at = 0, turn = 0; at < bytes.length; turn++) {
            const size = sizes[turn % sizes.length] ?? 1
            pieces.write(bytes.subarray(at, at + size))
            pieces.frame() // reading in between must change nothing
            at += size
          }
          expect(describeFrame(pieces.frame())).toEqual(describeFrame(whole.frame()))
          expect(pieces.takeAnswers().join('')).toEqual(whole.takeAnswers().join(''))
          expect(pieces.modes()).toEqual(whole.modes())
        },
      ),
      { numRuns: 300 },
    )
  })

  test('keeps wide characters, clusters, colours and links in cells', () => {
    const { grid } = emulate(
      'a漢e\u0301\x1b[1;38;2;1;2;3mB\x1b[0m\x1b]8;;https://x.test\x1b\\L\x1b]8;;\x1b\\',
    ).frame()
    expect(styledRuns(grid, 0)).toEqual([
      { col: 0, width: 4, text: 'a漢e\u0301' },
      { col: 4, width: 1, text: 'B', bold: true, fg: '#010203' },
      { col: 5, width: 1, text: 'L', link: 'https://x.test' },
    ])
  })

  test('keeps a wide character whole that moves away from the right edge', () => {
    const { grid } = emulate('abcd漢\u001b[1;1H\u001b[P', 6, 1).frame()
    expect([...grid.codes].slice(3, 5)).toEqual([0x6f22, WIDE_SPACER])
  })

  test('joins wrapped rows to one line and keeps written blanks inside it', () => {
    const canonical = canonicalText(emulate(`${'x'.repeat(9)} yz\r\nnext`, 10, 5).frame().grid)
    expect(canonical.text).toBe('xxxxxxxxx yz\nnext')
    expect(canonical.lines.map(({ rowIndex, rowCount }) => [rowIndex, rowCount])).toEqual([
      [0, 2],
      [2, 1],
    ])
  })

  test('holds a synchronized update back until it ends, is released or the size changes', () => {
    const emulator = emulate('before')
    emulator.write(Buffer.from('\r\x1b[?2026hAFTER!'))
    expect(emulator.syncActive).toBe(true)
    expect(linesOf(emulator.frame())[0]).toBe('before')
    emulator.write(Buffer.from('\x1b[?2026l'))
    expect(linesOf(emulator.frame())[0]).toBe('AFTER!')
    emulator.write(Buffer.from('\r\x1b[?2026hmore..'))
    expect(linesOf(emulator.frame())[0]).toBe('AFTER!')
    emulator.releaseSync()
    expect(linesOf(emulator.frame())[0]).toBe('more..')
  })

  test('a frame does not change when the screen does', () => {
    const emulator = emulate('one')
    const before = emulator.frame()
    emulator.write(Buffer.from('\r\ntwo'))
    const after = emulator.frame()
    expect(linesOf(before).slice(0, 2)).toEqual(['one', ''])
    expect(changedRows(before.grid, after.grid)).toEqual([1])
  })

  test('goes on counting lines after a reset', () => {
    const emulator = emulate('line\r\n'.repeat(2000))
    emulator.write(Buffer.from('\x1bc'))
    const { firstLine } = emulator.frame()
    emulator.write(Buffer.from('line\r\n'.repeat(2000)))
    expect(emulator.frame().firstLine).toBeGreaterThan(firstLine + 1900)
  })

  test('is not brought down by a repeat of two thousand million characters', () => {
    expect(linesOf(emulate('x\x1b[2147483647by', 10, 3).frame())).toEqual(['xxxxxxxxxx', 'xxxxxxxxxx', 'xy'])
  })

  test('says when scrollback has been cut', () => {
    const few = emulate('line\r\n'.repeat(30)).scrollback()
    expect([few.grid.rows, few.truncated]).toEqual([7, false])
    const many = emulate('line\r\n'.repeat(2000)).scrollback()
    expect([many.grid.rows, many.truncated]).toEqual([1000, true])
  })

  test('reports the modes that keys are encoded from', () => {
    const emulator = emulate(
      '\x1b[?1h\x1b=\x1b[?2004h\x1b[?1002h\x1b[?1006h\x1b[>5u\x1b[>4;2m\x1b[?67h\x1b[20h',
    )
    expect(emulator.modes()).toMatchObject({
      application_cursor: true,
      application_keypad: true,
      bracketed_paste: true,
      mouse: 'button',
      mouse_encoding: 'sgr',
      kitty_keyboard: 5,
      modify_other_keys: 2,
      backarrow_sends_backspace: true,
      newline: true,
    })
    emulator.write(Buffer.from('\x1b[<u\x1b[?1049h'))
    expect(emulator.modes()).toMatchObject({ kitty_keyboard: 0, alt_screen: true })
  })
})

describe('queries are answered', () => {
  const hex = (text: string) => Buffer.from(text).toString('hex')
  test.each([
    ['DA1', '\x1b[c', '\x1b[?62;22c'],
    ['DA2', '\x1b[>c', '\x1b[>1;100;0c'],
    ['DA3', '\x1b[=c', '\x1bP!|00000000\x1b\\'],
    ['DSR', '\x1b[5n', '\x1b[0n'],
    ['CPR', '\x1b[3;7H\x1b[6n', '\x1b[3;7R'],
    ['DECXCPR', '\x1b[3;7H\x1b[?6n', '\x1b[?3;7;1R'],
    ['DECRQM of a set mode', '\x1b[?2004h\x1b[?2004$p', '\x1b[?2004;1$y'],
    ['DECRQM of an unknown mode', '\x1b[?9999$p', '\x1b[?9999;0$y'],
    ['DECRQSS of SGR', '\x1bP$qm\x1b\\', '\x1bP1$r0m\x1b\\'],
    ['XTVERSION', '\x1b[>q', '\x1bP>|transom(1)\x1b\\'],
    ['kitty keyboard', '\x1b[>3u\x1b[?u', '\x1b[?3u'],
    ['modifyOtherKeys', '\x1b[>4;1m\x1b[?4m', '\x1b[>4;1m'],
    ['OSC 4', '\x1b]4;1;?\x1b\\', '\x1b]4;1;rgb:cccc/5555/5555\x1b\\'],
    ['OSC 4 of the colour cube', '\x1b]4;196;?\x07', '\x1b]4;196;rgb:ffff/0000/0000\x1b\\'],
    ['OSC 10', '\x1b]10;?\x1b\\', '\x1b]10;rgb:d8d8/d8d8/d8d8\x1b\\'],
    ['OSC 11', '\x1b]11;?\x07', '\x1b]11;rgb:1818/1818/1818\x1b\\'],
    ['OSC 12', '\x1b]12;?\x07', '\x1b]12;rgb:d8d8/d8d8/d8d8\x1b\\'],
    ['14t', '\x1b[14t', '\x1b[4;384;640t'],
    ['16t', '\x1b[16t', '\x1b[6;16;8t'],
    ['18t', '\x1b[18t', '\x1b[8;24;80t'],
    [
      'XTGETTCAP',
      `\x1bP+q${hex('TN')};${hex('nope')}\x1b\\`,
      `\x1bP1+r${hex('TN')}=${hex('xterm-256color')}\x1b\\\x1bP0+r${hex('nope')}\x1b\\`,
    ],
  ])('%s', (_, query, answer) => {
    expect(emulate(query).takeAnswers().join('')).toBe(answer)
  })

  test('a query never makes the emulator type what the program sent', () => {
    const answers = emulate('\x1bP+q;rm -rf /\r;\x1b\\').takeAnswers().join('')
    expect(answers).not.toContain('rm')
    expect(answers).not.toContain('\r')
  })
})
