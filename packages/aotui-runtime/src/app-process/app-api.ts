/** What an app finds as the global `aotui`. Browser globals and this are all that the runtime adds to Node. */
export interface AotuiApi {
  readonly appId: string
  /** A folder that the app may write to, when the desktop gave it one. */
  readonly dataDir: string | undefined
  /**
   * Declares a view that is rendered into a root of its own when it is mounted. An element with a `view` attribute
   * that the app puts into the document by itself is a view as well, and needs no declaration.
   */
  defineView(definition: ViewDefinition): DefinedView
  /**
   * Offers a function to the product that made the desktop (`desktop.call`). Agents cannot call it. It takes and gives
   * JSON values, or a promise of one.
   */
  expose(name: string, work: (args: never) => unknown): void
  /** A line in the app's log, which the agent reads. */
  log(text: string): void
}

export interface ViewDefinition {
  name: string
  /** `auto` (the default) mounts it at once, `manual` when the agent or the app asks for it. */
  mount?: 'auto' | 'manual'
  /** Fills the root; what it returns is called when the view is dismounted. */
  render(root: unknown): void | (() => void)
}

export interface DefinedView {
  readonly name: string
  mount(): void
  dismount(): void
}

/** What an app's entry module may export. A system app must export both hooks. */
export interface AppModule {
  /** The app's own data as JSON values; called after every operation, so keep it small. */
  serialize?: () => unknown
  restore?: (data: unknown) => unknown
  /** The app takes no operation before this has settled. */
  ready?: PromiseLike<unknown>
}
