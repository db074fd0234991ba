import type { DomControl, DomElement } from '../transform/dom-node.ts'
import {
  controlsIn,
  controlType,
  isControl,
  isTextField,
  isToggle,
  optionValue,
} from '../transform/form-control.ts'
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
  if (isControl(element)) {
    const value = ownValue(element, args)
    // A checkbox is set by the press itself.
    if (value === undefined || isToggle(element)) return false
    fill(window, element, value)
    return true
  }
  let filled = false
  for (const control of controlsIn(formAround(element) ?? element)) {
    const name = control.getAttribute('name') ?? control.getAttribute('id')
    if (name === null || !Object.hasOwn(args, name)) continue
    fill(window, control as DomControl & LiveElement, args[name])
    filled = true
  }
  return filled
}

/** What a control that is itself the operation is given: the argument of its name, or the only one that is no ref. */
function ownValue(control: DomElement, args: Readonly<Record<string, unknown>>): unknown {
  const name = control.getAttribute('name') ?? control.getAttribute('id')
  if (name !== null && Object.hasOwn(args, name)) return args[name]
  const [only, second] = Object.values(args).filter((value) => typeof value !== 'object' || value === null)
  return second === undefined ? only : undefined
}

/**
 * Presses an element: a form is submitted, a text field is left with Enter, the rest is clicked. False when the element
 * is not one that does anything then. `isHeard`: something listens for a press.
 */
export function pressElement(
  window: DomWindow,
  element: LiveElement,
  { args, isHeard }: { args: Readonly<Record<string, unknown>>; isHeard: boolean },
): boolean {
  if (element.localName === 'form') return submit(element)
  if (isTextField(element)) return pressEnter(window, element, isHeard)
  if (!isHeard && !PRESSABLE.has(element.localName) && element.getAttribute('role') !== 'button') return false
  const wanted = isToggle(element) ? ownValue(element, args) : undefined
  if (typeof wanted !== 'boolean' || (element as DomControl).checked !== wanted) element.click()
  return true
}

/**
 * What follows the first click of a double click. The second click is left out, because a handler that shows nothing
 * would run twice; a label is the exception, it is only text.
 */
export function doublePress(window: DomWindow, element: LiveElement): void {
  if (element.localName === 'label') element.click()
  element.dispatchEvent(new window.MouseEvent('dblclick', { ...SEEN_OUTSIDE, detail: 2 }))
}

/** Events of a person cross shadow roots. */
const SEEN_OUTSIDE = { bubbles: true, cancelable: true, composed: true }

const ENTER = { ...SEEN_OUTSIDE, key: 'Enter', code: 'Enter', keyCode: 13, which: 13 }

function pressEnter(window: DomWindow, field: LiveElement, isHeard: boolean): boolean {
  const form = formAround(field)
  if (!isHeard && form === undefined) return false
  const press = (type: string) => field.dispatchEvent(new window.KeyboardEvent(type, ENTER))
  // A handler that keeps the key for itself keeps the form from being sent.
  const isFree = press('keydown') && press('keypress')
  if (isFree && form !== undefined && field.isConnected) submit(form as LiveElement)
  press('keyup')
  return true
}

function submit(form: LiveElement): boolean {
  const { requestSubmit } = form as LiveElement & { requestSubmit?: () => void }
  if (requestSubmit === undefined) return false
  requestSubmit.call(form)
  return true
}

const PRESSABLE = new Set(['button', 'a', 'input', 'summary', 'label', 'option'])

function fill(window: DomWindow, control: DomControl & LiveElement, value: unknown): void {
  const type = controlType(control)
  if (type === 'file') return
  control.focus()
  if (type === 'checkbox') setNative(control, 'checked', value === true)
  else if (type === 'radio') setNative(control, 'checked', control.getAttribute('value') === String(value))
  else if (type === 'select') setNative(control, 'value', optionValue(control, String(value)))
  else setNative(control, 'value', String(value))
  for (const name of ['input', 'change'])
    control.dispatchEvent(new window.Event(name, { bubbles: true, composed: name === 'input' }))
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
