import type { Piece, ShownItem } from './shown-piece.ts'
import type { Section } from './compose-desktop.ts'

/**
 * Only what differs from an earlier snapshot. Views and applications that did not change are named; in a view that did,
 * items are told apart by their keys, so that an item that only moved costs nothing and one that went costs a line.
 */
export function deltaSections(sections: readonly Section[], before: readonly Section[]): Section[] {
  const known = new Map(before.map((section) => [sectionKey(section), section]))
  const deltas = sections.map((section) => deltaSection(section, known.get(sectionKey(section))))
  const busyApps = new Set(
    deltas.flatMap(({ section, isSame }) => (section.app === undefined || isSame ? [] : [section.app])),
  )
  // An application that also had other views before has changed.
  const shown = new Set(sections.map(sectionKey))
  for (const section of before)
    if (section.app !== undefined && !shown.has(sectionKey(section))) busyApps.add(section.app)
  return deltas.flatMap(({ section }) => {
    if (section.app === undefined || busyApps.has(section.app)) return [section]
    if (section.isAppStart === true) return [{ ...section, open: marked(section.open, 'unchanged') }]
    return section.isAppEnd === true ? [section] : []
  })
}

function deltaSection(section: Section, old: Section | undefined): { section: Section; isSame: boolean } {
  if (section.isAppStart === true || section.isAppEnd === true)
    return { section, isSame: old?.open === section.open && old.close === section.close }
  if (old === undefined) return { section, isSame: false }
  const isSameBody = samePieces(section.pieces, old.pieces)
  const last = samePieces(section.last, old.last) ? [] : section.last
  if (isSameBody && last.length === 0) {
    const same = { ...section, open: marked(section.open, 'unchanged'), close: section.close.trimStart() }
    return { section: { ...same, pieces: [], last }, isSame: true }
  }
  const pieces = isSameBody ? [] : deltaPieces(section, old)
  const delta = { ...section, open: marked(section.open, 'delta'), pieces, last }
  return { section: charsOf(delta) < charsOf(section) ? delta : section, isSame: false }
}

function marked(open: string, mark: 'unchanged' | 'delta'): string {
  return open.replace(/>\n?$/, ` ${mark}="true">`)
}

function sectionKey(section: Section): string {
  return section.viewId ?? `${section.app ?? ''} ${section.open}`
}

function charsOf({ pieces, last }: Section): number {
  return [...pieces, ...last].reduce((sum, piece) => sum + piece.text.length + 1, 0)
}

function samePieces(a: readonly Piece[], b: readonly Piece[]): boolean {
  return (
    a === b ||
    (a.length === b.length &&
      a.every(
        (piece, index) =>
          pieceToken(piece) === tokenAt(b, index) && piece.item?.name === b[index]?.item?.name,
      ))
  )
}

function tokenAt(pieces: readonly Piece[], index: number): string | undefined {
  const piece = pieces[index]
  return piece === undefined ? undefined : pieceToken(piece)
}

/** What a piece says, without its place in a list. */
function pieceToken({ text, item }: Piece): string {
  if (item === undefined) return text.trimStart()
  return `${itemIdentity(item)}\0${item.value ?? ''}\0${item.body}`
}

function itemIdentity({ listName, key, value, body }: ShownItem): string {
  return `\0${listName}\0${key ?? value ?? body}`
}

/** Pieces that stayed together, from `now[start]` and `before[oldStart]` on. */
interface Run {
  readonly start: number
  readonly oldStart: number
  length: number
}

function deltaPieces({ pieces: now, isLog }: Section, { pieces: before }: Section): Piece[] {
  const oldIndexes = matchPieces(now, before)
  if (isLog === true) return now.filter((_, index) => oldIndexes[index] === undefined)
  const out: Piece[] = [...gonePieces(now, before, oldIndexes)]
  let run: Run | undefined
  const flush = () => {
    if (run !== undefined) out.push(runPiece(run, now, before))
    run = undefined
  }
  for (const [index, piece] of now.entries()) {
    const old = oldIndexes[index]
    if (old === undefined) {
      flush()
      out.push(piece)
    } else if (run !== undefined && old === run.oldStart + run.length && movedAlike(run, now, before)) {
      run.length++
    } else {
      flush()
      run = { start: index, oldStart: old, length: 1 }
    }
  }
  flush()
  return out
}

/** For each piece, where it was before: the first piece of the same content that is not taken yet. */
function matchPieces(now: readonly Piece[], before: readonly Piece[]): (number | undefined)[] {
  const places = new Map<string, number[]>()
  for (let index = before.length - 1; index >= 0; index--) {
    const token = tokenAt(before, index) ?? ''
    const found = places.get(token)
    if (found === undefined) places.set(token, [index])
    else found.push(index)
  }
  return now.map((piece) => places.get(pieceToken(piece))?.pop())
}

/** Whether the next piece moved as far in its list as those of the run did. */
function movedAlike(
  { start, oldStart, length }: Run,
  now: readonly Piece[],
  before: readonly Piece[],
): boolean {
  const next = now[start + length]?.item
  if (next === undefined) return true
  const old = before[oldStart + length]?.item
  for (let at = length - 1; at >= 0; at--) {
    const item = now[start + at]?.item
    const oldItem = before[oldStart + at]?.item
    if (item === undefined || oldItem === undefined) continue
    const isSameList = item.listName === next.listName && oldItem.listName === old?.listName
    return isSameList && item.index - oldItem.index === next.index - old.index
  }
  return true
}

function runPiece({ start, oldStart, length }: Run, now: readonly Piece[], before: readonly Piece[]): Piece {
  const items = now.slice(start, start + length).flatMap(({ item }) => (item === undefined ? [] : [item]))
  const olds = before
    .slice(oldStart, oldStart + length)
    .flatMap(({ item }) => (item === undefined ? [] : [item]))
  if (items[0]?.name === olds[0]?.name) return { text: `… (${length} parts unchanged)` }
  return { text: `… (${rangeText(olds)} ${items.length === 1 ? 'is' : 'are'} now ${rangeText(items)})` }
}

function gonePieces(
  now: readonly Piece[],
  before: readonly Piece[],
  oldIndexes: readonly (number | undefined)[],
): Piece[] {
  const kept = new Set(oldIndexes)
  const present = new Set(now.flatMap(({ item }) => (item === undefined ? [] : [itemIdentity(item)])))
  const groups: ShownItem[][] = []
  let partCount = 0
  for (const [index, { item }] of before.entries()) {
    if (kept.has(index)) continue
    if (item === undefined) partCount++
    else if (!present.has(itemIdentity(item))) {
      const group = groups.at(-1)
      const last = group?.at(-1)
      if (last?.listName === item.listName && last.index + 1 === item.index) group?.push(item)
      else groups.push([item])
    }
  }
  return [
    ...(partCount > 0 ? [{ text: `… (${partCount} earlier parts replaced or removed)` }] : []),
    ...groups.map((group) => ({ text: `… (${goneText(group)})` })),
  ]
}

const GONE_CHARS_MAX = 60 // of what an item said

function goneText(group: readonly ShownItem[]): string {
  const [only] = group
  if (group.length > 1 || only === undefined) return `${rangeText(group)} are no longer shown`
  const [head = ''] = only.body.split('\n')
  const said = head.length > GONE_CHARS_MAX ? `${head.slice(0, GONE_CHARS_MAX).replace(/\\$/, '')}…` : head
  return `${only.name} is no longer shown: ${said}`
}

function rangeText(items: readonly ShownItem[]): string {
  const first = items[0]?.name ?? ''
  const last = items.at(-1)?.name ?? ''
  return first === last ? first : `${first} to ${last}`
}
