import { AotuiError } from '../contract/aotui-error.ts'
import type { Piece } from './compose-fragment.ts'
import { joinSections, type Section } from './compose-desktop.ts'

const CUT_NOTE = '… (cut to fit; page through lists or hide views to see more)'

/**
 * Cuts views from their ends until everything fits into `charsMax`. Tags, logs and operations stay; a ref that was cut
 * is not part of the snapshot, because the agent did not see it.
 */
export function fitSections(sections: readonly Section[], charsMax: number): Section[] {
  if (joinSections(sections).length <= charsMax) return [...sections]
  const frame = sections.map((section) =>
    section.viewId === undefined ? section : { ...section, pieces: [{ text: CUT_NOTE }] },
  )
  const frameChars = joinSections(frame).length
  if (frameChars > charsMax) {
    throw new AotuiError(
      'E_INVALID_CMD',
      `max_chars is ${charsMax}, and this desktop needs at least ${frameChars}`,
      {
        reason: 'max_chars_too_small',
        needed: frameChars,
      },
    )
  }
  let left = charsMax - frameChars
  let viewsLeft = sections.filter((section) => section.viewId !== undefined).length
  return sections.map((section) => {
    if (section.viewId === undefined) return section
    // Each view gets its share of what is left; what one does not need goes to those after it.
    const budget = Math.floor(left / viewsLeft--)
    const { pieces, usedChars } = takePieces(section.pieces, budget)
    left -= usedChars
    return { ...section, pieces }
  })
}

function takePieces(pieces: readonly Piece[], budget: number): { pieces: Piece[]; usedChars: number } {
  const taken: Piece[] = []
  let usedChars = 0
  for (const piece of pieces) {
    const cost = piece.text.length + 1
    if (usedChars + cost > budget) return { pieces: [...taken, { text: CUT_NOTE }], usedChars }
    taken.push(piece)
    usedChars += cost
  }
  return { pieces: taken, usedChars }
}

/** Only what differs from an earlier snapshot: views that did not change are named, lines that did not are counted. */
export function deltaSections(sections: readonly Section[], before: readonly Section[]): Section[] {
  const known = new Map(before.map((section) => [sectionKey(section), section]))
  return sections.map((section) => {
    const old = known.get(sectionKey(section))
    if (old === undefined || section.open === '') return section
    const pieces = deltaPieces(section.pieces, old.pieces)
    const last = samePieces(section.last, old.last) ? [] : section.last
    if (pieces.length === 0 && last.length === 0)
      return { ...section, open: section.open.replace('>', ' unchanged="true">'), pieces, last }
    return { ...section, open: section.open.replace('>', ' delta="true">'), pieces, last }
  })
}

function sectionKey(section: Section): string {
  return section.viewId ?? section.open
}

function deltaPieces(now: readonly Piece[], before: readonly Piece[]): Piece[] {
  const lengthMin = Math.min(now.length, before.length)
  let head = 0
  while (head < lengthMin && now[head]?.text === before[head]?.text) head++
  let tail = 0
  while (
    tail < lengthMin - head &&
    now[now.length - 1 - tail]?.text === before[before.length - 1 - tail]?.text
  )
    tail++
  if (head === now.length && head === before.length) return []
  const removedCount = before.length - head - tail
  const middle = now.slice(head, now.length - tail)
  return [
    ...(head === 0 ? [] : [{ text: `… (${head} parts above are unchanged)` }]),
    ...middle,
    ...(removedCount > 0 ? [{ text: `… (in place of ${removedCount} parts before)` }] : []),
    ...(tail === 0 ? [] : [{ text: `… (${tail} parts below are unchanged)` }]),
  ]
}

function samePieces(a: readonly Piece[], b: readonly Piece[]): boolean {
  return a.length === b.length && a.every((piece, index) => piece.text === b[index]?.text)
}
