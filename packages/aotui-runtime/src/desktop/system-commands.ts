import { AotuiError } from '../contract/aotui-error.ts'
import type { UpdateSignal } from '../contract/command.ts'
import type { AppInstance } from './app-instance.ts'
import type { DesktopView } from './desktop-view.ts'

export interface SystemCommandsOptions {
  apps(): Iterable<AppInstance>
  findApp(name: string): AppInstance
  onChange(reason: UpdateSignal['reason']): void
  systemLog(text: string): void
}

type Args = Readonly<Record<string, unknown>>
interface Context {
  readonly app?: string
  readonly view?: string
}
const DONE = { settled: true, warnings: [] as string[] }

/** The commands of spec section 5.2, and `page`. */
export class SystemCommands {
  readonly #options: SystemCommandsOptions

  constructor(options: SystemCommandsOptions) {
    this.#options = options
  }

  async run(verb: string, args: Args, context: Context): Promise<{ settled: boolean; warnings: string[] }> {
    const known = VERBS[verb]
    if (known === undefined) {
      throw new AotuiError(
        'E_INVALID_CMD',
        `"${verb}" is not a command; known are execute, ${Object.keys(VERBS).join(', ')}`,
        { reason: 'unknown_command' },
      )
    }
    for (const name of Object.keys(args))
      if (!known.includes(name)) throw usage(verb, `does not take --${name}`)
    switch (verb) {
      case 'open':
        await this.#open(this.#app(verb, args))
        break
      case 'close':
        await this.#close(this.#app(verb, args))
        break
      case 'collapse':
        this.#setCollapsed(this.#app(verb, args), true)
        break
      case 'show':
        if (args['view'] === undefined) this.#setCollapsed(this.#app(verb, args), false)
        else this.#setHidden(this.#view(verb, args), false)
        break
      case 'hide':
        this.#setHidden(this.#view(verb, args), true)
        break
      case 'mount':
      case 'dismount':
        await this.#setMounted(this.#view(verb, args), verb === 'mount')
        break
      case 'page':
        await this.#page(args, context)
        break
    }
    return DONE
  }

  async #open(app: AppInstance): Promise<void> {
    if (app.status.kind === 'running') {
      if (app.collapsed) this.#setCollapsed(app, false)
      return
    }
    await app.open()
    this.#options.systemLog(`${app.instance} (${app.options.manifest.name}) was opened.`)
  }

  async #close(app: AppInstance): Promise<void> {
    if (app.options.tier === 'trusted') {
      throw new AotuiError(
        'E_PERMISSION',
        `${app.instance} is a system application and cannot be closed; collapse it instead`,
        { reason: 'system_app' },
      )
    }
    if (!app.isOpen)
      throw new AotuiError('E_NOT_FOUND', `${app.instance} is not open`, { reason: 'app_not_running' })
    await app.close('the agent closed it')
    app.collapsed = false
    this.#options.systemLog(`${app.instance} (${app.options.manifest.name}) was closed.`)
    this.#options.onChange('app_closed')
  }

  #setCollapsed(app: AppInstance, collapsed: boolean): void {
    if (!app.isOpen)
      throw new AotuiError('E_NOT_FOUND', `${app.instance} is not open`, { reason: 'app_not_running' })
    app.collapsed = collapsed
    this.#options.onChange('dom_mutation')
  }

  #setHidden({ view }: FoundView, hidden: boolean): void {
    if (view.presence !== 'mounted')
      throw new AotuiError('E_NOT_FOUND', `${view.id} is not mounted`, { reason: 'view_not_mounted' })
    view.hidden = hidden
    this.#options.onChange('dom_mutation')
  }

  async #setMounted({ app, view }: FoundView, mounted: boolean): Promise<void> {
    await app.setMounted(view, mounted)
    view.hidden = false
    this.#options.onChange('dom_mutation')
  }

  async #page(args: Args, context: Context): Promise<void> {
    const list = args['list']
    const from = Number(args['from'] ?? 0)
    if (typeof list !== 'string' || list === '') throw usage('page', 'needs --list <list>')
    if (!Number.isSafeInteger(from) || from < 0) throw usage('page', 'needs --from <index>, a number from 0')
    const viewId = args['view'] ?? context.view
    if (typeof viewId !== 'string')
      throw usage('page', 'needs the view: <context app_id="…" view_id="…"> or --view')
    const { app, view } = this.#view('page', { view: viewId })
    await app.page(view, list.replace(/^list:/, ''), from)
  }

  #app(verb: string, args: Args): AppInstance {
    const name = args['application']
    if (typeof name !== 'string' || name === '') throw usage(verb, 'needs --application <app_id>')
    return this.#options.findApp(name)
  }

  #view(verb: string, args: Args): FoundView {
    const id = args['view']
    if (typeof id !== 'string' || id === '') throw usage(verb, 'needs --view <view_id>')
    for (const app of this.#options.apps()) {
      const view = app.views.find((one) => one.id === id)
      if (view !== undefined) return { app, view }
    }
    throw new AotuiError('E_NOT_FOUND', `there is no view "${id}"`, { reason: 'no_view', view: id })
  }
}

interface FoundView {
  readonly app: AppInstance
  readonly view: DesktopView
}

/** The arguments of each command. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  open: ['application'],
  close: ['application'],
  collapse: ['application'],
  show: ['application', 'view'],
  mount: ['view'],
  dismount: ['view'],
  hide: ['view'],
  page: ['list', 'from', 'view'],
}

function usage(verb: string, problem: string): AotuiError {
  return new AotuiError('E_INVALID_CMD', `${verb} ${problem}`, { reason: 'usage', command: verb })
}
