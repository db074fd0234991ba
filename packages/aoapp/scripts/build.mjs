// Builds dist: the program, the Vite preset, the driver for tests and the socket of the inspector. The runtime and Vite stay imports.
import { chmodSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { thirdPartyNotices } from '../../../scripts/notices.mjs'
import { buildTypes, writeFolder } from '../../../scripts/package-build.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const workspace = join(root, '../..')
const dist = join(root, 'dist')

const { outputFiles, metafile } = await build({
  absWorkingDir: workspace,
  entryPoints: ['main', 'inspector', 'testing', 'vite'].map((name) => join(root, `src/${name}.ts`)),
  outdir: dist,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  external: ['@aotui/runtime', 'vite'],
  format: 'esm',
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  metafile: true,
  write: false,
})
const types = buildTypes(root, ['inspector', 'testing', 'vite'])
writeFolder(
  dist,
  new Map([
    ...outputFiles.map(({ path, contents }) => /** @type {const} */ ([relative(dist, path), contents])),
    ...[...types].map(([name, text]) => /** @type {const} */ ([`types/${name}`, text])),
    ['LICENSE', readFileSync(join(workspace, 'LICENSE'))],
    ['THIRD-PARTY-NOTICES', thirdPartyNotices(workspace, Object.keys(metafile.inputs), 'aoapp')],
  ]),
)
chmodSync(join(dist, 'main.mjs'), 0o755)
