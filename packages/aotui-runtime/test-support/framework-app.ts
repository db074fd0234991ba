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
  const entry = join(packageDir, 'test-apps', framework, `${name}.${EXTENSIONS[framework]}`)
  const id = `com.example.${framework}-${name}`
  return makeApp({
    main: await bundleApp(entry),
    manifest: { id, name: `${framework} ${name}`, ...manifest },
  })
}

/** One ES module of an app and its framework, for a browser. */
export async function bundleApp(entry: string): Promise<string> {
  const result = await build({
    entryPoints: [entry],
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
    plugins: [sveltePlugin, vuePlugin],
    logLevel: 'error',
  })
  const [file] = result.outputFiles
  if (file === undefined) throw new Error(`${entry} gave no bundle`)
  return file.text
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

const vuePlugin: Plugin = {
  name: 'vue',
  setup(bundler) {
    bundler.onLoad({ filter: /\.vue$/ }, async ({ path }) => {
      const { compileScript, parse } = await import('vue/compiler-sfc')
      const { descriptor } = parse(await readFile(path, 'utf8'), { filename: basename(path) })
      const { content } = compileScript(descriptor, { id: basename(path), inlineTemplate: true })
      return { contents: content, loader: 'ts' }
    })
  },
}
