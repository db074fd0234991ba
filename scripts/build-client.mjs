// @ts-check
// Builds packages/protocol/dist and packages/client/dist: both packages as they are published, JavaScript with types.
// The client holds what it needs of the protocol, so each can be installed alone; both need zod, the client for its
// types only. `npm pack packages/client/dist` packs it, `npm publish packages/client/dist` sends it out.
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const client = path.join(root, 'packages/client')
const protocol = path.join(root, 'packages/protocol')
const { zod } = readManifest(protocol).dependencies

for (const folder of [client, protocol])
  fs.rmSync(path.join(folder, 'dist'), { recursive: true, force: true })
await bundle(client, [])
await bundle(protocol, ['zod'])
emitTypes()

/** Writes the programs of a package, one for each of its exports, and its manifest. */
async function bundle(/** @type {string} */ folder, /** @type {string[]} */ external) {
  const dist = path.join(folder, 'dist')
  const { name, version, description, license, type, exports } = readManifest(folder)
  /** @type {[string, string][]} */
  const entries = Object.entries(exports)
  await build({
    entryPoints: entries.map(([, file]) => path.join(folder, file)),
    outdir: dist,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external,
  })
  const published = {
    name,
    version,
    description,
    license,
    type,
    engines: { node: '>=20' },
    exports: Object.fromEntries(
      entries.map(([entry, file]) => {
        const stem = path.basename(file, '.ts')
        const types = `./types/${path.basename(folder)}/src/${stem}.d.ts`
        return [entry, { types, default: `./${stem}.js` }]
      }),
    ),
    dependencies: { zod },
  }
  fs.writeFileSync(path.join(dist, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  fs.copyFileSync(path.join(root, 'LICENSE'), path.join(dist, 'LICENSE'))
}

/** The protocol's types are put beside the client's own and named by their place. */
function emitTypes() {
  const config = path.join(client, 'tsconfig.build.json')
  const { status, stdout } = spawnSync('npx', ['tsc', '-p', config], { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the types could not be made:\n${stdout}`)
  const types = path.join(client, 'dist/types')
  for (const entry of fs.readdirSync(types, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = path.join(entry.parentPath, entry.name)
    const up = path.relative(path.dirname(file), path.join(types, 'protocol/src'))
    const place = (/** @type {string | undefined} */ part) =>
      `'${up === '' ? '.' : up}/${part ?? 'index'}.js'`
    const text = fs
      .readFileSync(file, 'utf8')
      .replaceAll(/(['"])@transom\/protocol(?:\/([\w-]+))?\1/g, (_all, _quote, part) => place(part))
      .replaceAll(/(['"])(\.{1,2}\/[^'"]+)\.ts\1/g, "'$2.js'")
    fs.writeFileSync(file, text)
  }
  fs.cpSync(path.join(types, 'protocol'), path.join(protocol, 'dist/types/protocol'), { recursive: true })
}

function readManifest(/** @type {string} */ folder) {
  return JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'))
}
