// Bundles the program of an app process with happy-dom into one file: it starts five times faster than from the
// package's hundreds of modules, and the permission flags have one folder to open for it.
import { rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const outfile = join(root, 'dist', 'app-process.mjs')
// Several test files may build at once: each writes a file of its own, and the last rename wins with equal content.
const partial = `${outfile}.${process.pid}`

await build({
  entryPoints: [join(root, 'src/app-process/main.ts')],
  outfile: partial,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // Names stay as they are: classes are told apart by them, and keeping them after the fact slows every closure down.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  // Packages inside the bundle that are CommonJS call require for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);",
  },
  external: ['jsdom'],
  logLevel: 'warning',
})
await rename(partial, outfile).catch(async (error) => {
  await rm(partial, { force: true })
  throw error
})
