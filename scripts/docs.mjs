// Writes what the docs say of the code: docs/operations.md from the operation table, docs/vt.md from what the terminal
// engine declares, and the import graph in docs/ARCHITECTURE.md from the files.
import * as fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import prettier from 'prettier'
import { importSource } from './build.mjs'

const { operationsDocument } = await importSource('packages/protocol/src/operations-document.ts')
fs.writeFileSync(new URL('../docs/operations.md', import.meta.url), operationsDocument())

const { vtDocument } = await importSource('packages/transom/src/terminal/vt/vt-document.ts')
fs.writeFileSync(
  new URL('../docs/vt.md', import.meta.url),
  await prettier.format(vtDocument(), { parser: 'markdown' }),
)

const { importTable } = await importSource('test/support/import-graph.ts')
const table = importTable(fileURLToPath(new URL('../packages/transom/src', import.meta.url)))
const page = new URL('../docs/ARCHITECTURE.md', import.meta.url)
const between = /(<!-- import graph -->\n)[^]*?(<!-- end of the import graph -->)/
const drawn = fs.readFileSync(page, 'utf8').replace(between, `$1\n${table}\n\n$2`)
const style = await prettier.resolveConfig(fileURLToPath(page))
fs.writeFileSync(page, await prettier.format(drawn, { ...style, parser: 'markdown' }))
