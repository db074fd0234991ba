import { parseArgsAttribute } from '../command/args-schema.ts'
import type { ArgSpecs, OperationInfo } from '../contract/fragment.ts'
import { LABEL_CHARS_MAX } from '../contract/limits.ts'
import type { DomElement } from './dom-node.ts'
import { cleanText } from './escape-text.ts'
import { argsOfControl, argsOfForm, isControl, isToggle } from './form-control.ts'
import { readOperation } from './markup-attributes.ts'
import type { Scope } from './render-scope.ts'

/** Elements that are only there to be pressed: their text is the operation's label, not content. */
export function isActionElement(element: DomElement): boolean {
  switch (element.localName) {
    case 'button':
      return true
    case 'input':
      return ['button', 'submit', 'reset', 'image'].includes(
        (element.getAttribute('type') ?? '').toLowerCase(),
      )
    case 'a':
      return element.hasAttribute('operation')
    default:
      return false
  }
}

/** Adds the element's operation to what was found. A disabled one is not on offer. */
export function noteOperation(element: DomElement, scope: Scope): void {
  const operation = readOperation(element)
  if (operation === undefined) return
  if ('problem' in operation) {
    scope.found.warnings.push(operation.problem)
    return
  }
  if (element.hasAttribute('disabled') || element.getAttribute('aria-disabled') === 'true') return
  const args = readArgs(element, operation.id, scope)
  if (args === 'refused') return
  const info: OperationInfo = {
    id: operation.id,
    label: label(element),
    ...(args === undefined ? {} : { args }),
    ...(scope.itemType === undefined ? {} : { itemType: scope.itemType }),
  }
  scope.found.addOperation({ info, element })
}

/** An operation whose arguments cannot be read is not offered: nobody could call it rightly. */
function readArgs(element: DomElement, id: string, scope: Scope): ArgSpecs | undefined | 'refused' {
  const attribute = element.getAttribute('args')
  if (attribute === null) {
    const form = element.localName === 'form' ? element : scope.form
    if (form !== undefined) return argsOfForm(form)
    return isControl(element) && !isToggle(element) ? argsOfControl(element) : undefined
  }
  const parsed = parseArgsAttribute(attribute)
  if ('problem' in parsed) {
    scope.found.warnings.push(`operation "${id}" is left out: ${parsed.problem}`)
    return 'refused'
  }
  for (const warning of parsed.warnings) scope.found.warnings.push(`operation "${id}": ${warning}`)
  return parsed.args
}

function label(element: DomElement): string {
  const action = isActionElement(element)
  const text =
    element.getAttribute('aria-label') ??
    element.getAttribute('title') ??
    (action ? (element.textContent ?? '').trim() || element.getAttribute('value') : null) ??
    ''
  return cleanText(text.slice(0, LABEL_CHARS_MAX)).replaceAll(/\s+/g, ' ').trim()
}
