// @ts-check
import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const packages = join(dirname(dirname(fileURLToPath(import.meta.url))), 'packages')

/**
 * The declarations of a package's sources, by their place in its `dist/types`, under the names that a program outside this
 * workspace resolves. `entries` are the modules of `src` that the package exports, and what they import comes along.
 */
export function buildTypes(/** @type {string} */ root, /** @type {string[]} */ entries) {
  const work = realpathSync(mkdtempSync(join(tmpdir(), 'package-types-')))
  try {
    const project = {
      extends: join(packages, '../tsconfig.base.json'),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        outDir: join(work, 'out'),
        rootDir: packages,
        lib: ['ES2023', 'ESNext.Disposable', 'DOM', 'DOM.Iterable'],
        types: ['node'],
        typeRoots: [join(packages, '../node_modules/@types')],
        // From its sources: the package need not be built for the types of another.
        paths: { '@aotui/runtime': [join(packages, 'aotui-runtime/src/index.ts')] },
      },
      files: entries.map((entry) => join(root, `src/${entry}.ts`)),
    }
    writeFileSync(join(work, 'tsconfig.json'), JSON.stringify(project))
    const tsc = createRequire(import.meta.url).resolve('typescript/package.json')
    execFileSync(process.execPath, [join(dirname(tsc), 'bin/tsc'), '-p', work], { stdio: 'inherit' })
    return typesIn(join(work, 'out', basename(root), 'src'))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** @returns {Map<string, string>} */
function typesIn(/** @type {string} */ folder) {
  const files = new Map()
  for (const file of listFiles(folder)) {
    const text = readFileSync(join(folder, file), 'utf8')
    files.set(file, text.replaceAll(/(from '|import\("|import ')(\.[^'"]*)\.ts(['"])/g, '$1$2.js$3'))
  }
  return files
}

/**
 * Makes a folder hold these files and no others. Each is replaced as a whole, and one that stays is never away: another
 * process may be packing the folder or running from it.
 */
export function writeFolder(
  /** @type {string} */ folder,
  /** @type {ReadonlyMap<string, string | Uint8Array>} */ files,
) {
  for (const [name, contents] of files) {
    const file = join(folder, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(`${file}.${process.pid}`, contents)
    renameSync(`${file}.${process.pid}`, file)
  }
  const isOurs = (/** @type {string} */ name) => files.has(name) || /\.\d+$/.test(name) // or about to be renamed
  for (const name of listFiles(folder)) if (!isOurs(name)) rmSync(join(folder, name), { force: true })
}

/** @returns {string[]} */
function listFiles(/** @type {string} */ folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}
