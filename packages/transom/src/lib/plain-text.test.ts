import { describe, expect, test } from 'vitest'
import * as fc from 'fast-check'
import { plainLines, plainText } from './plain-text.ts'

const plain = (text: string) => plainText(Buffer.from(text))

describe('plain text', () => {
  test('is the output itself if that is only text', () => {
    expect(plain('one\r\ntwo\tthree\r\nžluťoučký 🐈\r\n')).toBe('one\ntwo\tthree\nžluťoučký 🐈\n')
  })

  test('has no colours, titles, device strings or character sets in it', () => {
    expect(plain('\x1b[1;31mred\x1b[0m \x1b]0;title\x07x\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\')).toBe(
      'red xlink',
    )
    expect(plain('a\x1bPq#0;1\n~~\x1b\\b\x1b(Bc\x1b=d\u009b31me\u009d0;t\u009cf')).toBe('abcdef')
  })

  test('leaves of a progress bar its last state', () => {
    expect(plain(' 10%\r 50%\r100%\r\ndone\r\n')).toBe('100%\ndone\n')
    expect(plain('downloading…\r\x1b[Kdone\r\n')).toBe('done\n')
    expect(plain('a long line\r\x1b[2Kshort\n')).toBe('short\n')
  })

  test('keeps what a shorter text did not overwrite, as the terminal does', () => {
    expect(plain('abcdef\rxy\n')).toBe('xycdef\n')
  })

  test('follows backspaces and movements along a line', () => {
    expect(plain('teh\b\bhe\n')).toBe('the\n')
    expect(plain('ab\x1b[3Cc\x1b[1Gz\n')).toBe('zb   c\n')
    expect(plain('abcd\x1b[2D\x1b[P\n')).toBe('abd\n')
  })

  test('drops an escape sequence that was cut off at the end', () => {
    for (const cut of ['\x1b', '\x1b[', '\x1b[1;3', '\x1b]0;ti', '\x1bP1'])
      expect(plain(`text${cut}`)).toBe('text')
  })

  test('does not lose the line after an unterminated title', () => {
    expect(plain('\x1b]0;title\nnext\n')).toBe('\nnext\n')
  })

  test('shows bytes that are no text as replacement characters', () => {
    expect(plainText(Buffer.from([0x61, 0xff, 0xfe, 0x62, 0xe2, 0x82]))).toBe('a\ufffd\ufffdb\ufffd\ufffd')
  })

  test('never holds a control character but tab and line break, whatever was printed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        // oxlint-disable-next-line no-control-regex -- they are what is looked for
        expect(plainText(bytes)).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/)
      }),
    )
  })

  test('is made of lines that cover all bytes, each once', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        let at = 0
        for (const line of plainLines(bytes)) {
          expect(line.start).toBe(at)
          expect(line.end).toBeGreaterThan(at)
          if (line.origins !== null) expect(line.origins).toHaveLength(Array.from(line.text).length)
          at = line.end
        }
        expect(at).toBe(bytes.length)
      }),
    )
  })
})
