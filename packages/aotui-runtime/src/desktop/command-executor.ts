import { parseContexts, type ContextCommand } from '../command/context-parser.ts'
import {
  declaredArgs,
  givenFromDsl,
  givenFromJson,
  isRef,
  ITEM_ARG,
  mapArgs,
  type GivenArgs,
} from '../command/map-args.ts'
import { AotuiError, toAotuiError } from '../contract/aotui-error.ts'
import { NO_EFFECT, type ItemRef, type OperationRequest } from '../contract/app-message.ts'
import type { Command, ExecuteOptions as GivenOptions } from '../contract/command.ts'
import type { OperationInfo } from '../contract/fragment.ts'
import type { AppInstance } from './app-instance.ts'
import type { DesktopView } from './desktop-view.ts'
import { SnapshotRegistry, type RefPlace, type SnapshotRecord } from './snapshot-registry.ts'
import type { SystemCommands } from './system-commands.ts'

export interface ExecutorOptions {
  readonly system: SystemCommands
  findApp(name: string): AppInstance
  snapshot(id: string, ownerId: string): SnapshotRecord
}

type ExecuteOptions = GivenOptions & { readonly ownerId: string }

export interface Executed {
  settled: boolean
  warnings: string[]
  commandCount: number
}

/** The name under which a Command object addresses the desktop itself. */
const SYSTEM_APP = 'system'

/** Commands, from text or objects, to what they do. Nothing here knows of leases. */
export class CommandExecutor {
  readonly #options: ExecutorOptions

  constructor(options: ExecutorOptions) {
    this.#options = options
  }

  async run(command: Command | string, options: ExecuteOptions): Promise<Executed> {
    if (typeof command !== 'string') {
      return { ...(await this.#runObject(command, options)), commandCount: 1 }
    }
    // The whole text is parsed first: a mistake in the last context leaves the first one undone.
    const contexts = parseContexts(command)
    const total: Executed = { settled: true, warnings: [], commandCount: 0 }
    for (const context of contexts) {
      try {
        const { settled, warnings } = await this.#runContext(context, options)
        total.settled &&= settled
        total.warnings.push(...warnings)
        total.commandCount++
      } catch (error) {
        const known = toAotuiError(error)
        if (contexts.length === 1) throw known
        throw new AotuiError(
          known.code,
          known.message,
          { ...known.data, completed: total.commandCount },
          { cause: error },
        )
      }
    }
    return total
  }

  async #runContext(
    context: ContextCommand,
    options: ExecuteOptions,
  ): Promise<Pick<Executed, 'settled' | 'warnings'>> {
    const { command, appId, viewId } = context
    if (command.verb !== 'execute') {
      const args = Object.fromEntries(command.args.map((arg) => [arg.name, arg.value?.text]))
      return this.#options.system.run(command.verb, args, {
        ...(appId === undefined ? {} : { app: appId }),
        ...(viewId === undefined ? {} : { view: viewId }),
      })
    }
    if (appId === undefined) {
      throw new AotuiError('E_INVALID_CMD', 'execute needs to know the application: <context app_id="…">', {
        reason: 'no_app',
      })
    }
    const target = this.#findTarget(appId, viewId, command.operation ?? '')
    return this.#dispatch(
      target,
      givenFromDsl(command.args, declaredArgs(target.operation)),
      options,
      options.snapshot_id,
    )
  }

  async #runObject(
    command: Command,
    options: ExecuteOptions,
  ): Promise<Pick<Executed, 'settled' | 'warnings'>> {
    requireCommand(command)
    if (command.app === SYSTEM_APP) {
      return this.#options.system.run(
        command.operation,
        command.args,
        command.view === undefined ? {} : { view: command.view },
      )
    }
    const target = this.#findTarget(command.app, command.view, command.operation)
    return this.#dispatch(
      target,
      givenFromJson(command.args),
      options,
      command.snapshot_id ?? options.snapshot_id,
    )
  }

  #findTarget(appName: string, viewId: string | undefined, operationId: string): Target {
    const app = this.#options.findApp(appName)
    if (app.status.kind !== 'running') throw notFound(`${app.instance} is not running`, 'app_not_running')
    if (app.collapsed) throw notFound(`${app.instance} is collapsed; show it first`, 'app_collapsed')
    const named = viewId === undefined ? undefined : app.views.find((view) => view.id === viewId)
    if (viewId !== undefined && named === undefined)
      throw notFound(`${app.instance} has no view "${viewId}"`, 'no_view')
    if (named !== undefined && named.presence !== 'mounted')
      throw notFound(`${viewId} is not mounted`, 'view_not_mounted')
    if (named?.hidden === true) throw notFound(`${viewId} is hidden; show it first`, 'view_hidden')
    const candidates =
      named === undefined ? app.views.filter((view) => view.presence === 'mounted' && !view.hidden) : [named]
    const found = candidates.flatMap((view) =>
      view.fragment.operations
        .filter((operation) => operation.id === operationId)
        .map((operation) => ({ app, view, operation })),
    )
    const [target] = found
    if (target === undefined)
      throw notFound(`${viewId ?? app.instance} offers no operation "${operationId}" now`, 'no_operation')
    if (found.length > 1 || target.operation.ambiguous === true) {
      throw new AotuiError('E_INVALID_CMD', `operation "${operationId}" is declared more than once`, {
        reason: 'ambiguous',
        views: found.map((one) => one.view.id),
      })
    }
    return target
  }

  async #dispatch(
    target: Target,
    given: GivenArgs,
    options: ExecuteOptions,
    snapshotId: string | undefined,
  ): Promise<Pick<Executed, 'settled' | 'warnings'>> {
    const { app, view, operation } = target
    const resolver = new RefResolver(target, () => this.#requireSnapshot(snapshotId, options.ownerId))
    const args = mapArgs(operation, given, (ref, type) => resolver.resolve(ref, type))
    const item = operation.itemType === undefined ? undefined : itemOf(operation, given, resolver)
    const request: OperationRequest = {
      view: view.handle,
      operation: operation.id,
      args,
      stable_keys: resolver.keys,
      refs: resolver.refs,
      ...(item === undefined ? {} : { item }),
      timeoutMs: options.timeoutMs ?? 0,
    }
    try {
      const { settled, warnings } = await app.execute(request)
      const result = warnings.includes(NO_EFFECT) ? 'no visible effect' : 'done'
      const notes = warnings.filter((warning) => warning !== NO_EFFECT)
      app.options.log.add(
        `execute ${operation.id}: ${result}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`,
      )
      return { settled, warnings }
    } catch (error) {
      const known = toAotuiError(error)
      app.options.log.add(`execute ${operation.id}: ${known.code}: ${known.message}`)
      throw known
    }
  }

  #requireSnapshot(id: string | undefined, ownerId: string): SnapshotRecord {
    if (id !== undefined) return this.#options.snapshot(id, ownerId)
    throw new AotuiError('E_INVALID_CMD', 'a ref needs snapshot_id: which snapshot did the agent see?', {
      reason: 'no_snapshot_id',
    })
  }
}

interface Target {
  readonly app: AppInstance
  readonly view: DesktopView
  readonly operation: OperationInfo
}

/** Turns refs into what the agent saw under them, and remembers which items those were. */
class RefResolver {
  readonly keys: string[] = []
  readonly refs: ItemRef[] = []
  readonly byName = new Map<string, ItemRef>()
  readonly #place: RefPlace
  readonly #app: AppInstance
  readonly #snapshot: () => SnapshotRecord

  constructor({ app, view }: Target, snapshot: () => SnapshotRecord) {
    this.#app = app
    this.#place = { viewIds: app.views.map((one) => one.id), viewId: view.id }
    this.#snapshot = snapshot
  }

  resolve(ref: string, itemType: string | undefined): unknown {
    if (ref.startsWith('entity:')) return this.#resolveEntity(ref, itemType)
    const { item: found, viewId, version } = SnapshotRegistry.findItem(this.#snapshot(), ref, this.#place)
    if (itemType !== undefined && found.type !== itemType) {
      throw new AotuiError('E_INVALID_CMD', `${found.name} is a ${found.type}, not a ${itemType}`, {
        reason: 'wrong_item_type',
        ref,
      })
    }
    const item: ItemRef = {
      view: this.#app.views.find((view) => view.id === viewId)?.handle ?? '',
      version,
      position: found.position,
      list: found.list,
      ...(found.key === undefined ? {} : { key: found.key }),
      ...(found.value === undefined ? {} : { value: found.value }),
    }
    this.refs.push(item)
    this.byName.set(ref, item)
    if (found.key !== undefined) this.keys.push(found.key)
    return found.value === undefined ? { key: found.key } : parsePayload(ref, found.value)
  }

  #resolveEntity(ref: string, itemType: string | undefined): unknown {
    const entity = SnapshotRegistry.findEntity(this.#snapshot(), ref, this.#place)
    if (itemType !== undefined && entity.type !== itemType) {
      throw new AotuiError('E_INVALID_CMD', `${ref} is a ${entity.type}, not a ${itemType}`, {
        reason: 'wrong_item_type',
        ref,
      })
    }
    this.keys.push(entity.key ?? entity.id)
    return entity.value === undefined ? { id: entity.id } : parsePayload(ref, entity.value)
  }
}

/** The app's own transform sends nothing but JSON here; its code may. */
function parsePayload(ref: string, json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new AotuiError('E_NOT_FOUND', `the data of ${ref} is not JSON`, { reason: 'bad_payload', ref })
  }
}

/** The item that an operation inside items is about: its own argument, or the declared one of the item's type. */
function itemOf(operation: OperationInfo, given: GivenArgs, resolver: RefResolver): ItemRef | undefined {
  const specs = declaredArgs(operation) ?? {}
  const name = Object.keys(specs).find((arg) => {
    const type = specs[arg]?.type
    return type?.kind === 'item' && type.itemType === operation.itemType
  })
  const [value] = given.get(name ?? ITEM_ARG) ?? []
  const ref = value?.kind === 'text' ? value.text : value?.kind === 'json' ? value.value : undefined
  return typeof ref === 'string' && isRef(ref) ? resolver.byName.get(ref) : undefined
}

function requireCommand(command: Command): void {
  const { app, operation, args } = command
  if (typeof app === 'string' && typeof operation === 'string' && typeof args === 'object' && args !== null)
    return
  throw new AotuiError('E_INVALID_CMD', 'a command is { app, operation, args, snapshot_id?, view? }', {
    reason: 'bad_command',
  })
}

function notFound(message: string, reason: string): AotuiError {
  return new AotuiError('E_NOT_FOUND', message, { reason })
}
