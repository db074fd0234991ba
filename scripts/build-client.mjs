// @ts-check
// Builds packages/client/dist: @transom/client as it is published, JavaScript with types, in need of nothing but zod
// for the types. `npm publish packages/client/dist` sends it out.
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const source = path.join(root, 'packages/client')
const dist = path.join(source, 'dist')
const ENTRIES = ['index', 'connect', 'unix-socket']

fs.rmSync(dist, { recursive: true, force: true })
await build({
  entryPoints: ENTRIES.map((name) => path.join(source, 'src', `${name}.ts`)),
  outdir: dist,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
})
emitTypes()
const manifest = JSON.parse(fs.readFileSync(path.join(source, 'package.json'), 'utf8'))
const { zod } = JSON.parse(
  fs.readFileSync(path.join(root, 'packages/protocol/package.json'), 'utf8'),
).dependencies
const { name, version, description, license, type } = manifest
const exports = Object.fromEntries(
  ENTRIES.map((entry) => [
    entry === 'index' ? '.' : `./${entry}`,
    { types: `./types/client/src/${entry}.d.ts`, default: `./${entry}.js` },
  ]),
)
const published = {
  name,
  version,
  description,
  license,
  type,
  engines: { node: '>=20' },
  exports,
  dependencies: { zod },
}
fs.writeFileSync(path.join(dist, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
fs.copyFileSync(path.join(root, 'LICENSE'), path.join(dist, 'LICENSE'))

/** The protocol's types are put beside the client's own and named by their place: there is no package of them. */
function emitTypes() {
  const config = path.join(source, 'tsconfig.build.json')
  const { status, stdout } = spawnSync('npx', ['tsc', '-p', config], { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the types could not be made:\n${stdout}`)
  for (const entry of fs.readdirSync(path.join(dist, 'types'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = path.join(entry.parentPath, entry.name)
    const up = path.relative(path.dirname(file), path.join(dist, 'types/protocol/src'))
    const place = (/** @type {string | undefined} */ part) =>
      `'${up === '' ? '.' : up}/${part ?? 'index'}.js'`
    const text = fs
      .readFileSync(file, 'utf8')
      .replaceAll(/(['"])@transom\/protocol(?:\/([\w-]+))?\1/g, (_all, _quote, part) => place(part))
      .replaceAll(/(['"])(\.{1,2}\/[^'"]+)\.ts\1/g, "'$2.js'")
    fs.writeFileSync(file, text)
  }
}
