import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { makeApp } from './app-folder.ts'
import { bundleApp } from './framework-app.ts'
import { packageDir } from './runtime-build.ts'

const BUNDLED = {
  react: 'app.tsx',
  preact: 'app.tsx',
  vue: 'app.js',
  svelte: 'app.js',
  lit: 'app.js',
  'web-components': 'app.js',
  mithril: 'app.js',
} as const
const PAGES = { jquery: ['js/app.js'], es5: ['store.js', 'view.js'] } as const

type Bundled = keyof typeof BUNDLED
type Page = keyof typeof PAGES
export const TODO_MVCS = [...Object.keys(BUNDLED), ...Object.keys(PAGES)] as (Bundled | Page)[]

const folder = join(packageDir, 'test-apps/todomvc')

/** A TodoMVC app as its framework's users write it, beside the one script that adds attributes. */
export async function makeTodoMvc(name: Bundled | Page): Promise<string> {
  const files: Record<string, string> = {
    'attributes.js': readFileSync(join(folder, 'attributes.js'), 'utf8'),
  }
  let page = '<!doctype html><html><head><title>TodoMVC</title></head><body></body></html>'
  if (isPage(name)) {
    page = readFileSync(join(folder, name, 'index.html'), 'utf8')
    for (const file of PAGES[name]) files[file] = readFileSync(join(folder, name, file), 'utf8')
    if (name === 'jquery')
      files['jquery.js'] = readFileSync(createRequire(import.meta.url).resolve('jquery'), 'utf8')
  } else {
    files['app.mjs'] = await bundleApp(join(folder, name, BUNDLED[name]))
    page = page.replace('</head>', '<script type="module" src="/app.mjs"></script></head>')
  }
  files['index.html'] = page.replace('</body>', '<script src="attributes.js"></script></body>')
  return makeApp({ main: '', files, manifest: { name: `TodoMVC ${name}`, entry: 'index.html' } })
}

function isPage(name: Bundled | Page): name is Page {
  return name in PAGES
}
