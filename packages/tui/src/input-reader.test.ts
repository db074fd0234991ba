import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeKeys } from '../../transom/src/terminal/key-encoding.ts'
import { formatKey, parseKeys } from '../../transom/src/terminal/key-names.ts'
import { VtEmulator } from '../../transom/src/terminal/vt/vt-emulator.ts'
import type { InputEvent } from './input-events.ts'
import { InputReader } from './input-reader.ts'

/** What a reader makes of chunks, and of the silence after them. */
function readAll(...chunks: string[]): InputEvent[] {
  const reader = new InputReader()
  return [...chunks.flatMap((chunk) => reader.read(chunk)), ...reader.flush()]
}

function names(...chunks: string[]): string[] {
  return readAll(...chunks).map((event) => ('name' in event ? event.name : event.type))
}

describe('keys are read', () => {
  test.each([
    ['a', ['a']],
    ['é漢👍A', ['é', '漢', '👍', 'A']],
    [' ', ['Space']],
    ['\r\t\u007f\u0008', ['Enter', 'Tab', 'Backspace', 'Backspace']],
    ['\u0000\u0001\u001a\u001c\u001f', ['Ctrl+Space', 'Ctrl+a', 'Ctrl+z', 'Ctrl+\\', 'Ctrl+_']],
    ['\u001b', ['Escape']],
    ['\u001b\u001b', ['Escape', 'Escape']],
    ['\u001bx\u001b\u007f\u001b\r', ['Alt+x', 'Alt+Backspace', 'Alt+Enter']],
    ['\u001b[A\u001bOB\u001b[C\u001b[D', ['Up', 'Down', 'Right', 'Left']],
    ['\u001b[1;3D\u001b[1;6C\u001b[1;9A', ['Alt+Left', 'Ctrl+Shift+Right', 'Super+Up']],
    ['\u001b[5~\u001b[3;5~\u001b[15~\u001b[24~', ['PageUp', 'Ctrl+Delete', 'F5', 'F12']],
    ['\u001b[Z\u001b[1;2R', ['Shift+Tab', 'Shift+F3']],
    ['\u001bOP\u001b[[A\u001b[11~\u001bOM\u001bOp', ['F1', 'F1', 'F1', 'KPEnter', 'KP0']],
    ['\u001b[', ['Alt+[']],
    ['\u001bO', ['Alt+O']],
  ])('%j is %j', (text, expected) => {
    expect(names(text)).toEqual(expected)
  })

  test.each([
    ['\u001b[a\u001bOd', ['Shift+Up', 'Ctrl+Left']],
    ['\u001b[3$\u001b[5^\u001b[6@', ['Shift+Delete', 'Ctrl+PageUp', 'Ctrl+Shift+PageDown']],
    ['\u001b\u001b[A\u001b\u001bOC', ['Alt+Up', 'Alt+Right']],
    ['\u001b[7~\u001b[8~', ['Home', 'End']],
  ])('as rxvt sends them: %j', (text, expected) => {
    expect(names(text)).toEqual(expected)
  })

  test.each([
    ['\u001b[97;5u', ['Ctrl+a']],
    ['\u001b[97:65;2u', ['A']],
    ['\u001b[49:33;2u', ['!']],
    ['\u001b[97;2;65u', ['A']],
    ['\u001b[13;2u\u001b[27u\u001b[9;5u', ['Shift+Enter', 'Escape', 'Ctrl+Tab']],
    ['\u001b[57399u\u001b[57376;5u', ['KP0', 'Ctrl+F13']],
    ['\u001b[97;1:3u', ['a']],
    ['\u001b[57441;2u', []], // the Shift key itself
    ['\u001b[27;5;105~', ['Ctrl+i']], // xterm's modifyOtherKeys
    ['\u001b[999999999u\u001b[55296u', []],
    ['\u001b[!u\u001b[<1;!;1M\u001b[:;:u', ['report']],
  ])('of the kitty protocol: %j', (text, expected) => {
    expect(names(text)).toEqual(expected)
  })

  test('keys that type text carry it, and commands carry none', () => {
    expect(readAll('A\u001b[97;5u\u001b[228;1;228u')).toMatchObject([
      { key: 'A', text: 'A', shift: false },
      { key: 'a', text: '', ctrl: true },
      { key: 'ä', text: 'ä' },
    ])
    expect(readAll('\u001b[97;1:3u')).toEqual([{ type: 'release', name: 'a' }])
  })

  test('as the terminal engine of the product encodes them', () => {
    const modes = new VtEmulator(10, 5).modes()
    const keys = 'Up Down Home End Insert Delete PageUp PageDown F1 F2 F4 F5 F12'.split(' ')
    const press = fc.tuple(fc.subarray(['Ctrl+', 'Alt+', 'Shift+']), fc.constantFrom(...keys))
    const character = fc.constantFrom('a', 'Z', '1', 'é', '漢', 'Ctrl+a', 'Alt+q', 'Space', 'Enter', 'Tab')
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            press.map(([held, key]) => held.join('') + key),
            character,
          ),
        ),
        fc.constantFrom(0, 1, 5),
        fc.boolean(),
        (wanted, kitty_keyboard, application_cursor) => {
          const encoded = encodeKeys(parseKeys(wanted), { ...modes, kitty_keyboard, application_cursor })
          expect(names(encoded)).toEqual(parseKeys(wanted).map(formatKey))
        },
      ),
    )
  })
})

describe('the mouse is read', () => {
  test.each([
    ['\u001b[<0;5;3M', { action: 'down', button: 'left', row: 2, col: 4 }],
    ['\u001b[<2;5;3m', { action: 'up', button: 'right', row: 2, col: 4 }],
    ['\u001b[<32;6;3M', { action: 'move', button: 'left', row: 2, col: 5 }],
    ['\u001b[<35;6;3M', { action: 'move', button: 'none' }],
    ['\u001b[<64;1;1M', { action: 'wheel', wheelRows: -1 }],
    ['\u001b[<65;1;1M', { action: 'wheel', wheelRows: 1, wheelCols: 0 }],
    ['\u001b[<67;1;1M', { action: 'wheel', wheelRows: 0, wheelCols: 1 }],
    ['\u001b[<20;1;1M', { action: 'down', ctrl: true, shift: true, alt: false }],
    ['\u001b[<128;1;1M', { action: 'down', button: 'back' }],
    ['\u001b[M !!', { action: 'down', button: 'left', row: 0, col: 0 }],
    ['\u001b[M#"!', { action: 'up', button: 'none', row: 0, col: 1 }],
    ['\u001b[32;5;3M', { action: 'down', button: 'left', row: 2, col: 4 }],
    ['\u001b[<0;0;0M', { row: 0, col: 0 }],
  ])('%j', (text, event) => {
    expect(readAll(text)).toMatchObject([{ type: 'mouse', ...event }])
  })
})

test('focus, size and answers of the terminal are read', () => {
  expect(readAll('\u001b[I\u001b[O\u001b[48;24;80;480;800t')).toEqual([
    { type: 'focus', focused: true },
    { type: 'focus', focused: false },
    { type: 'resize', rows: 24, cols: 80 },
  ])
  const answers = ['\u001b[?62;22c', '\u001b[?2026;2$y', '\u001b[12;40R', '\u001b]11;rgb:0/0/0\u001b\\']
  expect(readAll(answers.join('x'))).toMatchObject([
    { type: 'report', sequence: answers[0] },
    { name: 'x' },
    { type: 'report', sequence: answers[1] },
    { name: 'x' },
    { type: 'report', sequence: answers[2] },
    { name: 'x' },
    { type: 'report', sequence: answers[3] },
  ])
})

test('a paste is one text, whatever is in it and however long it takes', () => {
  const reader = new InputReader()
  expect(reader.read('\u001b[200~line\n\u001b[A')).toEqual([])
  expect([reader.isWaiting, reader.flush()]).toEqual([false, []])
  expect(reader.read('more\u001b[201~x')).toMatchObject([
    { type: 'paste', text: 'line\n\u001b[Amore' },
    { name: 'x' },
  ])
})

test('an Escape waits for the caller to decide', () => {
  const reader = new InputReader()
  expect([reader.read('\u001b'), reader.isWaiting]).toEqual([[], true])
  expect(reader.flush()).toMatchObject([{ name: 'Escape' }])
  expect([reader.read('[A'), reader.isWaiting]).toMatchObject([[{ name: '[' }, { name: 'A' }], false])
  reader.read('\u001b[1;')
  expect([reader.flush(), reader.isWaiting]).toEqual([[], false])
})

test('an endless sequence does not fill the memory', () => {
  const reader = new InputReader()
  expect(reader.read(`\u001b]${'x'.repeat(5000)}`).length).toBeLessThan(1000)
  expect(reader.isWaiting).toBe(false)
  const pasted = new InputReader().read(`\u001b[200~${'y'.repeat(3 << 20)}\u001b[201~`)
  expect(pasted.map((event) => (event.type === 'paste' ? event.text.length : 0))).toEqual([
    1 << 20,
    1 << 20,
    1 << 20,
  ])
})

test('any chunks give the same events', () => {
  const characters = 'a 👍 ! ? [ O A < 0;1;1M M ~ 1;5 ; : $ u \u0007 \\ ] P \r \u001b'.split(' ')
  const sequences = '200~ 201~ M"!! <0;5;3M 3$ A'.split(' ').map((body) => `\u001b[${body}`)
  const pieces = [...characters, ...sequences, '\u001b]11;x\u001b\\']
  const text = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 2 })))
  fc.assert(
    fc.property(text, fc.array(fc.nat(40)), (parts, cuts) => {
      const whole = parts.join('')
      const at = [0, ...cuts.filter((cut) => cut < whole.length).sort((a, b) => a - b), whole.length]
      const chunks = at.slice(1).map((end, index) => whole.slice(at[index], end))
      expect(readAll(...chunks)).toEqual(readAll(whole))
    }),
    { numRuns: 2000 },
  )
})
