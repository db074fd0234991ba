import { AotuiError, errorText } from '../contract/aotui-error.ts'
import type { OperationRequest } from '../contract/app-message.ts'
import type { TuiOperationDetail } from '../contract/command.ts'
import { isElement, type DomElement } from '../transform/dom-node.ts'
import { isItem, readList, readPayload } from '../transform/markup-attributes.ts'
import { isHidden } from '../transform/visibility.ts'
import type { DocumentWatch } from './document-watch.ts'
import type { DomWindow, LiveElement } from './dom-engine.ts'
import { fillControls, pressElement } from './press-element.ts'

export interface OperationPlace {
  readonly window: DomWindow
  readonly watch: DocumentWatch
  readonly root: LiveElement
  readonly settleMs: number
}

/**
 * Hands one operation to the app: as an event on the view's root when anyone listens there, otherwise by filling in
 * and pressing the element that declares it. Returns the warnings, and the promises that the ack has to wait for.
 */
export async function runOperation(
  place: OperationPlace,
  request: OperationRequest,
): Promise<{ warnings: string[]; waits: PromiseLike<unknown>[] }> {
  const { root, watch, window } = place
  const warnings = request.refs.some((ref) => findItem(root, ref) === undefined) ? ['item_unmounted'] : []
  const waits: PromiseLike<unknown>[] = []
  if (!watch.hasOperationListener(root)) {
    await pressOperation(place, request)
    return { warnings, waits }
  }
  const detail: TuiOperationDetail = {
    operation: request.operation,
    args: request.args,
    stable_keys: request.stable_keys,
    waitUntil: (promise) => void waits.push(promise),
  }
  root.dispatchEvent(new window.CustomEvent('aotui:operation', { detail, bubbles: true, cancelable: true }))
  return { warnings, waits }
}

async function pressOperation(place: OperationPlace, request: OperationRequest): Promise<void> {
  const first = findPressable(place, request)
  // Frameworks render after the event; a handler that ran before that would see the fields as they were.
  if (fillControls(place.window, first, request.args)) await settle(place.watch, [], place.settleMs)
  if (!pressElement(findPressable(place, request))) throw noHandler(request)
}

function findPressable({ root }: OperationPlace, request: OperationRequest): LiveElement {
  const within = request.item === undefined ? root : findItem(root, request.item)
  if (within === undefined) {
    throw new AotuiError(
      'E_NOT_FOUND',
      'the item is gone and the app has no handler that could take its data',
      {
        reason: 'item_unmounted',
      },
    )
  }
  const element = findOperation(within, request.operation)
  if (element === undefined) throw noHandler(request)
  return element
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
    await new Promise((resolve) => setImmediate(resolve))
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

interface ItemRef {
  readonly list: string
  readonly key?: string
  readonly value?: string
}

function findItem(root: DomElement, ref: ItemRef): DomElement | undefined {
  for (const list of listsOf(root, ref.list)) {
    const found = itemIn(list, list, ref)
    if (found !== undefined) return found
  }
  return undefined
}

function itemIn(element: DomElement, list: DomElement, ref: ItemRef): DomElement | undefined {
  for (const child of element.childNodes) {
    if (!isElement(child) || isHidden(child)) continue
    if (isItem(child, list)) {
      const { key, value } = readPayload(child)
      if (ref.key === undefined ? value === ref.value : key === ref.key) return child
    } else if (readList(child) === undefined) {
      const found = itemIn(child, list, ref)
      if (found !== undefined) return found
    }
  }
  return undefined
}

function* listsOf(element: DomElement, id: string): Generator<DomElement> {
  const list = readList(element)
  if (list !== undefined && 'id' in list && list.id === id) yield element
  for (const child of element.childNodes) if (isElement(child)) yield* listsOf(child, id)
}

function findOperation(within: DomElement, operation: string): LiveElement | undefined {
  if (isHidden(within)) return undefined
  if (within.getAttribute('operation')?.trim() === operation) return within as LiveElement
  for (const child of within.childNodes) {
    const found = isElement(child) ? findOperation(child, operation) : undefined
    if (found !== undefined) return found
  }
  return undefined
}
