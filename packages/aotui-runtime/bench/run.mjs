// Every figure beside its baseline of the same run. `--json` prints the figures; a figure past its limit is marked, and
// `--strict` makes that an error.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

// Packages inside the bundles that are CommonJS call require for Node's own modules.
const REQUIRE = "import { createRequire as __r } from 'node:module';const require = __r(import.meta.url);"
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const work = await mkdtemp(join(tmpdir(), 'aotui-bench-build-'))
try {
  const options = {
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
  }
  const bundleApp = async (file) => {
    const { outputFiles } = await build({
      ...options,
      entryPoints: [join(root, 'bench', file)],
      platform: 'browser',
      write: false,
    })
    return outputFiles[0].text
  }
  await build({
    ...options,
    stdin: {
      contents:
        "export * from './bench/measure.ts'; export { start } from './bench/list-app.tsx'; export { startTodos } from './bench/todo-list.ts'",
      resolveDir: root,
      loader: 'ts',
    },
    platform: 'node',
    outfile: join(work, 'bench.mjs'),
    banner: { js: REQUIRE },
    external: ['jsdom'],
  })
  await build({
    ...options,
    entryPoints: [join(root, 'bench/render-alone.ts')],
    platform: 'node',
    outfile: join(work, 'render-alone.mjs'),
    banner: { js: REQUIRE },
  })
  const { measure, start, startTodos } = await import(pathToFileURL(join(work, 'bench.mjs')).href)
  const figures = await measure({
    runtimeDir: join(root, 'dist'),
    listApp: await bundleApp('list-app.tsx'),
    startList: start,
    todoApp: await bundleApp('todo-list.ts'),
    startTodos,
    renderAlone: join(work, 'render-alone.mjs'),
  })
  const failed = figures.filter(
    ({ value, max, min }) => value > (max ?? Infinity) || value < (min ?? -Infinity),
  )
  if (process.argv.includes('--json')) console.log(JSON.stringify({ figures, failed: failed.length }))
  else {
    for (const figure of figures) {
      const { name, value, unit, max, min } = figure
      const limit = max === undefined ? (min === undefined ? '' : ` (at least ${min})`) : ` (at most ${max})`
      console.log(`${failed.includes(figure) ? '✗' : ' '} ${name}: ${value.toFixed(2)} ${unit}${limit}`)
    }
  }
  if (process.argv.includes('--strict') && failed.length > 0) process.exitCode = 1
} finally {
  await rm(work, { recursive: true, force: true })
}
