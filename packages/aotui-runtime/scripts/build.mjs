// Builds dist. `app-process.mjs` is the program of an app process, bundled with happy-dom into one file: it starts five
// times faster than from the package's hundreds of modules, and the permission flags have one folder to open for it.
// `index.mjs` is the package itself, which needs nothing else. With `--types`, its declarations as well.
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { thirdPartyNotices } from '../../../scripts/notices.mjs'

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
  buildTypes()
  copyFileSync(join(workspace, 'LICENSE'), join(root, 'dist/LICENSE'))
  const notices = thirdPartyNotices(workspace, inputs.flat(), '@aotui/runtime')
  writeFileSync(join(root, 'dist/THIRD-PARTY-NOTICES'), notices)
}

/** Declarations of the sources, under the names that a program outside this workspace resolves. */
function buildTypes() {
  const work = mkdtempSync(join(tmpdir(), 'aotui-types-'))
  try {
    const base = join(workspace, 'tsconfig.base.json')
    const project = {
      extends: base,
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        outDir: join(work, 'out'),
        rootDir: join(root, 'src'),
        types: ['node'],
        typeRoots: [join(workspace, 'node_modules/@types')],
      },
      files: [join(root, 'src/index.ts')],
    }
    writeFileSync(join(work, 'tsconfig.json'), JSON.stringify(project))
    const tsc = createRequire(import.meta.url).resolve('typescript/package.json')
    execFileSync(process.execPath, [join(dirname(tsc), 'bin/tsc'), '-p', work], { stdio: 'inherit' })
    const target = join(root, 'dist/types')
    rmSync(target, { recursive: true, force: true })
    for (const entry of readdirSync(join(work, 'out'), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const from = join(entry.parentPath, entry.name)
      const to = join(target, from.slice(join(work, 'out').length))
      mkdirSync(dirname(to), { recursive: true })
      writeFileSync(
        to,
        readFileSync(from, 'utf8').replaceAll(/(from '|import\(")(\.[^'"]*)\.ts(['"])/g, '$1$2.js$3'),
      )
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
