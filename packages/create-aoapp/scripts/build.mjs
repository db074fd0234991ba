// Builds dist: the program as one file, without dependencies.
import { chmodSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { writeFolder } from '../../../scripts/package-build.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'dist')

const { outputFiles } = await build({
  entryPoints: [join(root, 'src/main.ts')],
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  write: false,
})
writeFolder(
  dist,
  new Map([
    ['main.mjs', outputFiles[0]?.contents ?? ''],
    ['LICENSE', readFileSync(join(root, '../../LICENSE'))],
  ]),
)
chmodSync(join(dist, 'main.mjs'), 0o755)
