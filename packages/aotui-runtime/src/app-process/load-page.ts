import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { DomElement } from '../transform/dom-node.ts'
import type { AppModule } from './app-api.ts'
import type { DomWindow, LiveElement } from './dom-engine.ts'
import { isModuleScript, PageScripts, scriptsIn } from './page-scripts.ts'

/**
 * Loads an app whose entry is an HTML file: it becomes the document, and its scripts run in the order of a browser,
 * where deferred ones and modules wait for the others. What the module scripts export (`serialize`, `restore`, `ready`)
 * is the app's.
 */
export async function loadPage(
  url: string,
  window: DomWindow,
  onError: (text: string, at?: string) => void,
): Promise<AppModule> {
  const { document } = window
  const page = new window.DOMParser().parseFromString(await readFile(fileURLToPath(url), 'utf8'), 'text/html')
  copyAttributes(page.documentElement, document.documentElement)
  for (const [from, to] of [
    [page.head, document.head],
    [page.body, document.body],
  ] as const) {
    copyAttributes(from, to)
    for (const node of Array.from(from.childNodes))
      to.appendChild(document.importNode(node as DomElement, true))
  }
  const scripts = new PageScripts(url, window, onError)
  scripts.watchAdded()
  const all = [...scriptsIn(document.documentElement)]
  for (const script of all.filter((one) => !isDeferred(one))) await scripts.run(script)
  for (const script of all.filter(isDeferred)) await scripts.run(script)
  document.dispatchEvent(new window.Event('DOMContentLoaded', { bubbles: true }))
  window.dispatchEvent(new window.Event('load'))
  await scripts.whenLoaded()
  return scripts.exports
}

function copyAttributes(from: LiveElement, to: LiveElement): void {
  for (const { name, value } of from.attributes) to.setAttribute(name, value)
}

function isDeferred(script: DomElement): boolean {
  return isModuleScript(script) || (script.hasAttribute('defer') && script.hasAttribute('src'))
}
