import { describe, expect, test } from 'vitest'
import { START_QUERIES } from '../../../../../test/support/start-queries.ts'
import { VtEmulator } from './vt-emulator.ts'

function answers(text: string): string[] {
  const emulator = new VtEmulator(80, 24)
  emulator.write(Buffer.from(text))
  return emulator.takeAnswers()
}

describe('the questions of a program at its start are answered in order', () => {
  test.each(START_QUERIES)('$program', ({ asks, answers: expected }) => {
    expect(answers(asks)).toEqual(expected)
  })
})

describe('a query reports what the program has set', () => {
  test.each([
    ['a colour of the palette', '\x1b]4;1;#102030\x07\x1b]4;1;?\x07', '\x1b]4;1;rgb:1010/2020/3030\x1b\\'],
    ['it is reset', '\x1b]4;1;#102030\x07\x1b]104;1\x07\x1b]4;1;?\x07', '\x1b]4;1;rgb:cccc/5555/5555\x1b\\'],
    ['the background', '\x1b]11;rgb:ff/00/80\x07\x1b]11;?\x07', '\x1b]11;rgb:ffff/0000/8080\x1b\\'],
    ['it is reset', '\x1b]11;#fff\x07\x1b]111\x07\x1b]11;?\x07', '\x1b]11;rgb:1818/1818/1818\x1b\\'],
    [
      'colours that were pushed',
      '\x1b[#P\x1b]12;#fff\x07\x1b[#Q\x1b]12;?\x07',
      '\x1b]12;rgb:d8d8/d8d8/d8d8\x1b\\',
    ],
    ['margins', '\x1b[3;10r\x1bP$qr\x1b\\', '\x1bP1$r3;10r\x1b\\'],
    ['margins at the sides', '\x1b[?69h\x1b[5;20s\x1bP$qs\x1b\\', '\x1bP1$r5;20s\x1b\\'],
    ['the cursor style', '\x1b[5 q\x1bP$q q\x1b\\', '\x1bP1$r5 q\x1b\\'],
    ['protection', '\x1b[1"q\x1bP$q"q\x1b\\', '\x1bP1$r1"q\x1b\\'],
    ['the cursor in origin mode', '\x1b[5;10r\x1b[?6h\x1b[2;3H\x1b[6n', '\x1b[2;3R'],
    ['tab stops', '\x1b[3g\x1b[5G\x1bH\x1b[2$w', '\x1bP2$u5\x1b\\'],
    ['a checksum', 'A\x1b[1;0;1;1;1;1*y', '\x1bP1!~FFBF\x1b\\'],
    ['a setting that is none', '\x1bP$qz\x1b\\', '\x1bP0$r\x1b\\'],
  ])('%s', (_, bytes, answer) => {
    expect(answers(bytes).join('')).toBe(answer)
  })

  test('a title is kept on a stack, and not typed back', () => {
    const emulator = new VtEmulator(80, 24)
    emulator.write(Buffer.from('\x1b]2;one\x07\x1b[22;0t\x1b]2;two; rm -rf\x07\x1b[21t'))
    expect([emulator.frame().title, emulator.takeAnswers()]).toEqual(['two; rm -rf', ['\x1b]l\x1b\\']])
    emulator.write(Buffer.from('\x1b[23;0t'))
    expect(emulator.frame().title).toBe('one')
  })

  test('questions past a bound are not kept', () => {
    const emulator = new VtEmulator(80, 24)
    emulator.write(Buffer.from('\x1b[c'.repeat(100_000)))
    expect(emulator.takeAnswers().length).toBeLessThan(10_000)
  })
})
