import type { ArgSpec, ArgSpecs } from '../contract/fragment.ts'
import { isElement, type DomControl, type DomElement, type DomNode } from './dom-node.ts'
import { cutText, escapeInline, escapeLineStart } from './escape-text.ts'
import { isHidden } from './visibility.ts'

const OPTIONS_SHOWN_MAX = 20
const VALUE_CHARS_MAX = 2000

export function isControl(element: DomElement): element is DomControl {
  switch (element.localName) {
    case 'select':
    case 'textarea':
      return true
    case 'input':
      return !['button', 'submit', 'reset', 'image', 'hidden'].includes(controlType(element))
    default:
      return false
  }
}

export function isToggle(element: DomElement): boolean {
  return element.localName === 'input' && ['checkbox', 'radio'].includes(controlType(element))
}

export function controlType(element: DomElement): string {
  if (element.localName !== 'input') return element.localName
  const type = (element.getAttribute('type') ?? 'text').toLowerCase()
  return /^[a-z-]{1,20}$/.test(type) ? type : 'text'
}

/** All that the rendering of a control depends on and that no MutationObserver reports. */
export function controlState(control: DomControl): string {
  if (isToggle(control)) return control.checked === true ? '1' : '0'
  if (control.localName === 'select')
    return [...options(control)].map((option) => (option.selected === true ? '1' : '0')).join('')
  return text(control.value)
}

export function toggleMark(control: DomControl): string {
  return control.checked === true ? '[x]' : '[ ]'
}

/** `- name: type = "value" (required)`. */
export function controlLine(control: DomControl): string {
  const name = escapeLineStart(escapeInline(controlName(control)).trim())
  const type = controlType(control)
  const notes: string[] = []
  if (control.hasAttribute('required')) notes.push('required')
  if (control.hasAttribute('disabled')) notes.push('disabled')
  if (control.hasAttribute('readonly')) notes.push('read-only')
  const tail = notes.length === 0 ? '' : ` (${notes.join(', ')})`
  if (isToggle(control)) {
    const value = type === 'radio' ? ` ${quote(control.getAttribute('value') ?? 'on')}` : ''
    return `- ${name}: ${type}${value} ${toggleMark(control)}${tail}`
  }
  if (control.localName === 'select') return `- ${name}: select = ${selectText(control)}${tail}`
  return `- ${name}: ${type} = ${valueText(control, type)}${tail}`
}

/** What a form's controls ask for, for an operation that declares no arguments of its own. */
export function argsOfForm(form: DomElement): ArgSpecs | undefined {
  const specs: Record<string, ArgSpec> = {}
  for (const control of controlsIn(form)) {
    const name = control.getAttribute('name')
    if (name === null || !/^[A-Za-z_][\w-]*$/.test(name) || control.hasAttribute('disabled')) continue
    specs[name] = { type: controlArg(control, specs[name]), optional: !control.hasAttribute('required') }
  }
  return Object.keys(specs).length === 0 ? undefined : specs
}

export function* controlsIn(node: DomNode): Generator<DomControl> {
  for (const child of node.childNodes) {
    if (!isElement(child) || isHidden(child)) continue
    if (isControl(child)) yield child
    else yield* controlsIn(child)
  }
}

function controlArg(control: DomControl, before: ArgSpec | undefined): ArgSpec['type'] {
  const type = controlType(control)
  if (type === 'checkbox') return { kind: 'boolean' }
  if (type === 'radio') {
    const values = before?.type.kind === 'enum' ? before.type.values : []
    return { kind: 'enum', values: [...values, control.getAttribute('value') ?? 'on'] }
  }
  if (type === 'number' || type === 'range') return { kind: 'number', integer: false }
  if (control.localName === 'select') {
    const values = [...options(control)].map(optionValue)
    const one: ArgSpec['type'] =
      values.length > 0 && values.length <= OPTIONS_SHOWN_MAX ? { kind: 'enum', values } : { kind: 'string' }
    return control.hasAttribute('multiple') ? { kind: 'array', element: one } : one
  }
  return { kind: 'string' }
}

function controlName(control: DomControl): string {
  for (const attribute of ['name', 'aria-label', 'id', 'placeholder']) {
    const name = control.getAttribute(attribute)
    if (name !== null && name.trim() !== '') return name.slice(0, 100)
  }
  return control.localName
}

function valueText(control: DomControl, type: string): string {
  const value = text(control.value)
  // What a person would not see on the screen, an agent does not either.
  if (type === 'password') return value === '' ? '""' : '(hidden)'
  if (type === 'file') return '(file)'
  return quote(value)
}

function selectText(control: DomControl): string {
  const all = [...options(control)]
  const chosen = all.filter((option) => option.selected === true).map((option) => quote(optionValue(option)))
  const shown = all.slice(0, OPTIONS_SHOWN_MAX).map((option) => quote(optionValue(option)))
  const more = all.length > OPTIONS_SHOWN_MAX ? `, … +${all.length - OPTIONS_SHOWN_MAX}` : ''
  return `${chosen.length === 0 ? '""' : chosen.join(', ')} of ${shown.join(', ')}${more}`
}

function* options(node: DomNode): Generator<DomControl> {
  for (const child of node.childNodes) {
    if (!isElement(child)) continue
    if (child.localName === 'option') yield child
    else if (child.localName === 'optgroup') yield* options(child)
  }
}

function optionValue(option: DomControl): string {
  return option.getAttribute('value') ?? (option.textContent ?? '').trim()
}

function quote(value: string): string {
  return `"${cutText(escapeInline(value), VALUE_CHARS_MAX)}"`
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
