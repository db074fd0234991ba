import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'
import { isElement, type DomElement } from '../transform/dom-node.ts'
import type { AppModule } from './app-api.ts'
import type { DomWindow } from './dom-engine.ts'

/**
 * Loads an app whose entry is an HTML file: its body becomes the document's body, and its scripts run in order. Module
 * scripts are imported by Node; classic scripts run in the global scope, as in a browser, and so do inline ones. What
 * the module scripts export (`serialize`, `restore`, `ready`) is the app's.
 */
export async function loadPage(
  url: string,
  window: DomWindow,
  onWarning: (text: string) => void,
): Promise<AppModule> {
  const { document } = window
  const page = new window.DOMParser().parseFromString(await readFile(fileURLToPath(url), 'utf8'), 'text/html')
  const scripts = [...scriptsIn(page.documentElement)]
  for (const { name, value } of page.body.attributes) document.body.setAttribute(name, value)
  for (const node of Array.from(page.body.childNodes))
    document.body.appendChild(document.importNode(node as DomElement, true))
  const module: AppModule = {}
  // Module scripts are deferred: they run after the classic ones.
  for (const script of scripts.filter((one) => !isModule(one))) await runClassic(script, url)
  for (const script of scripts.filter(isModule)) {
    const src = script.getAttribute('src')
    if (src === null) onWarning('an inline module script is not run: give it a src')
    else Object.assign(module, await import(resolveSource(src, url)))
  }
  document.dispatchEvent(new window.Event('DOMContentLoaded', { bubbles: true }))
  window.dispatchEvent(new window.Event('load'))
  return module
}

async function runClassic(script: DomElement, url: string): Promise<void> {
  const type = (script.getAttribute('type') ?? '').trim()
  if (type !== '' && !/javascript$/i.test(type)) return
  const src = script.getAttribute('src')
  const filename = src === null ? url : resolveSource(src, url)
  const code = src === null ? (script.textContent ?? '') : await readFile(fileURLToPath(filename), 'utf8')
  new Script(code, { filename: fileURLToPath(filename) }).runInThisContext()
}

/** An address from the root, as bundlers write them, means the folder of the page: there is no server. */
function resolveSource(src: string, url: string): string {
  return new URL(src.replace(/^\/(?!\/)/, './'), url).href
}

function isModule(script: DomElement): boolean {
  return script.getAttribute('type') === 'module'
}

function* scriptsIn(element: DomElement): Generator<DomElement> {
  for (const child of element.childNodes) {
    if (!isElement(child)) continue
    if (child.localName === 'script') yield child
    else yield* scriptsIn(child)
  }
}
