import { isElement, type DomElement } from './dom-node.ts'
import { readList } from './markup-attributes.ts'
import { noteOperation } from './note-operation.ts'
import { childrenText, toLines, withEntity } from './render-inline.ts'
import { flatChildren, type Scope } from './render-scope.ts'
import { isHidden } from './visibility.ts'

const COLUMNS_MAX = 30

/** A GFM table when every cell is one line; otherwise, or around a `list`, rows one after the other. */
export function renderTable(table: DomElement, scope: Scope): void {
  const { rows, parts } = collectRows(table, scope)
  if (parts.some((part) => readList(part) !== undefined)) return renderParts(parts, scope)
  const cells = rows.map((row) => {
    noteOperation(row, scope)
    return collectCells(row, scope).map((cell) =>
      toLines(withEntity(cell, scope, childrenText(cell, scope))).join(' '),
    )
  })
  const width = Math.max(0, ...cells.map((row) => row.length))
  if (width === 0) return
  const [first, ...others] = cells
  if (width > COLUMNS_MAX || scope.itemType !== undefined || first === undefined) {
    for (const row of cells) scope.out.line(`- ${row.filter((cell) => cell !== '').join('; ')}`)
  } else {
    const isHeader =
      rows[0] !== undefined && collectCells(rows[0], scope).every((cell) => cell.localName === 'th')
    const header = isHeader ? first : Array.from({ length: width }, () => '')
    scope.out.line(rowText(header, width))
    scope.out.line(`|${' --- |'.repeat(width)}`)
    for (const row of isHeader ? others : cells) scope.out.line(rowText(row, width))
  }
  scope.out.break()
}

function rowText(cells: readonly string[], width: number): string {
  return `| ${Array.from({ length: width }, (_, column) => cells[column] ?? '').join(' | ')} |`
}

function renderParts(parts: readonly DomElement[], scope: Scope): void {
  for (const part of parts) {
    if (part.localName === 'thead' || part.localName === 'caption') {
      scope.out.lines(toLines(rowLine(part, scope)))
      scope.out.break()
    } else {
      scope.render.block(part, scope)
    }
  }
}

function rowLine(part: DomElement, scope: Scope): string {
  const rows = [...part.childNodes].filter((node) => isElement(node) && node.localName === 'tr')
  const cells = rows.flatMap((row) => (isElement(row) ? collectCells(row, scope) : []))
  if (cells.length === 0) return childrenText(part, scope)
  return cells.map((cell) => toLines(childrenText(cell, scope)).join(' ')).join('; ')
}

function collectRows(table: DomElement, scope: Scope): { rows: DomElement[]; parts: DomElement[] } {
  const rows: DomElement[] = []
  const parts: DomElement[] = []
  for (const child of table.childNodes) {
    if (!isElement(child) || isHidden(child)) continue
    parts.push(child)
    if (child.localName === 'tr') rows.push(child)
    else if (child.localName === 'caption') scope.render.children(child, scope)
    else
      rows.push(
        ...[...child.childNodes].filter(
          (node): node is DomElement => isElement(node) && node.localName === 'tr' && !isHidden(node),
        ),
      )
  }
  return { rows, parts }
}

export function collectCells(row: DomElement, scope: Scope): DomElement[] {
  const { nodes } = flatChildren(row, scope)
  return [...nodes].filter(
    (node): node is DomElement =>
      isElement(node) && (node.localName === 'td' || node.localName === 'th') && !isHidden(node),
  )
}
