import { isElement, TEXT, type DomControl, type DomElement, type DomNode } from './dom-node.ts'
import { cutText, escapeInline } from './escape-text.ts'
import {
  controlLine,
  controlsIn,
  controlState,
  isControl,
  isToggle,
  labelOf,
  labelsControl,
} from './form-control.ts'
import { FoundMarkup } from './found-markup.ts'
import { isItem, readEntity, readList } from './markup-attributes.ts'
import { isActionElement, noteOperation } from './note-operation.ts'
import { childrenText, inlineText, toLines, withEntity } from './render-inline.ts'
import { renderItem, renderList, findCachedItem, takeItem } from './render-list.ts'
import { BlockOut, BLOCKS, flatChildren, type ChildRender, type Scope } from './render-scope.ts'
import { renderTable } from './render-table.ts'
import { isHidden } from './visibility.ts'

/** Renders what is inside an element: inline runs become lines, blocks follow each other. */
export function renderChildren(element: DomElement, outer: Scope): void {
  const { nodes, scope } = flatChildren(element, outer)
  let run = ''
  const flush = () => {
    const lines = toLines(run)
    run = ''
    if (lines.length === 0) return
    scope.out.lines(lines)
    scope.out.break()
  }
  const { list } = scope
  const isAlone = standsAlone(scope)
  for (const node of nodes) {
    if (node.nodeType === TEXT) {
      run += escapeInline(node.textContent ?? '')
    } else if (isElement(node)) {
      const cached = list && findCachedItem(node, scope, list)
      if (list !== undefined && cached !== undefined) {
        if (run !== '') flush()
        takeItem(cached, scope, list)
        continue
      }
      if (isAlone) {
        const child = renderChild(node, scope)
        if (child.text === undefined) flush()
        else run += child.text
        scope.out.push(child.chunks)
        scope.found.addPart(child.found)
        continue
      }
      if (isHidden(node)) continue
      if (isBlock(node, scope)) {
        flush()
        renderBlock(node, scope)
      } else {
        run += inlineText(node, scope)
      }
    }
  }
  flush()
}

/** Whether a child's rendering depends on nothing but the child itself. */
function standsAlone({ list, itemType, form, shadow }: Scope): boolean {
  return list === undefined && itemType === undefined && form === undefined && shadow === undefined
}

function renderChild(element: DomElement, outer: Scope): ChildRender {
  const { cache } = outer.env
  const kept = cache?.getChild(element)
  if (kept !== undefined) return kept
  const scope: Scope = { ...outer, out: new BlockOut(), found: new FoundMarkup() }
  const text = isHidden(element) ? '' : isBlock(element, scope) ? undefined : inlineText(element, scope)
  if (text === undefined) renderBlock(element, scope)
  scope.out.break()
  const { found } = scope
  const render = { chunks: scope.out.chunks, found, ...(text === undefined ? {} : { text }) }
  // Around a list, keeping would only copy what the list's items keep already.
  if (found.cacheable && found.lists.length === 0) cache?.setChild(element, render)
  return render
}

function isBlock(element: DomElement, scope: Scope): boolean {
  const name = element.localName
  if (BLOCKS.has(name) || name.includes('-') || name === 'slot') return true
  if (element.hasAttribute('view') || readList(element) !== undefined) return true
  if (scope.list !== undefined && isItem(element, scope.list.element)) return true
  // In an item a checkbox belongs to its line; in a form it is a field of its own.
  if (isControl(element)) return !(isToggle(element) && scope.itemType !== undefined)
  if (scope.env.shadowRootOf(element) !== null) return true
  for (const child of element.childNodes) if (isElement(child) && isBlock(child, scope)) return true
  return false
}

export function renderBlock(element: DomElement, scope: Scope): void {
  // A view inside a view is a view of its own.
  if (element.hasAttribute('view') && element !== scope.root) return
  const list = readList(element)
  if (list === undefined && scope.list !== undefined && isItem(element, scope.list.element)) {
    // An operation on the item's own element is one of the item.
    return renderItem(element, scope, scope.list)
  }
  noteOperation(element, scope)
  if (isActionElement(element)) return
  if (list !== undefined && 'problem' in list) scope.found.warnings.push(list.problem)
  else if (list !== undefined) return renderList(element, list, scope)
  if (isControl(element)) {
    const label = scope.form === undefined ? undefined : labelOf(element, scope.form)
    return renderControl(
      element,
      label === undefined ? '' : escapeInline(label.textContent ?? '').trim(),
      scope,
    )
  }
  renderByName(element, scope)
}

function renderByName(element: DomElement, scope: Scope): void {
  const name = element.localName
  switch (name) {
    case 'h1':
    case 'h2':
    case 'h3':
    case 'h4':
    case 'h5':
    case 'h6':
      return renderHeading(element, Number(name.charAt(1)), scope)
    case 'ul':
    case 'ol':
    case 'menu':
      return renderPlainList(element, scope)
    case 'table':
      return renderTable(element, scope)
    case 'pre':
      return renderCode(element, scope)
    case 'hr':
      return
    case 'details':
      return renderDetails(element, scope)
    case 'label':
      return renderLabel(element, scope)
    case 'form':
      return renderEntityBlock(element, { ...scope, form: element })
    default:
      return renderEntityBlock(element, scope)
  }
}

function renderControl(control: DomControl, label: string, scope: Scope): void {
  scope.found.controls.push({ control, state: controlState(control) })
  scope.out.line(controlLine(control, label))
  scope.out.break()
}

/** A label's text belongs to its control: around it, or elsewhere in the form. */
function renderLabel(element: DomElement, scope: Scope): void {
  if (scope.form !== undefined && labelsControl(element, scope.form)) return
  const [control, second] = controlsIn(element)
  if (control === undefined || second !== undefined || scope.itemType !== undefined)
    return renderEntityBlock(element, scope)
  const text = labelText(element, control)
  renderControl(control, escapeInline(text).trim(), scope)
}

function labelText(node: DomNode, control: DomElement): string {
  let text = ''
  for (const child of node.childNodes) {
    if (child.nodeType === TEXT) text += child.textContent ?? ''
    else if (child !== control && isElement(child) && !isHidden(child)) text += labelText(child, control)
  }
  return text
}

function renderHeading(element: DomElement, level: number, scope: Scope): void {
  const text = withEntity(element, scope, childrenText(element, scope)).replaceAll('\n', ' ')
  const [line] = toLines(text)
  if (line === undefined) return
  scope.out.line(scope.itemType === undefined ? `${'#'.repeat(level)} ${line}` : line)
  scope.out.break()
}

/** A block that is an entity is one link when it holds a line, else a link above its content. */
function renderEntityBlock(element: DomElement, scope: Scope): void {
  const entity = readEntity(element)
  if (entity === undefined) return renderChildren(element, scope)
  const { nodes, scope: inner } = flatChildren(element, scope)
  const holdsBlocks = [...nodes].some((node) => isElement(node) && !isHidden(node) && isBlock(node, inner))
  const text = withEntity(
    element,
    scope,
    holdsBlocks ? (element.getAttribute('aria-label') ?? '') : childrenText(element, scope),
  )
  scope.out.lines(toLines(text))
  scope.out.break()
  if (holdsBlocks) renderChildren(element, scope)
}

/** Lists without the `list` attribute are text. */
function renderPlainList(element: DomElement, scope: Scope): void {
  const { nodes, scope: inner } = flatChildren(element, scope)
  let number = 0
  for (const node of nodes) {
    if (!isElement(node) || isHidden(node)) continue
    if (node.localName !== 'li' || holdsMore(node, inner)) {
      renderBlock(node, inner)
      continue
    }
    number++
    noteOperation(node, inner)
    const [first, ...rest] = toLines(withEntity(node, inner, childrenText(node, inner)))
    if (first === undefined) continue
    scope.out.line(`${element.localName === 'ol' ? `${number}.` : '-'} ${first}`)
    scope.out.lines(rest.map((line) => `  ${line}`))
  }
  scope.out.break()
}

function holdsMore(element: DomElement, scope: Scope): boolean {
  if (scope.env.shadowRootOf(element) !== null) return true
  for (const child of element.childNodes)
    if (isElement(child) && !isHidden(child) && isBlock(child, scope)) return true
  return false
}

function renderCode(element: DomElement, scope: Scope): void {
  const className = element.getAttribute('class') ?? firstElement(element)?.getAttribute('class') ?? ''
  const language = /(?:^|\s)lang(?:uage)?-([\w+#.-]+)/.exec(className)?.[1] ?? ''
  const code = element.textContent ?? ''
  if (code.trim() === '') return
  scope.out.push([
    { kind: 'code', text: cutText(code), language: language.slice(0, 30), indent: scope.depth },
  ])
}

function renderDetails(element: DomElement, scope: Scope): void {
  if (element.hasAttribute('open')) return renderChildren(element, scope)
  for (const child of element.childNodes) {
    if (!isElement(child) || child.localName !== 'summary' || isHidden(child)) continue
    const [line] = toLines(childrenText(child, scope))
    if (line !== undefined) scope.out.line(`${line} (closed)`)
    scope.out.break()
    return
  }
}

function firstElement(element: DomElement): DomElement | undefined {
  for (const child of element.childNodes) if (isElement(child)) return child
  return undefined
}
