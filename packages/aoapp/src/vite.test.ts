import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { expect, it } from 'vitest'
import { makeProject } from '../test-support/app-project.ts'
import { aoapp } from './vite.ts'

const MANIFEST = {
  id: 'com.example.built',
  name: 'Built',
  entry: 'dist/main.js',
  views: [{ name: 'Settings', entry: 'dist/parts/settings.js', mount: 'manual' }],
}

async function buildProject(files: Record<string, string>, manifest: object = MANIFEST): Promise<string> {
  const root = makeProject({ 'aoapp.json': JSON.stringify(manifest), ...files })
  await build({ root, configFile: false, logLevel: 'silent', plugins: [aoapp()] })
  return root
}

const SETTINGS = {
  'src/parts/settings.ts': 'export function mount(root: Element) { root.textContent = "x" }',
}

it('the preset builds each entry of the manifest, with its exports, and leaves Node’s modules alone', async () => {
  const root = await buildProject({
    ...SETTINGS,
    'src/main.ts': `import { readFileSync } from 'node:fs'
      import path from 'path'
      export const serialize = () => [readFileSync('x', 'utf8'), path.sep, process.env.NODE_ENV]
      export const restore = (_data: unknown) => undefined`,
  })
  const main = readFileSync(join(root, 'dist/main.js'), 'utf8')
  expect(main).toMatch(/export \{ restore, serialize \}/)
  expect(main).toContain('"node:fs"')
  expect(main).toContain('"production"')
  expect(readFileSync(join(root, 'dist/main.js.map'), 'utf8')).toContain('src/main.ts')
  expect(readFileSync(join(root, 'dist/parts/settings.js'), 'utf8')).toMatch(/export \{ mount \}/)
})

it('the preset refuses one hook without the other, and entries that it cannot build', async () => {
  const half = { ...SETTINGS, 'src/main.ts': 'export const serialize = () => 1' }
  await expect(buildProject(half)).rejects.toThrow(
    'main exports serialize and not restore: export both, or neither',
  )
  await expect(buildProject({ 'src/main.ts': '' })).rejects.toThrow(
    'aoapp.json names dist/parts/settings.js, and there is no src/parts/settings.ts',
  )
  await expect(buildProject({}, { ...MANIFEST, entry: 'main.mjs' })).rejects.toThrow(
    'entries are built as dist/NAME.js',
  )
})
