import type { ArgSpec, ArgSpecs } from '../contract/fragment.ts'
import { ARG_NAME_PATTERN, ENUM_CHARS_MAX } from '../contract/limits.ts'
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

const NOT_TYPED = [
  'checkbox',
  'radio',
  'button',
  'submit',
  'reset',
  'image',
  'file',
  'color',
  'range',
  'hidden',
]

/** A field of one line, which Enter leaves. */
export function isTextField(element: DomElement): boolean {
  return element.localName === 'input' && !NOT_TYPED.includes(controlType(element))
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

/** `- name (label): type = "value" (required)`. The name is what commands use, the label what a person reads. */
export function controlLine(control: DomControl, label = ''): string {
  const plain = controlName(control)
  const shown = label.replace(/[:*\s]+$/, '')
  const isSame = shown.toLowerCase() === escapeInline(plain).trim().toLowerCase()
  const name = `${escapeLineStart(escapeInline(plain).trim())}${shown === '' || isSame ? '' : ` (${shown})`}`
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

/** The control's value inside a line of text, as a person sees it. */
export function controlValue(control: DomControl): string {
  if (control.localName === 'select') return chosenText(control)
  return valueText(control, controlType(control))
}

/** The `<label for>` of a control, among the elements of its form. */
export function labelOf(control: DomElement, form: DomElement): DomElement | undefined {
  const id = control.getAttribute('id')
  if (id === null || id === '') return undefined
  for (const label of elementsIn(form, 'label')) if (label.getAttribute('for') === id) return label
  return undefined
}

/** Whether a label's text is shown with its control. */
export function labelsControl(label: DomElement, form: DomElement): boolean {
  const id = label.getAttribute('for')
  if (id === null || id === '') return false
  for (const control of controlsIn(form)) if (control.getAttribute('id') === id) return true
  return false
}

function* elementsIn(node: DomNode, name: string): Generator<DomElement> {
  for (const child of node.childNodes) {
    if (!isElement(child) || isHidden(child)) continue
    if (child.localName === name) yield child
    yield* elementsIn(child, name)
  }
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

/** What a control that is itself an operation asks for. */
export function argsOfControl(control: DomControl): ArgSpecs {
  const name = control.getAttribute('name') ?? ''
  return {
    [ARG_NAME_PATTERN.test(name) ? name : 'value']: { type: controlArg(control, undefined), optional: false },
  }
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
    const values = [...options(control)].map(optionLabel)
    const one: ArgSpec['type'] =
      values.length > 0 &&
      values.length <= OPTIONS_SHOWN_MAX &&
      values.every((value) => value.length <= ENUM_CHARS_MAX)
        ? { kind: 'enum', values }
        : { kind: 'string' }
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
  const shown = all.slice(0, OPTIONS_SHOWN_MAX).map((option) => quote(optionLabel(option)))
  const more = all.length > OPTIONS_SHOWN_MAX ? `, … +${all.length - OPTIONS_SHOWN_MAX}` : ''
  return `${chosenText(control)} of ${shown.join(', ')}${more}`
}

function chosenText(control: DomControl): string {
  const chosen = [...options(control)].filter((option) => option.selected === true)
  return chosen.length === 0 ? '""' : chosen.map((option) => quote(optionLabel(option))).join(', ')
}

function* options(node: DomNode): Generator<DomControl> {
  for (const child of node.childNodes) {
    if (!isElement(child)) continue
    if (child.localName === 'option') yield child
    else if (child.localName === 'optgroup') yield* options(child)
  }
}

/** What a person sees of an option; an option without a text shows its value. */
function optionLabel(option: DomControl): string {
  const label = option.getAttribute('label') ?? (option.textContent ?? '').replaceAll(/\s+/g, ' ').trim()
  return label === '' ? (option.getAttribute('value') ?? '') : label
}

/** The value of the option that is labelled so; values are taken as they are. */
export function optionValue(select: DomControl, given: string): string {
  const all = [...options(select)]
  const valueOf = (option: DomControl) => option.getAttribute('value') ?? (option.textContent ?? '').trim()
  const found = all.find((option) => optionLabel(option) === given)
  return found === undefined ? given : valueOf(found)
}

function quote(value: string): string {
  return `"${cutText(escapeInline(value), VALUE_CHARS_MAX)}"`
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
