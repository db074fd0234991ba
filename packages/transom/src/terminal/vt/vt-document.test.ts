import * as fs from 'node:fs'
import prettier from 'prettier'
import { expect, test } from 'vitest'
import { vtDocument } from './vt-document.ts'

test('docs/vt.md is what the engine declares', async () => {
  const file = new URL('../../../../../docs/vt.md', import.meta.url)
  const formatted = await prettier.format(vtDocument(), { parser: 'markdown' })
  expect(fs.readFileSync(file, 'utf8')).toBe(formatted)
})
