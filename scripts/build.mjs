// Builds packages/transom/dist: the CLI as one small CommonJS file that holds the command table as plain data
// (zod would double its start-up time), the host as one ES module: an upgrade may replace the files of a host that
// runs, so it must not load any of them later; the doctor, which must run where a host cannot; and the gateway.
// The manual page, made from the command tables, and the shells' completion scripts stand beside them.
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { thirdPartyNotices } from './notices.mjs'
import { shellFiles } from './shell-files.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const source = path.join(root, 'packages/transom/src')
const DIST = path.join(root, 'packages/transom/dist')

const PLAYER = 'node_modules/asciinema-player'

const shared = {
  bundle: true,
  platform: /** @type {const} */ ('node'),
  target: 'node20',
  logLevel: /** @type {const} */ ('warning'),
  absWorkingDir: root,
  metafile: /** @type {const} */ (true),
  plugins: [shellFiles],
}

const REQUIRE_IN_MODULE =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);"

/** What a source file is to say instead, by its path in the project. @typedef {Record<string, (text: string) => string>} Edits */

/** The exports of a TypeScript module of this workspace, for use in a script. */
export async function importSource(/** @type {string} */ file, /** @type {Edits} */ edits = {}) {
  fs.mkdirSync(DIST, { recursive: true })
  const outfile = path.join(DIST, `.${path.basename(file, '.ts')}-${process.pid}.mjs`)
  try {
    await build({
      ...shared,
      plugins: [...shared.plugins, edited(edits)],
      entryPoints: [file],
      outfile,
      format: 'esm',
    })
    return await import(pathToFileURL(outfile).href)
  } finally {
    fs.rmSync(outfile, { force: true })
  }
}

/**
 * Builds everything into `dist`. With `edits` it is another version, as a later release would be.
 * @param {{ dist?: string, edits?: Edits }} options
 */
export async function buildAll({ dist = DIST, edits = {} } = {}) {
  fs.mkdirSync(dist, { recursive: true })
  const plugins = [...shared.plugins, edited(edits)]
  const { awiCommandTable, commandTable } = await importSource('packages/protocol/src/index.ts', edits)
  const quickTable = Object.fromEntries(
    commandTable().map((/** @type {{ command: string }} */ command) => [
      command.command,
      JSON.stringify(command, (key, value) =>
        HELP_ONLY.includes(key) ? undefined : withoutEmpty(key, value),
      ),
    ]),
  )
  const outputs = await Promise.all([
    build({
      ...shared,
      plugins,
      entryPoints: [path.join(source, 'main/cli.ts')],
      outfile: path.join(dist, 'cli.cjs'),
      format: 'cjs',
      minify: true,
      banner: { js: '#!/usr/bin/env node' },
      define: { QUICK_TABLE: JSON.stringify(quickTable) },
      write: false,
    }),
    build({
      ...shared,
      plugins,
      entryPoints: [path.join(source, 'main/whole-cli.ts')],
      outfile: path.join(dist, 'whole-cli.cjs'),
      format: 'cjs',
      minify: true,
      define: { COMMAND_TABLE: JSON.stringify(JSON.stringify(commandTable(), withoutEmpty)) },
      write: false,
    }),
    build({
      ...shared,
      plugins,
      entryPoints: [path.join(source, 'main/recorder.ts')],
      outfile: path.join(dist, 'recorder.cjs'),
      format: 'cjs',
      minify: true,
      define: {
        PLAYER_SCRIPT: JSON.stringify(readPlayer('asciinema-player.min.js')),
        PLAYER_STYLE: JSON.stringify(readPlayer('asciinema-player.css')),
      },
      write: false,
    }),
    build({
      ...shared,
      entryPoints: [path.join(source, 'main/awi-tty.ts')],
      outfile: path.join(dist, 'awi-tty.cjs'),
      format: 'cjs',
      minify: true,
      define: { AWI_COMMAND_TABLE: JSON.stringify(JSON.stringify(awiCommandTable())) },
      banner: { js: '#!/usr/bin/env node' },
      write: false,
    }),
    build({
      ...shared,
      entryPoints: [path.join(source, 'main/frame-worker.ts')],
      outfile: path.join(dist, 'frame-worker.cjs'),
      format: 'cjs', // a worker that is started from text takes nothing else
      write: false,
    }),
    ...['host', 'doctor', 'gateway', 'picture-diff', 'player', 'attach'].map((name) =>
      build({
        ...shared,
        plugins,
        entryPoints: [path.join(source, `main/${name}.ts`)],
        outfile: path.join(dist, `${name}.mjs`),
        format: 'esm',
        external: ['koffi', '@lydell/node-pty'], // native parts, installed with the package
        // A host keeps its source in memory, at two bytes a character if one is not ASCII. Names and lines stay for traces.
        ...(name === 'host' ? { minifyWhitespace: true, lineLimit: 120 } : {}),
        // For ws, a CommonJS package that asks for Node's modules by require().
        ...(name === 'gateway' ? { banner: { js: REQUIRE_IN_MODULE } } : {}),
        write: false,
      }),
    ),
    // The thread that draws: the host reads it from an open file and runs it as text, which CommonJS can be.
    build({
      ...shared,
      entryPoints: [path.join(source, 'main/picture-worker.ts')],
      outfile: path.join(dist, 'picture-worker.cjs'),
      format: 'cjs',
      minify: true,
      write: false,
    }),
  ])
  for (const file of outputs.flatMap((output) => output.outputFiles))
    replaceFile(file.path, withoutCopies(file.text), 0o755)
  const bundled = outputs.flatMap((output) => Object.keys(output.metafile.inputs))
  const notices = thirdPartyNotices(root, [...bundled, `${PLAYER}/package.json`])
  replaceFile(path.join(dist, 'THIRD-PARTY-NOTICES.txt'), `${notices}\n`, 0o644)
  const assets = path.join(root, 'packages/transom/assets')
  for (const name of fs.readdirSync(assets))
    replaceFile(path.join(dist, name), fs.readFileSync(path.join(assets, name)), 0o644)
  const { shippedTexts } = await importSource('packages/transom/src/main/shipped-texts.ts', edits)
  for (const [name, text] of Object.entries(shippedTexts()))
    replaceFile(path.join(dist, name), `${text}\n`, 0o644)
  fs.copyFileSync(path.join(root, 'LICENSE'), path.join(root, 'packages/transom/LICENSE')) // for the packed package
}

/** A part of the player that recordings carry with them (ADR 018). */
function readPlayer(/** @type {string} */ file) {
  return fs.readFileSync(path.join(root, PLAYER, 'dist/bundle', file), 'utf8')
}

/** What only help, completion and errors need of a command and its parameters. */
const HELP_ONLY = [
  'summary',
  'description',
  'examples',
  'seeAlso',
  'errors',
  'placeholder',
  'limits',
  'completes',
]

/** Keeps the CLI small: it fills in again (surfaces/cli/local-command.ts) what is left out here. */
function withoutEmpty(/** @type {string} */ _key, /** @type {unknown} */ value) {
  const isEmpty =
    value === null || value === false || value === '' || (Array.isArray(value) && value.length === 0)
  return isEmpty ? undefined : value
}

/** Takes Node's own modules as they are, where esbuild makes a copy of each (a millisecond of the CLI's start-up). */
function withoutCopies(/** @type {string} */ code) {
  return code.replaceAll(/[\w$]+\((require\("node:\w+"\)),1\)/g, '$1')
}

/** @returns {import('esbuild').Plugin} */
function edited(/** @type {Edits} */ edits) {
  return {
    name: 'edited',
    setup: (build) => {
      if (Object.keys(edits).length === 0) return
      build.onLoad({ filter: /\.ts$/ }, ({ path: file }) => {
        const edit = edits[path.relative(root, file)]
        return edit === undefined ? null : { contents: edit(fs.readFileSync(file, 'utf8')), loader: 'ts' }
      })
    },
  }
}

/** As a whole: somebody may be starting the program at this moment. */
function replaceFile(
  /** @type {string} */ file,
  /** @type {Uint8Array | string} */ contents,
  /** @type {number} */ mode,
) {
  const temporary = `${file}.${process.pid}`
  fs.writeFileSync(temporary, contents, { mode })
  fs.renameSync(temporary, file)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildAll()
  if (!process.argv.includes('--quiet')) {
    for (const file of fs.readdirSync(DIST)) {
      console.log(
        `${String(fs.statSync(path.join(DIST, file)).size).padStart(8)}  packages/transom/dist/${file}`,
      )
    }
  }
}
