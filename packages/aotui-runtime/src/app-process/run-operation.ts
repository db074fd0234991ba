import { AotuiError, errorText } from '../contract/aotui-error.ts'
import { NO_EFFECT, type ItemRef, type OperationRequest } from '../contract/app-message.ts'
import type { TuiOperationDetail } from '../contract/command.ts'
import { activityCount, ownImmediate, shortTimersSince } from './activity.ts'
import type { DocumentWatch } from './document-watch.ts'
import type { DomWindow, LiveElement } from './dom-engine.ts'
import { OPERATION_EVENT } from './dom-hooks.ts'
import type { ItemSearch } from './find-item.ts'
import { doublePress, fillControls, pressElement } from './press-element.ts'
import { isControl } from '../transform/form-control.ts'
import { isActionElement } from '../transform/note-operation.ts'
import { watchNavigation } from './watch-navigation.ts'

export interface OperationPlace {
  readonly window: DomWindow
  readonly watch: DocumentWatch
  readonly root: LiveElement
  readonly settleMs: number
  /** The timers that were started before the operation. */
  readonly timersBefore: number
  readonly findItem: (ref: ItemRef) => ItemSearch
}

export interface OperationRun {
  readonly warnings: string[]
  /** False if the app was still changing its document when the time to settle was up. */
  readonly settled: boolean
}

/**
 * Hands one operation to the app: as an event on the view's root if anything listens there, and by filling in and
 * pressing the element that declares it if nothing came of the event. A listener further up may be there for other
 * operations, or only to watch.
 */
export async function runOperation(place: OperationPlace, request: OperationRequest): Promise<OperationRun> {
  const { root, watch } = place
  const gone = request.refs.some((ref) => place.findItem(ref).kind === 'unmounted')
  const warnings = gone ? ['item_unmounted'] : []
  let effect: Effect
  if (watch.hasOperationListener(root)) {
    const { waits, taken } = dispatchOperation(place, request)
    effect = await watchEffect(place, taken, waits)
    if (!effect.isSeen) effect = (await pressIfPossible(place, request)) ?? effect
  } else {
    effect = await pressOperation(place, request)
  }
  if (!effect.isSeen) warnings.push(NO_EFFECT)
  return { warnings, settled: effect.settled }
}

/** What came of an event or a press. */
interface Effect {
  readonly isSeen: boolean
  readonly settled: boolean
}

/** The listener may have taken it and had nothing to do: that there is nothing to press is no failure then. */
async function pressIfPossible(
  place: OperationPlace,
  request: OperationRequest,
): Promise<Effect | undefined> {
  try {
    return await pressOperation(place, request)
  } catch (error) {
    if (error instanceof AotuiError && error.code === 'E_NOT_FOUND') return undefined
    throw error
  }
}

/** `taken`: a listener said so, or did something, before the dispatch returned. */
function dispatchOperation(
  { root, watch, window, settleMs }: OperationPlace,
  request: OperationRequest,
): { waits: PromiseLike<unknown>[]; taken: boolean } {
  const waits: PromiseLike<unknown>[] = []
  const detail: TuiOperationDetail = {
    operation: request.operation,
    args: request.args,
    stable_keys: request.stable_keys,
    waitUntil: (promise) => void waits.push(promise),
  }
  const started = activityCount()
  const changed = watch.changeCount
  const navigated = watchNavigation(window, settleMs)
  const event = new window.CustomEvent(OPERATION_EVENT, { detail, bubbles: true, cancelable: true })
  const isFree = root.dispatchEvent(event)
  watch.flush()
  const navigation = navigated()
  if (navigation !== undefined) waits.push(navigation)
  const taken = !isFree || waits.length > 0 || activityCount() !== started || watch.changeCount !== changed
  return { waits, taken }
}

/** Waits until the app is done. Frameworks change the document a little after the event, so that counts as well. */
async function watchEffect(
  { watch, settleMs, timersBefore }: OperationPlace,
  taken: boolean,
  waits: readonly PromiseLike<unknown>[] = [],
): Promise<Effect> {
  const before = watch.changeCount
  let settled = await settle(watch, waits, settleMs)
  if (settled && (await shortTimersSince(timersBefore))) settled = await settle(watch, [], settleMs)
  return { isSeen: taken || watch.changeCount !== before, settled }
}

/** Throws if there is nothing to press, or nothing that could react. */
async function pressOperation(place: OperationPlace, request: OperationRequest): Promise<Effect> {
  const { watch, window } = place
  const first = findPressable(place, request)
  const started = activityCount()
  const changed = watch.changeCount
  // Frameworks render after the event; a handler that ran before that would see the fields as they were.
  if (fillControls(window, first, request.args)) await settle(watch, [], place.settleMs)
  // A framework may have replaced it meanwhile, or may show it under what was filled in.
  const element = first.isConnected ? first : findPressable(place, request)
  const isHeard = watch.hasPressListener(element)
  const navigated = watchNavigation(window, place.settleMs)
  if (!pressElement(window, element, { args: request.args, isHeard })) throw noHandler(request)
  watch.flush()
  const navigation = navigated()
  const taken = navigation !== undefined || activityCount() !== started || watch.changeCount !== changed
  let effect = await watchEffect(place, taken, navigation === undefined ? [] : [navigation])
  // Some frameworks start a timer at every event, so only a change says that the click was the right thing.
  if (watch.changeCount === changed && navigation === undefined && takesDoubleClick(place, element)) {
    doublePress(window, element)
    effect = await watchEffect(place, taken)
  }
  if (!effect.isSeen && !isHeard) throw noHandler(request)
  return effect
}

/** A person double-clicks text and items, not buttons. */
function takesDoubleClick({ watch }: OperationPlace, element: LiveElement): boolean {
  const { isConnected, localName } = element
  if (!isConnected || isActionElement(element) || isControl(element)) return false
  // Some apps count the clicks on a label by themselves.
  return localName === 'label' || watch.hasDoubleClickListener(element)
}

function findPressable({ root, watch, findItem }: OperationPlace, request: OperationRequest): LiveElement {
  const { operation, item } = request
  if (item === undefined) {
    const found = watch.transform.render(root).found.operations.get(operation)
    if (found === undefined) throw noHandler(request)
    if (found.info.ambiguous === true) throw ambiguous(`operation "${operation}" is declared more than once`)
    return found.element as LiveElement
  }
  const search = findItem(item)
  if (search.kind === 'unmounted') {
    throw new AotuiError(
      'E_NOT_FOUND',
      'the item is gone and the app has no handler that could take its data',
      { reason: 'item_unmounted' },
    )
  }
  if (search.kind === 'ambiguous')
    throw ambiguous('the item was replaced, and several items have its key; take a new snapshot')
  const found = search.item.found.operations.get(operation)
  if (found === undefined) throw noHandler(request)
  if (found.info.ambiguous === true)
    throw ambiguous(`operation "${operation}" is declared more than once in the item`)
  return found.element as LiveElement
}

function ambiguous(message: string): AotuiError {
  return new AotuiError('E_INVALID_CMD', message, { reason: 'ambiguous' })
}

function noHandler({ operation }: OperationRequest): AotuiError {
  return new AotuiError('E_NOT_FOUND', `nothing in the app handles "${operation}"`, { reason: 'no_handler' })
}

/** Waits until the app is done: its own promises, then two turns of the event loop without a change. */
export async function settle(
  watch: DocumentWatch,
  waits: readonly PromiseLike<unknown>[],
  settleMs: number,
): Promise<boolean> {
  await Promise.all(waits)
  const giveUpAt = performance.now() + settleMs
  let quietTurns = 0
  while (quietTurns < QUIET_TURNS) {
    watch.flush()
    const before = watch.changeCount
    await new Promise((resolve) => ownImmediate(resolve))
    watch.flush()
    quietTurns = watch.changeCount === before ? quietTurns + 1 : 0
    if (quietTurns < QUIET_TURNS && performance.now() > giveUpAt) return false
  }
  return true
}

/** React, Preact, Vue and Svelte all finish within one turn; the second one is for effects that change more. */
const QUIET_TURNS = 2

export function handlerError(error: unknown): AotuiError {
  if (
    typeof error === 'object' &&
    error !== null &&
    'permission' in error &&
    'code' in error &&
    error.code === 'E_PERMISSION'
  ) {
    return new AotuiError(
      'E_PERMISSION',
      errorText(error),
      { reason: 'denied', permission: error.permission },
      { cause: error },
    )
  }
  if (error instanceof AotuiError) return error
  return new AotuiError(
    'E_INTERNAL',
    `the app's handler failed: ${errorText(error)}`,
    { reason: 'handler_error' },
    { cause: error },
  )
}
