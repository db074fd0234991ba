import { typeText } from '../command/args-schema.ts'
import { declaredArgs } from '../command/map-args.ts'
import type { ArgType, EntityInfo, OperationInfo } from '../contract/fragment.ts'
import { escapeInline } from '../transform/escape-text.ts'
import { pascalCase } from '../transform/markup-attributes.ts'
import type { Piece, ShownList } from './shown-piece.ts'

interface Written {
  readonly places: string
  readonly pieces: readonly Piece[]
}

/** A view's operations change far less often than its text, and until then they are the same array. */
const written = new WeakMap<readonly OperationInfo[], Written>()

/** The operations of a view. An argument that takes an item says in which lists items of that type are. */
export function composeOperations(
  operations: readonly OperationInfo[],
  lists: readonly ShownList[],
  entities: readonly EntityInfo[],
): readonly Piece[] {
  if (operations.length === 0) return []
  const homes = findHomes(lists, entities)
  const places = placesText(homes)
  const kept = written.get(operations)
  if (kept?.places === places) return kept.pieces
  const texts = ['\n# Operation', ...operations.map((operation) => operationText(operation, homes))]
  const pieces = texts.map((text) => ({ text }))
  written.set(operations, { places, pieces })
  return pieces
}

/** Type → how the view shows things of that type. */
type Homes = ReadonlyMap<string, { lists: string[]; hasEntities: boolean }>

const HOMES_SHOWN_MAX = 5 // lists of one type that an argument names

function findHomes(lists: readonly ShownList[], entities: readonly EntityInfo[]): Homes {
  const homes = new Map<string, { lists: string[]; hasEntities: boolean }>()
  const homeOf = (type: string) => {
    let home = homes.get(type)
    if (home === undefined) homes.set(type, (home = { lists: [], hasEntities: false }))
    return home
  }
  for (const { type, name } of lists) {
    const home = homeOf(type)
    if (home.lists.length <= HOMES_SHOWN_MAX) home.lists.push(name)
  }
  for (const { type } of entities) homeOf(type).hasEntities = true
  return homes
}

function placesText(homes: Homes): string {
  let text = ''
  for (const [type, { lists, hasEntities }] of homes) text += `${type} ${lists.join()} ${hasEntities};`
  return text
}

function operationText(operation: OperationInfo, homes: Homes): string {
  const name = pascalCase(operation.id)
  const label = escapeInline(operation.label).trim()
  const same = operation.label.replaceAll(/[\s_]/g, '').toLowerCase() === name.toLowerCase()
  const notes = `${label === '' || same ? '' : `: ${label}`}${operation.ambiguous === true ? ' (declared more than once, cannot be used)' : ''}`
  const lines = [`- [${name}](operation:${operation.id})${notes}`]
  const args = Object.entries(declaredArgs(operation) ?? {})
  if (args.length > 0) lines.push('    - Arguments:')
  for (const [arg, spec] of args) {
    const extra = [
      spec.optional ? 'optional' : '',
      spec.short === undefined ? '' : `short: -${escapeInline(spec.short)}`,
    ].filter((text) => text !== '')
    const tail = extra.length === 0 ? '' : ` (${extra.join(', ')})`
    const about = spec.description === undefined ? '' : `: ${escapeInline(spec.description)}`
    lines.push(
      `        - ${escapeInline(arg)}: ${escapeType(typeText(spec.type, (type) => refText(type, homes)))}${homeText(spec.type, homes)}${tail}${about}`,
    )
  }
  return lines.join('\n')
}

/** Brackets and bars are part of how types are written; the rest of the text is an app's. */
function escapeType(text: string): string {
  return escapeInline(text)
    .replaceAll(String.raw`\[\]`, '[]')
    .replaceAll(String.raw`\|`, '|')
}

/** `item:user` for items, `entity:title` for entities, both when the view has both. */
function refText(type: string, homes: Homes): string {
  const home = homes.get(type)
  if (home?.hasEntities !== true) return `item:${type}`
  return home.lists.length === 0 ? `entity:${type}` : `item:${type} or entity:${type}`
}

function homeText(type: ArgType, homes: Homes): string {
  const inner = type.kind === 'array' ? type.element : type
  if (inner.kind !== 'item') return ''
  const lists = homes.get(inner.itemType)?.lists ?? []
  if (lists.length === 0) return ''
  const more = lists.length > HOMES_SHOWN_MAX ? ', …' : ''
  return ` in ${lists.slice(0, HOMES_SHOWN_MAX).join(', ')}${more}`
}
