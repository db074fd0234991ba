import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { encodePaste } from './paste-encoding.ts'

test('a paste is marked only when the program asked for it', () => {
  expect(encodePaste('a\nb', false)).toBe('a\rb')
  expect(encodePaste('a\nb', true)).toBe('\x1b[200~a\rb\x1b[201~')
})

test('no text gets out of a marked paste', () => {
  const pieces = fc.array(
    fc.oneof(fc.string(), fc.constantFrom('\x1b[201~', '\x1b[20', '1~', '\x1b', '[201~')),
  )
  fc.assert(
    fc.property(pieces, (parts) => {
      const pasted = encodePaste(parts.join(''), true)
      expect(pasted.indexOf('\x1b[201~')).toBe(pasted.length - '\x1b[201~'.length)
    }),
  )
})

test('end marks within end marks are taken away in a few passes, however many there are', () => {
  const depth = 100_000
  const text = `a${'\x1b[20'.repeat(depth)}${'1~'.repeat(depth)}b`
  using passes = vi.spyOn(String.prototype, 'replaceAll')
  const encoded = encodePaste(text, true)
  expect(passes.mock.calls.length).toBeLessThan(12)
  expect(encoded.lastIndexOf('\x1b')).toBe(encoded.length - '\x1b[201~'.length)
  expect(encoded).toMatch(/^\x1b\[200~a.*b\x1b\[201~$/)
})
