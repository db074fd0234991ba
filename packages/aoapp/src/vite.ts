/** The Vite preset for apps: `plugins: [aoapp()]` in `vite.config.ts`. */
import { existsSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join, relative, resolve } from 'node:path'
import { readManifestFile } from './manifest-file.ts'
import type { Plugin, UserConfig } from 'vite'

const EXTENSIONS = ['ts', 'tsx', 'mts', 'js', 'jsx', 'mjs']

/**
 * Builds what `aoapp.json` names: `dist/main.js` from `src/main.ts` (or `.tsx`, `.js`, `.jsx`). The exports of each entry
 * stay, so that the runtime finds `serialize` and `restore`; Node's modules stay imports; names and lines stay readable.
 */
export function aoapp(): Plugin {
  let root = process.cwd()
  let mainFile = ''
  return {
    name: 'aoapp',
    apply: 'build',
    config: (user: UserConfig): UserConfig => {
      root = resolve(user.root ?? '.')
      const { main, entries } = findEntries(root)
      mainFile = main
      // What is built is what runs, wherever it is built: with another value, Vite and packages build for development.
      process.env['NODE_ENV'] = 'production'
      return {
        define: { 'process.env.NODE_ENV': JSON.stringify('production') },
        build: {
          outDir: 'dist',
          target: 'es2023',
          minify: false,
          sourcemap: true,
          copyPublicDir: false,
          lib: { entry: entries, formats: ['es'], fileName: (_format, name) => `${name}.js` },
          rolldownOptions: {
            external: [/^node:/, ...builtinModules],
            preserveEntrySignatures: 'strict',
          },
        },
      }
    },
    buildStart() {
      // A change of the manifest is a change of the app.
      this.addWatchFile(join(root, 'aoapp.json'))
    },
    generateBundle(_options, bundle) {
      const chunk = bundle[mainFile]
      if (chunk?.type !== 'chunk') return
      const [has, lacks] = [
        ['serialize', 'restore'],
        ['restore', 'serialize'],
      ].find(([one = '', other = '']) => chunk.exports.includes(one) && !chunk.exports.includes(other)) ?? [
        undefined,
        undefined,
      ]
      if (has !== undefined)
        this.error(`${chunk.name} exports ${has} and not ${lacks}: export both, or neither`)
      if (!chunk.exports.includes('serialize'))
        this.warn(
          `${chunk.name} exports neither serialize nor restore: the app forgets everything when it restarts`,
        )
    },
  }
}

/** Source files by the name of the built one, without its extension. */
function findEntries(root: string): { main: string; entries: Record<string, string> } {
  const { entry, views } = readManifestFile(root)
  const built = [entry, ...views].map((file) => relative(join(root, 'dist'), join(root, file)))
  const wrong = built.find((file) => file.startsWith('..') || !file.endsWith('.js'))
  if (wrong !== undefined)
    throw new Error(
      `aoapp.json: entries are built as dist/NAME.js; "${join('dist', wrong)}" is not of that form`,
    )
  const entries = built.map((file) => {
    const name = file.slice(0, -'.js'.length)
    const candidates = EXTENSIONS.map((extension) => join(root, 'src', `${name}.${extension}`))
    const source = candidates.find((candidate) => existsSync(candidate))
    if (source === undefined)
      throw new Error(`aoapp.json names dist/${file}, and there is no src/${name}.ts, .tsx, .js or .jsx`)
    return [name, source] as const
  })
  return { main: built[0] ?? '', entries: Object.fromEntries(entries) }
}
