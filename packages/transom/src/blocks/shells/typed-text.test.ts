import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { READ_TYPED_TEXT, typedText } from './typed-text.ts'

const read = (input: string) => execFileSync('sh', ['-c', `${READ_TYPED_TEXT};:`], { input })

test('a shell reads any typed text unchanged', () => {
  const texts = fc.sample(fc.string({ unit: 'binary', maxLength: 300 }), { numRuns: 60, seed: 7 })
  for (const text of [
    '',
    ' ',
    '\n',
    '~.\n~.',
    '\\n %s "$x" `y`',
    'ü\t\u001b[A\u0003',
    'x'.repeat(5000),
    ...texts,
  ]) {
    const bytes = Buffer.from(text.replaceAll('\0', ''))
    expect(read(typedText(bytes.toString())).equals(bytes), JSON.stringify(text)).toBe(true)
  }
})

test('no line is one that something between takes for a command, or for too long', () => {
  const lines = typedText(
    Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join('~'),
  ).split('\n')
  expect(lines.every((line) => /^[ -}]*$/.test(line) && line.length < 1024)).toBe(true)
})

test('a text that something was mixed into is not used', () => {
  expect(read(typedText('rm -r build').replace('build', 'buildx')).toString()).toBe('')
  expect(read(typedText('').replace('0', '0x')).toString()).toBe('')
})
