import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { errorText } from '../contract/aotui-error.ts'
import type { DomElement } from '../transform/dom-node.ts'
import type { AppSpec } from '../contract/app-message.ts'
import type { ViewDefinition } from './app-api.ts'
import type { DomWindow, LiveElement } from './dom-engine.ts'
import { scriptsIn } from './page-scripts.ts'

/** A view of the manifest: its file is read once, when the app is loaded, and runs every time it is mounted. */
export async function loadView(
  view: AppSpec['views'][number],
  window: DomWindow,
  onError: (text: string) => void,
): Promise<ViewDefinition> {
  const { name, mount, url } = view
  if (/\.html?$/.test(url))
    return { name, mount, render: htmlView(window, url, await readFile(fileURLToPath(url), 'utf8'), onError) }
  const module = (await import(url)) as { mount?: unknown; default?: unknown }
  const render = module.mount ?? module.default
  if (typeof render !== 'function') throw new Error(`view "${name}": ${url} exports no function called mount`)
  return { name, mount, render: render as ViewDefinition['render'] }
}

/**
 * An HTML file is a document of its own: its body becomes the view's root. Module scripts with a `src` are imported by
 * Node on every mount; inline scripts are not run, because evaluating text would be a second way to load code.
 */
function htmlView(
  window: DomWindow,
  url: string,
  html: string,
  onError: (text: string) => void,
): ViewDefinition['render'] {
  let mountCount = 0
  return (given) => {
    const root = given as LiveElement
    const { body } = new window.DOMParser().parseFromString(html, 'text/html')
    for (const { name, value } of body.attributes) if (name !== 'view') root.setAttribute(name, value)
    for (const node of Array.from(body.childNodes))
      root.appendChild(window.document.importNode(node as DomElement, true))
    mountCount++
    for (const script of scriptsIn(root)) {
      const src = script.getAttribute('src')
      if (src === null || script.getAttribute('type') !== 'module') {
        onError(`a script of ${url} is not run: only <script type="module" src> is`)
        continue
      }
      // A module runs once per address; every mount is a new document and needs its scripts again.
      import(new URL(`${src}?mount=${mountCount}`, url).href).catch((error: unknown) =>
        onError(`${src}: ${errorText(error)}`),
      )
    }
  }
}
