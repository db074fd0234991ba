// Builds dist: a module for each framework and one for none. What they share is in chunks of its own, because the
// handlers and values of an app are kept there once, whichever of them it imports.
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { buildTypes, writeFolder } from '../../../scripts/package-build.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'dist')
const ENTRIES = ['index', 'react', 'preact', 'vue', 'svelte']

const { outputFiles } = await build({
  entryPoints: ENTRIES.map((name) => join(root, `src/${name}.ts`)),
  outdir: dist,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  packages: 'external',
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  logLevel: 'warning',
  write: false,
})
const types = [...buildTypes(root, ENTRIES)].map(
  ([name, text]) => /** @type {const} */ ([`types/${name}`, text]),
)
writeFolder(
  dist,
  new Map([
    ...outputFiles.map(({ path, contents }) => /** @type {const} */ ([relative(dist, path), contents])),
    ...types,
    ['LICENSE', readFileSync(join(root, '../../LICENSE'))],
  ]),
)
