import { describe, expect, test } from 'vitest'
import { withScheme } from './address.ts'
import { TerminalInputReader } from './terminal-input.ts'
import { TextField } from './text-field.ts'

describe('what a terminal sends is read as keys', () => {
  test.each([
    ['a', ['a']],
    ['é漢👍', ['é', '漢', '👍']],
    [' ', ['Space']],
    ['\r', ['Enter']],
    ['\u007f', ['Backspace']],
    ['\u001b', ['Escape']],
    ['\u0001', ['Ctrl+a']],
    ['\u001b[A\u001bOB\u001b[C\u001b[D', ['Up', 'Down', 'Right', 'Left']],
    ['\u001b[1;3D', ['Alt+Left']],
    ['\u001b[1;6C', ['Ctrl+Shift+Right']],
    ['\u001b[5~\u001b[3;5~\u001b[15~', ['PageUp', 'Ctrl+Delete', 'F5']],
    ['\u001b[Z', ['Shift+Tab']],
    ['\u001bx', ['Alt+x']],
    ['\u001b[99999z', []],
  ])('%j is %j', (text, names) => {
    const inputs = new TerminalInputReader().read(text)
    expect(inputs.map((input) => (input.type === 'key' ? input.name : input.type))).toEqual(names)
  })

  test('a sequence may come in pieces', () => {
    const reader = new TerminalInputReader()
    expect(reader.read('\u001b[1;')).toEqual([])
    expect(reader.read('3D')).toMatchObject([{ name: 'Alt+Left' }])
  })
})

test('a paste is one text, whatever is in it', () => {
  const reader = new TerminalInputReader()
  expect(reader.read('\u001b[200~line\n\u001b[A')).toEqual([])
  expect(reader.read('more\u001b[201~x')).toMatchObject([
    { type: 'paste', text: 'line\n\u001b[Amore' },
    { name: 'x' },
  ])
})

test.each([
  ['\u001b[<0;5;3M', { action: 'down', button: 'left', row: 2, col: 4 }],
  ['\u001b[<2;5;3m', { action: 'up', button: 'right', row: 2, col: 4 }],
  ['\u001b[<32;6;3M', { action: 'move', button: 'left', row: 2, col: 5 }],
  ['\u001b[<64;1;1M', { action: 'wheel', delta: -3 }],
  ['\u001b[<65;1;1M', { action: 'wheel', delta: 3 }],
])('the mouse report %j is read', (text, input) => {
  expect(new TerminalInputReader().read(text)).toMatchObject([input])
})

test.each([
  ['example.com', 'https://example.com'],
  ['localhost:3000', 'https://localhost:3000'],
  ['localhost:3000/a', 'https://localhost:3000/a'],
  ['http://localhost:3000', 'http://localhost:3000'],
  ['about:blank', 'about:blank'],
  ['javascript:alert(1)', 'javascript:alert(1)'],
])('the address %s is taken as %s', (typed, url) => {
  expect(withScheme(typed)).toBe(url)
})

test('a line of text is edited by character', () => {
  const field = new TextField('ab👍')
  for (const key of ['Left', 'Backspace', 'Home']) expect(field.edit(key)).toBe(true)
  field.insert('x\u001by')
  expect([field.text, field.cursor]).toEqual(['xya👍', 2])
  expect(field.edit('F5')).toBe(false)
  field.edit('End')
  field.edit('Ctrl+u')
  expect(field.text).toBe('')
})
