import { expect, test } from 'vitest'
import { withScheme } from './address.ts'

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
