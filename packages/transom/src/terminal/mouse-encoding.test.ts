import { describe, expect, test } from 'vitest'
import type { TerminalModes } from '@transom/protocol'
import { encodeMouse } from './mouse-encoding.ts'
import { VtEmulator } from './vt/vt-emulator.ts'

/** The modes after a program has printed `sequences`. */
function modesAfter(sequences: string): TerminalModes {
  const emulator = new VtEmulator(80, 24)
  emulator.write(Buffer.from(sequences))
  return emulator.modes()
}

const at = { row: 4, col: 9 }
const to = { row: 5, col: 11 }
const left = 'left' as const

describe('the mouse', () => {
  test('speaks the protocol and encoding that the program asked for', () => {
    const click = { action: 'click', at, button: left } as const
    expect(encodeMouse(click, modesAfter('\x1b[?9h'))).toBe('\x1b[M *%')
    expect(encodeMouse(click, modesAfter('\x1b[?1000h'))).toBe('\x1b[M *%\x1b[M#*%')
    expect(encodeMouse(click, modesAfter('\x1b[?1000h\x1b[?1006h'))).toBe('\x1b[<0;10;5M\x1b[<0;10;5m')
    expect(encodeMouse(click, modesAfter('\x1b[?1000h\x1b[?1016h'))).toBe('\x1b[<0;73;65M\x1b[<0;73;65m')
  })

  test('drags, turns its wheel and moves where that was asked for', () => {
    const modes = modesAfter('\x1b[?1003h\x1b[?1006h')
    const drag = { action: 'drag', at, to, button: 'right' } as const
    expect(encodeMouse(drag, modes)).toBe('\x1b[<2;10;5M\x1b[<34;12;6M\x1b[<2;12;6m')
    expect(encodeMouse({ action: 'wheel', at, lines: -2 }, modes)).toBe('\x1b[<64;10;5M'.repeat(2))
    expect(encodeMouse({ action: 'wheel', at, lines: 1 }, modes)).toBe('\x1b[<65;10;5M')
    expect(encodeMouse({ action: 'move', at }, modes)).toBe('\x1b[<35;10;5M')
  })

  test('presses and releases apart, clicks several times, and holds modifiers', () => {
    const modes = modesAfter('\x1b[?1000h\x1b[?1006h')
    expect(encodeMouse({ action: 'down', at, button: left }, modes)).toBe('\x1b[<0;10;5M')
    expect(encodeMouse({ action: 'up', at, button: left }, modes)).toBe('\x1b[<0;10;5m')
    const double = { action: 'click', at, button: left, clicks: 2 } as const
    expect(encodeMouse(double, modes)).toBe('\x1b[<0;10;5M\x1b[<0;10;5m'.repeat(2))
    const held = { action: 'down', at, button: 'right', modifiers: ['ctrl', 'shift'] } as const
    expect(encodeMouse({ ...held, modifiers: [...held.modifiers] }, modes)).toBe('\x1b[<22;10;5M')
    const up = { action: 'up', at, button: left, modifiers: ['alt' as const] } as const
    expect(encodeMouse({ ...up, modifiers: [...up.modifiers] }, modesAfter('\x1b[?1000h'))).toBe('\x1b[M+*%')
  })

  test.each([
    ['nothing', '', { action: 'click', at, button: left } as const],
    ['clicks only', '\x1b[?1000h', { action: 'drag', at, to, button: left } as const],
    ['presses only', '\x1b[?9h', { action: 'wheel', at, lines: 1 } as const],
    ['drags only', '\x1b[?1002h', { action: 'move', at } as const],
    [
      'one byte for a column',
      '\x1b[?1000h',
      { action: 'click', at: { row: 0, col: 300 }, button: left } as const,
    ],
  ])('is refused where the program asked for %s', (_, sequences, action) => {
    expect(() => encodeMouse(action, modesAfter(sequences))).toThrowError(
      expect.objectContaining({ code: 'mouse_not_enabled' }),
    )
  })
})
