import type { DomControl, DomElement } from '../transform/dom-node.ts'
import { controlsIn, controlType, isControl, optionValue } from '../transform/form-control.ts'
import type { DomWindow, LiveElement } from './dom-engine.ts'

/**
 * Operates an app that knows nothing of operations, as a person would: first the arguments go into the form controls
 * of the same name, then, once the app has taken that in, the element is pressed. True when something was filled in.
 */
export function fillControls(
  window: DomWindow,
  element: LiveElement,
  args: Readonly<Record<string, unknown>>,
): boolean {
  let filled = false
  for (const control of isControl(element) ? [element] : controlsIn(formAround(element) ?? element)) {
    const name = control.getAttribute('name') ?? control.getAttribute('id')
    if (name === null || !Object.hasOwn(args, name)) continue
    fill(window, control as DomControl & LiveElement, args[name])
    filled = true
  }
  return filled
}

/** False when the element is not one that does anything when it is pressed. `isHeard`: something listens for a press. */
export function pressElement(element: LiveElement, isHeard: boolean): boolean {
  if (element.localName === 'form') {
    const { requestSubmit } = element as LiveElement & { requestSubmit?: () => void }
    if (requestSubmit === undefined) return false
    requestSubmit.call(element)
    return true
  }
  if (!isHeard && !PRESSABLE.has(element.localName) && element.getAttribute('role') !== 'button') return false
  element.click()
  return true
}

const PRESSABLE = new Set(['button', 'a', 'input', 'summary', 'label', 'option'])

function fill(window: DomWindow, control: DomControl & LiveElement, value: unknown): void {
  const type = controlType(control)
  if (type === 'file') return
  if (type === 'checkbox') setNative(control, 'checked', value === true)
  else if (type === 'radio') setNative(control, 'checked', control.getAttribute('value') === String(value))
  else if (type === 'select') setNative(control, 'value', optionValue(control, String(value)))
  else setNative(control, 'value', String(value))
  for (const name of ['input', 'change']) control.dispatchEvent(new window.Event(name, { bubbles: true }))
}

/** React puts a setter of its own on the element to notice what it did itself; the class's setter is what a person uses. */
function setNative(control: DomControl, property: 'value' | 'checked', value: unknown): void {
  let at: object | null = Object.getPrototypeOf(control) as object | null
  while (at !== null) {
    const descriptor = Object.getOwnPropertyDescriptor(at, property)
    if (descriptor?.set !== undefined) {
      descriptor.set.call(control, value)
      return
    }
    at = Object.getPrototypeOf(at) as object | null
  }
}

function formAround(element: DomElement): DomElement | undefined {
  for (let at: DomElement | null = element; at !== null; at = at.parentNode as DomElement | null) {
    if (at.localName === 'form') return at
  }
  return undefined
}
