import { describe, expect, test } from 'vitest'
import { keyEvent } from './input-events.ts'
import { InputReader } from './input-reader.ts'
import { ListState } from './list-state.ts'
import { TextField } from './text-field.ts'

function press(field: TextField, input: string): boolean[] {
  return new InputReader().read(input).map((event) => field.handle(event))
}

describe('a line of text is edited', () => {
  test('by character', () => {
    const field = new TextField('ab👍')
    press(field, '\u001b[D\u007f\u001b[H') // Left, Backspace, Home
    field.insert('x\u001by')
    expect([field.text, field.cursorCol]).toEqual(['x\ufffdya👍', 3])
    expect(field.handle(keyEvent('F5'))).toBe(false)
    press(field, '\u001b[F\u0015') // End, Ctrl+u
    expect(field.text).toBe('')
  })

  test('by cluster: one on the screen is one here', () => {
    const field = new TextField('e\u0301👨\u200d👩\u200d👧')
    expect(field.cursorCol).toBe(3)
    press(field, '\u007f')
    expect(field.text).toBe('e\u0301')
    press(field, '\u001b[D\u001b[3~')
    expect([field.text, field.cursorCol]).toEqual(['', 0])
  })

  test('by word', () => {
    const field = new TextField('one two  three')
    press(field, '\u001b[1;5D\u0017') // Ctrl+Left, Ctrl+w
    expect(field.text).toBe('one three')
    press(field, '\u0001\u001b[1;5C\u000b') // Ctrl+a, Ctrl+Right, Ctrl+k
    expect([field.text, field.cursorCol]).toEqual(['one', 3])
  })

  test('by typing and pasting, in one line', () => {
    const field = new TextField()
    expect(press(field, 'aé \u001b[200~two\nlines\u001b[201~\u001bx\u001b[A')).toEqual([
      true,
      true,
      true,
      true,
      false, // Alt+x
      false, // Up
    ])
    expect(field.text).toBe('aé two lines')
  })

  test('up to a length', () => {
    const field = new TextField('x'.repeat(1 << 17))
    field.insert('y')
    expect(field.text).toBe('x'.repeat(1 << 16))
  })
})

test('the cursor stays in view', () => {
  const field = new TextField('0123456789')
  expect(field.view(5)).toEqual({ text: '6789', cursorCol: 4 })
  press(field, '\u001b[D\u001b[D')
  expect(field.view(5)).toEqual({ text: '6789', cursorCol: 2 })
  press(field, '\u001b[H')
  expect(field.view(5)).toEqual({ text: '01234', cursorCol: 0 })
  expect(new TextField('漢字漢').view(4)).toEqual({ text: ' 漢', cursorCol: 3 })
  expect(new TextField('abc').view(0)).toEqual({ text: '', cursorCol: 0 })
})

test('a list keeps its selection in view', () => {
  const list = new ListState()
  list.resize(10, 3)
  const after = (...keys: string[]) => {
    for (const key of keys) expect(list.handleKey(key)).toBe(true)
    return [list.selected, list.top]
  }
  expect(after()).toEqual([0, 0])
  expect(after('Down', 'Down', 'Down')).toEqual([3, 1])
  expect(after('End')).toEqual([9, 7])
  expect(after('Up', 'Up', 'Up')).toEqual([6, 6])
  expect(after('PageDown', 'PageDown')).toEqual([9, 7])
  expect(after('Home', 'Up')).toEqual([0, 0])
  expect(list.handleKey('q')).toBe(false)
  list.select(8)
  list.resize(4, 3)
  expect([list.selected, list.top]).toEqual([3, 1])
  list.resize(4, 10)
  expect([list.selected, list.top]).toEqual([3, 0])
  list.resize(0, 10)
  expect([list.selected, list.top]).toEqual([-1, 0])
})
