import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'
import { errorText } from '../contract/aotui-error.ts'
import { isElement, type DomElement } from '../transform/dom-node.ts'
import { ownTimeout, shortTimersSince } from './activity.ts'
import type { AppModule } from './app-api.ts'
import type { DomWindow, LiveElement } from './dom-engine.ts'
import { ownListener } from './dom-hooks.ts'
import { errorPosition } from './error-position.ts'

const CHAIN_MS = 60 // AMD loaders look every 50 ms whether all of their scripts are there

/**
 * Runs the scripts of a page from the app's folder. Module scripts are imported by Node; classic scripts, inline or
 * not, run in the global scope, as in a browser.
 */
export class PageScripts {
  /** What the module scripts export. */
  readonly exports: AppModule = {}
  readonly #url: string
  readonly #window: DomWindow
  readonly #onError: (text: string, at?: string) => void
  readonly #done = new WeakSet<DomElement>()
  readonly #loading = new Set<Promise<void>>()
  #addedCount = 0

  constructor(url: string, window: DomWindow, onError: (text: string, at?: string) => void) {
    this.#url = url
    this.#window = window
    this.#onError = onError
  }

  /**
   * Runs one script of the page. A failure is reported. As in a browser, the others run after a classic script that
   * failed; a module that fails is thrown, because it is the app.
   */
  async run(script: LiveElement): Promise<void> {
    this.#done.add(script)
    const { Event } = this.#window
    try {
      if (isModuleScript(script)) Object.assign(this.exports, await this.#importModule(script))
      else if (isJavaScript(script)) await this.#runClassic(script)
      else return
      if (script.hasAttribute('src')) script.dispatchEvent(new Event('load'))
    } catch (error) {
      this.#onError(
        `${script.getAttribute('src') ?? 'an inline script'}: ${errorText(error)}`,
        errorPosition(error),
      )
      if (script.hasAttribute('src')) script.dispatchEvent(new Event('error'))
      if (isModuleScript(script)) throw error
    }
  }

  /**
   * Loads scripts that the page adds later (a bundler's chunks, AMD modules). The engine does not load any, and fires an
   * error at each: that is how they are noticed.
   */
  watchAdded(): void {
    const onError = (event: { target: DomElement; stopImmediatePropagation(): void }) => {
      if (!isScript(event.target) || this.#done.has(event.target)) return
      event.stopImmediatePropagation()
      this.#addedCount++
      // A failure was reported.
      const loading = this.run(event.target as LiveElement).catch(() => undefined)
      this.#loading.add(loading)
      void loading.then(() => this.#loading.delete(loading))
    }
    this.#window.document.addEventListener('error', ownListener(onError), true)
  }

  /** Settles when the scripts that were added, and those that they add a little later, have run. */
  async whenLoaded(): Promise<void> {
    for (let knownCount = -1; knownCount !== this.#addedCount;) {
      knownCount = this.#addedCount
      await Promise.all(this.#loading)
      await shortTimersSince(0)
      if (knownCount > 0) await new Promise((resolve) => ownTimeout(resolve, CHAIN_MS))
    }
  }

  async #importModule(script: LiveElement): Promise<object> {
    const src = script.getAttribute('src')
    if (src !== null) return (await import(this.#resolve(src))) as object
    // Node has no other way to import text. Relative imports of such a module fail, and say so.
    return (await import(`data:text/javascript,${encodeURIComponent(script.textContent ?? '')}`)) as object
  }

  async #runClassic(script: LiveElement): Promise<void> {
    const src = script.getAttribute('src')
    const filename = fileURLToPath(src === null ? this.#url : this.#resolve(src))
    const code = src === null ? (script.textContent ?? '') : await readFile(filename, 'utf8')
    const { document } = this.#window
    // Bundlers find out from it where their other files are.
    Object.defineProperty(document, 'currentScript', { configurable: true, value: script })
    try {
      new Script(code, { filename }).runInThisContext()
    } finally {
      Object.defineProperty(document, 'currentScript', { configurable: true, value: null })
    }
  }

  /** An address from the root, as bundlers write them, means the folder of the page: there is no server. */
  #resolve(src: string): string {
    const { origin } = new URL(this.#window.location.href)
    const path = src.startsWith(origin) ? src.slice(origin.length) : src
    return new URL(path.replace(/^\/(?!\/)/, './'), this.#url).href
  }
}

export function* scriptsIn(element: DomElement): Generator<LiveElement> {
  for (const child of element.childNodes) {
    if (!isElement(child)) continue
    if (isScript(child)) yield child as LiveElement
    else yield* scriptsIn(child)
  }
}

function isScript(element: DomElement): boolean {
  return element.localName === 'script'
}

export function isModuleScript(script: DomElement): boolean {
  return script.getAttribute('type') === 'module'
}

function isJavaScript(script: DomElement): boolean {
  const type = (script.getAttribute('type') ?? '').trim()
  return type === '' || /(?:java|ecma)script$/i.test(type)
}
