// Writes docs/operations.md from the operation table.
import * as fs from 'node:fs'
import { importSource } from './build.mjs'

const { operationsDocument } = await importSource('packages/protocol/src/operations-document.ts')
fs.writeFileSync(new URL('../docs/operations.md', import.meta.url), operationsDocument())
