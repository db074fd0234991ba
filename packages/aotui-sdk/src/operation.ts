import type { TuiOperationDetail } from '@aotui/runtime'
import { argsAttribute, type ArgSpecs, type ArgsOf } from './argument-types.ts'
import type { Attributes } from './attributes.ts'

export interface OperationContext {
  /** The keys of the items that the agent named, in the order of the arguments. */
  readonly keys: readonly string[]
  /** The agent is answered after this promise. The one that the handler returns is waited for anyway. */
  readonly waitUntil: (promise: PromiseLike<unknown>) => void
}

export type OperationHandler<S extends ArgSpecs> = (args: ArgsOf<S>, context: OperationContext) => unknown

export interface Operation {
  /** For the element that offers the operation. */
  readonly attributes: Attributes
  /** From now on the handler gets the operation; returns the function that ends this. */
  readonly listen: () => () => void
}

/** The same as `listenForOperation`, in two steps, for frameworks that make things before they are shown. */
export function createOperation<const S extends ArgSpecs>(
  id: string,
  specs: S,
  handler: OperationHandler<S>,
): Operation {
  const token = String(nextToken++)
  const registration: Registration = {
    id,
    token,
    // The runtime has checked the arguments against what `specs` declares.
    handle: (args, context) => handler(args as ArgsOf<S>, context),
  }
  return {
    attributes: { operation: id, args: argsAttribute(specs), [TOKEN]: token },
    listen: () => {
      listenOnce()
      registrations.add(registration)
      return () => void registrations.delete(registration)
    },
  }
}

type TakeOperation = <const S extends ArgSpecs>(
  id: string,
  specs: S,
  handler: OperationHandler<S>,
) => Attributes

/** For frameworks that say when a component ends: `onEnd` is given what is to be called then. */
export function takeUntil(onEnd: (stop: () => void) => void): TakeOperation {
  return (id, specs, handler) => {
    const { attributes, listen } = createOperation(id, specs, handler)
    onEnd(listen())
    return attributes
  }
}

/**
 * Takes an operation: returns the attributes of the element that offers it. The handler gets the arguments with their
 * types. What it throws, or what its promise rejects with, is what the agent's command fails with.
 */
export const listenForOperation: TakeOperation = takeUntil(() => undefined)

interface Registration {
  readonly id: string
  readonly token: string
  readonly handle: (args: Readonly<Record<string, unknown>>, context: OperationContext) => unknown
}

/** Tells the elements of two handlers for one id apart. */
const TOKEN = 'data-aotui-handler'
let nextToken = 1
const registrations = new Set<Registration>()
const documents = new WeakSet<Document>()

function listenOnce(): void {
  if (documents.has(document)) return
  documents.add(document)
  document.addEventListener('aotui:operation', (event) => dispatch(event as CustomEvent<TuiOperationDetail>))
}

function dispatch(event: CustomEvent<TuiOperationDetail>): void {
  const { detail, target } = event
  if (event.defaultPrevented || !(target instanceof Element)) return
  const { operation, args, stable_keys: keys = [] } = detail
  const known = [...registrations].filter(({ id }) => id === operation)
  if (known.length === 0) return // the runtime presses the element
  event.preventDefault()
  const waitUntil = (promise: PromiseLike<unknown>) => detail.waitUntil(promise)
  const run = async () => {
    await choose(known, target, { operation, keys }).handle(args, { keys, waitUntil })
  }
  waitUntil(run())
}

/** The handler whose element is in the view, and in the item if several items have one each. */
function choose(
  known: readonly Registration[],
  view: Element,
  { operation, keys }: { operation: string; keys: readonly string[] },
): Registration {
  const elements = [...view.querySelectorAll(`[operation="${operation}"]`)]
  const ownerOf = (found: readonly Element[]) =>
    known.filter(({ token }) => found.some((element) => element.getAttribute(TOKEN) === token))
  let owners = ownerOf(elements)
  // Elements in shadow roots are not found from here.
  if (owners.length === 0) owners = [...known]
  if (owners.length > 1) owners = ownerOf(elements.filter((element) => keys.includes(keyOf(element) ?? '')))
  const [owner, second] = owners
  if (owner !== undefined && second === undefined) return owner
  throw new Error(
    `operation "${operation}" has ${known.length} handlers, and which one is meant is not clear; ` +
      'give items a key, or take the operation once for the whole view',
  )
}

function keyOf(element: Element): string | null | undefined {
  const item = element.closest('[data-key], [key], [item]')
  return item?.getAttribute('data-key') ?? item?.getAttribute('key') ?? item?.getAttribute('item')
}
