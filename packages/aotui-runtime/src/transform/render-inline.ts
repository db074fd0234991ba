import { isElement, TEXT, type DomElement, type DomNode } from './dom-node.ts'
import { codeSpan, escapeInline, escapeLineStart, cutText } from './escape-text.ts'
import { controlState, controlValue, isControl, isToggle, labelsControl, toggleMark } from './form-control.ts'
import { readEntity, readPayload } from './markup-attributes.ts'
import { isActionElement, noteOperation } from './note-operation.ts'
import { BLOCKS, flatChildren, type Scope } from './render-scope.ts'
import { isHidden } from './visibility.ts'

/** A node as part of a line. `<br>` gives a line feed; the caller turns the run into lines with `toLines`. */
export function inlineText(node: DomNode, scope: Scope): string {
  if (node.nodeType === TEXT) return escapeInline(node.textContent ?? '')
  if (!isElement(node) || isHidden(node)) return ''
  noteOperation(node, scope)
  if (isActionElement(node)) return ''
  if (isControl(node)) return inlineControl(node, scope)
  switch (node.localName) {
    case 'br':
      return '\n'
    case 'img':
    case 'svg':
      return imageText(node)
    case 'code':
    case 'kbd':
    case 'samp':
      return ` ${codeSpan(node.textContent ?? '')} `
    case 'strong':
    case 'b':
      return emphasis('**', childrenText(node, scope))
    case 'em':
    case 'i':
      return emphasis('*', childrenText(node, scope))
    case 'label':
      // Shown with its control.
      return scope.form !== undefined && labelsControl(node, scope.form)
        ? ''
        : withEntity(node, scope, childrenText(node, scope))
    case 'a':
      return withEntity(node, scope, childrenText(node, scope) + linkTarget(node))
    default: {
      const text = withEntity(node, scope, childrenText(node, scope))
      // Blocks stand apart, also where they share a line, as in the cell of a table.
      return BLOCKS.has(node.localName) ? `\n${text}\n` : text
    }
  }
}

export function childrenText(element: DomElement, scope: Scope): string {
  const { nodes, scope: inner } = flatChildren(element, scope)
  let text = ''
  for (const node of nodes) text += inlineText(node, inner)
  return text
}

/** A run of inline text as lines that are safe where a line starts; empty ones are dropped. */
export function toLines(run: string): string[] {
  return run
    .split('\n')
    .map((line) => escapeLineStart(cutText(partBrackets(line.replaceAll(/ {2,}/g, ' ').trim()))))
    .filter((line) => line !== '')
}

/** An escaped bracket is no link for a Markdown parser, but a careless reader would take it for one. */
function partBrackets(line: string): string {
  return line.includes('](') ? line.replaceAll(/(?<!\\)((?:\\\\)*\\\])\(/g, String.raw`$1\(`) : line
}

/** The text as a link to the entity, when the element is one. */
export function withEntity(element: DomElement, scope: Scope, text: string): string {
  const entity = readEntity(element)
  if (entity === undefined) return text
  if ('problem' in entity) {
    scope.found.warnings.push(entity.problem)
    return text
  }
  const { key, value } = readPayload(element)
  scope.found.addEntity({
    ...entity,
    ...(key === undefined ? {} : { key }),
    ...(value === undefined ? {} : { value }),
  })
  const label = text.replaceAll(/\s+/g, ' ').trim()
  const link = `[${label === '' ? entity.id : cutText(label, ENTITY_CHARS_MAX)}](entity:${entity.id})`
  if (scope.entityLines === undefined) return link
  // Inside an item the line is a link already, and links do not nest.
  scope.entityLines.push(`- ${link}`)
  return text
}

const ENTITY_CHARS_MAX = 2000 // a name, or a line; a longer link would be cut with its line

function inlineControl(control: DomElement, scope: Scope): string {
  scope.found.controls.push({ control, state: controlState(control) })
  // The space keeps "[x]" from forming a link with a "(" in the app's text.
  return isToggle(control) ? `${toggleMark(control)} ` : ` ${controlValue(control)} `
}

function imageText(element: DomElement): string {
  const alt =
    element.getAttribute('alt') ?? element.getAttribute('aria-label') ?? element.getAttribute('title') ?? ''
  return alt.trim() === '' ? '' : ` ![${cutText(escapeInline(alt), 500)}] `
}

function emphasis(mark: string, text: string): string {
  const inner = text.trim()
  // Marks around line feeds or nothing would be text, and marks that meet would merge.
  if (inner === '' || inner.includes('\n') || inner.startsWith('*') || inner.endsWith('*')) return text
  return `${text.startsWith(' ') ? ' ' : ''}${mark}${inner}${mark}${text.endsWith(' ') ? ' ' : ''}`
}

/** An address is shown as text: links are for refs alone, so every link in the output is the runtime's. */
function linkTarget(element: DomElement): string {
  const href = element.getAttribute('href') ?? ''
  return /^(https?:|mailto:)/i.test(href) ? ` (${cutText(escapeInline(href), 500)})` : ''
}
