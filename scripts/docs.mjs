// Writes docs/operations.md from the operation table, and docs/vt.md from what the terminal engine declares.
import * as fs from 'node:fs'
import prettier from 'prettier'
import { importSource } from './build.mjs'

const { operationsDocument } = await importSource('packages/protocol/src/operations-document.ts')
fs.writeFileSync(new URL('../docs/operations.md', import.meta.url), operationsDocument())

const { vtDocument } = await importSource('packages/transom/src/terminal/vt/vt-document.ts')
fs.writeFileSync(
  new URL('../docs/vt.md', import.meta.url),
  await prettier.format(vtDocument(), { parser: 'markdown' }),
)
