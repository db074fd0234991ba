import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { makeApp } from '../../aotui-runtime/test-support/app-folder.ts'
import { openApp, type DesktopDriver } from '../../aotui-runtime/test-support/desktop-driver.ts'

const packageDir = fileURLToPath(new URL('..', import.meta.url))

/** Bundles an app as its author would, with the SDK's sources, and opens it. */
export async function openSdkApp(
  code: string,
  options: { jsxImportSource?: string } = {},
): Promise<DesktopDriver> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: packageDir, loader: 'tsx', sourcefile: 'app.tsx' },
    alias: Object.fromEntries(
      ['react', 'preact', 'vue', 'svelte', 'index'].map((name) => [
        name === 'index' ? '@aotui/sdk' : `@aotui/sdk/${name}`,
        `${packageDir}src/${name}.ts`,
      ]),
    ),
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
    ...options,
  })
  return openApp(makeApp({ main: outputFiles[0]?.text ?? '' }))
}
