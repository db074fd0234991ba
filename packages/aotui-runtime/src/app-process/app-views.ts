import type { ViewInfo } from '../contract/app-message.ts'
import { VIEW_NAME_CHARS_MAX, VIEWS_MAX } from '../contract/limits.ts'
import type { ViewDefinition } from './app-api.ts'
import type { DomWindow, LiveElement } from './dom-engine.ts'
import type { DocumentWatch } from './document-watch.ts'

interface DefinedEntry {
  readonly definition: ViewDefinition
  root?: LiveElement
  cleanup?: () => void
}

export interface MountedView {
  readonly handle: string
  readonly root: LiveElement
}

/**
 * The views of one app. A view is a root element: one that the app put into the document itself, or one that the
 * runtime made for a declared view. Its handle is its name, with a number when the app shows several of that name,
 * so that a view that is built anew is still the same view.
 */
export class AppViews {
  readonly #window: DomWindow
  readonly #watch: DocumentWatch
  readonly #defined = new Map<string, DefinedEntry>()
  /** Views of the app's own making that the agent dismounted: they stay in the document and are not shown. */
  readonly #dismounted = new Set<string>()
  readonly #handles = new WeakMap<LiveElement, string>()
  readonly #known = new Map<string, string>()

  constructor(window: DomWindow, watch: DocumentWatch) {
    this.#window = window
    this.#watch = watch
  }

  define(definition: ViewDefinition, wanted: Readonly<Record<string, boolean>> | undefined): void {
    if (typeof definition.name !== 'string' || definition.name.length > VIEW_NAME_CHARS_MAX)
      throw new Error(`the name of a view is a text of at most ${VIEW_NAME_CHARS_MAX} characters`)
    if (this.#known.size >= VIEWS_MAX) throw new Error(`an app has at most ${VIEWS_MAX} views`)
    if (this.#defined.has(definition.name)) throw new Error(`view "${definition.name}" is defined twice`)
    this.#defined.set(definition.name, { definition })
    this.#known.set(definition.name, definition.name)
    if (wanted?.[definition.name] ?? definition.mount !== 'manual') this.mountDefined(definition.name)
  }

  /** Restores what the agent had dismounted before a restart or a restore. */
  wantDismounted(handles: readonly string[]): void {
    for (const handle of handles) if (!this.#defined.has(handle)) this.#dismounted.add(handle)
  }

  list(): ViewInfo[] {
    const present = new Set(this.#present().map((view) => view.handle))
    for (const handle of this.#known.keys()) {
      if (this.#known.size <= VIEWS_MAX) break
      if (!present.has(handle) && !this.#defined.has(handle)) this.#known.delete(handle)
    }
    return [...this.#known].slice(0, VIEWS_MAX).map(([handle, name]) => {
      const canShow = present.has(handle) || this.#defined.has(handle)
      const shown = present.has(handle) && !this.#dismounted.has(handle)
      return { handle, name, state: shown ? 'mounted' : canShow ? 'dismounted' : 'absent' }
    })
  }

  mounted(): MountedView[] {
    return this.#present().filter((view) => !this.#dismounted.has(view.handle))
  }

  /** False when the app has no such view to show. */
  setMounted(handle: string, mounted: boolean): boolean {
    if (this.#defined.has(handle)) {
      if (mounted) this.mountDefined(handle)
      else this.dismountDefined(handle)
      return true
    }
    const view = this.#present().find((one) => one.handle === handle)
    if (view === undefined) return false
    if (mounted) this.#dismounted.delete(handle)
    else this.#dismounted.add(handle)
    view.root.dispatchEvent(new this.#window.CustomEvent(mounted ? 'aotui:mount' : 'aotui:dismount', {}))
    return true
  }

  mountDefined(name: string): void {
    const entry = this.#defined.get(name)
    if (entry === undefined || entry.root !== undefined) return
    const root = this.#window.document.createElement('section')
    root.setAttribute('view', name)
    this.#handles.set(root, name)
    entry.root = root
    this.#window.document.body.appendChild(root)
    const cleanup = entry.definition.render(root)
    if (typeof cleanup === 'function') entry.cleanup = cleanup
  }

  dismountDefined(name: string): void {
    const entry = this.#defined.get(name)
    if (entry?.root === undefined) return
    const { root, cleanup } = entry
    delete entry.root
    delete entry.cleanup
    cleanup?.()
    root.remove()
  }

  #present(): MountedView[] {
    const views: MountedView[] = []
    const taken = new Set<string>()
    const fresh: LiveElement[] = []
    for (const root of this.#watch.viewElements()) {
      const handle = this.#handles.get(root)
      if (handle === undefined || taken.has(handle)) fresh.push(root)
      else {
        taken.add(handle)
        views.push({ handle, root })
      }
    }
    for (const root of fresh) {
      // The same number of handles serves views that come and go; only views at the same time are bounded.
      if (views.length >= VIEWS_MAX) break
      const handle = freeHandle(viewName(root), taken)
      taken.add(handle)
      this.#handles.set(root, handle)
      this.#known.set(handle, viewName(root))
      views.push({ handle, root })
    }
    return views
  }
}

function viewName(root: LiveElement): string {
  const name = (root.getAttribute('view') ?? '').trim().slice(0, VIEW_NAME_CHARS_MAX)
  return name === '' ? 'View' : name
}

function freeHandle(name: string, taken: ReadonlySet<string>): string {
  let handle = name
  for (let number = 2; taken.has(handle); number++) handle = `${name}#${number}`
  return handle
}
