import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { makeApp } from './app-folder.ts'
import { packageDir } from './runtime-build.ts'

export const FRAMEWORKS = ['vanilla', 'react', 'preact', 'vue', 'svelte'] as const
export type Framework = (typeof FRAMEWORKS)[number]

const EXTENSIONS: Record<Framework, string> = {
  vanilla: 'ts',
  react: 'tsx',
  preact: 'tsx',
  vue: 'ts',
  svelte: 'ts',
}

/** Bundles one of the test apps as its author would, and writes it into an app folder. */
export async function makeFrameworkApp(
  framework: Framework,
  name: string,
  manifest: Record<string, unknown> = {},
): Promise<string> {
  const result = await build({
    entryPoints: [join(packageDir, 'test-apps', framework, `${name}.${EXTENSIONS[framework]}`)],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    conditions: ['browser'],
    jsx: 'automatic',
    define: {
      'process.env.NODE_ENV': '"production"',
      __VUE_OPTIONS_API__: 'true',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
    plugins: [sveltePlugin],
    logLevel: 'error',
  })
  const [file] = result.outputFiles
  if (file === undefined) throw new Error(`${framework}/${name} gave no bundle`)
  const id = `com.example.${framework}-${name}`
  return makeApp({ main: file.text, manifest: { id, name: `${framework} ${name}`, ...manifest } })
}

const sveltePlugin: Plugin = {
  name: 'svelte',
  setup(bundler) {
    bundler.onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const { compile } = await import('svelte/compiler')
      const { js } = compile(await readFile(path, 'utf8'), { filename: basename(path), generate: 'client' })
      return { contents: js.code, loader: 'js' }
    })
  },
}
