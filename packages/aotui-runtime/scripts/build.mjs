// Builds dist. `app-process.mjs` is the program of an app process, bundled with happy-dom into one file: it starts five
// times faster than from the package's hundreds of modules, and the permission flags have one folder to open for it.
// `index.mjs` is the package itself, which needs nothing else. With `--types`, its declarations as well.
import { copyFileSync, writeFileSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { thirdPartyNotices } from '../../../scripts/notices.mjs'
import { buildTypes, writeFolder } from '../../../scripts/package-build.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const workspace = join(root, '../..')
const shared = {
  absWorkingDir: workspace,
  metafile: /** @type {const} */ (true),
  bundle: true,
  platform: /** @type {const} */ ('node'),
  format: /** @type {const} */ ('esm'),
  target: 'node20',
  legalComments: /** @type {const} */ ('none'),
  external: ['jsdom'],
  logLevel: /** @type {const} */ ('warning'),
}

/** Several test files may build at once: each writes a file of its own, and the last rename wins with equal content. */
async function bundle(
  /** @type {string} */ entry,
  /** @type {string} */ name,
  /** @type {object} */ options,
) {
  const outfile = join(root, 'dist', name)
  const partial = `${outfile}.${process.pid}`
  const { metafile } = await build({
    ...shared,
    ...options,
    entryPoints: [join(root, entry)],
    outfile: partial,
  })
  await rename(partial, outfile).catch(async (error) => {
    await rm(partial, { force: true })
    throw error
  })
  return Object.keys(metafile.inputs)
}

const inputs = await Promise.all([
  bundle('src/app-process/main.ts', 'app-process.mjs', {
    // Names stay as they are: classes are told apart by them, and keeping them after the fact slows every closure down.
    minifySyntax: true,
    minifyWhitespace: true,
    // Packages inside the bundle that are CommonJS call require for Node's own modules.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);",
    },
  }),
  bundle('src/index.ts', 'index.mjs', {}),
])
if (process.argv.includes('--types')) {
  writeFolder(join(root, 'dist/types'), buildTypes(root, ['index']))
  copyFileSync(join(workspace, 'LICENSE'), join(root, 'dist/LICENSE'))
  const notices = thirdPartyNotices(workspace, inputs.flat(), '@aotui/runtime')
  writeFileSync(join(root, 'dist/THIRD-PARTY-NOTICES'), notices)
}
