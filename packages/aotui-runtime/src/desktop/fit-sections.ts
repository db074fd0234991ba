import { AotuiError } from '../contract/aotui-error.ts'
import type { Piece } from './shown-piece.ts'
import { joinedChars, type Section } from './compose-desktop.ts'

const CUT_NOTE = '… (cut to fit; page through lists or hide views to see more)'
const CUT_OPERATIONS_NOTE = '… (operations cut to fit)'

/**
 * Cuts views until everything fits into `charsMax`: first what they show, from the end, then their operations. Tags and
 * logs stay. A ref that was cut is not part of the snapshot, because the agent did not see it.
 */
export function fitSections(sections: readonly Section[], charsMax: number): readonly Section[] {
  if (joinedChars(sections) <= charsMax) return sections
  const frame = sections.map((section) => {
    if (section.viewId === undefined) return section
    const last = section.last.length === 0 ? [] : [{ text: CUT_OPERATIONS_NOTE }]
    return { ...section, pieces: [{ text: CUT_NOTE }], last }
  })
  const frameChars = joinedChars(frame)
  if (frameChars > charsMax) {
    throw new AotuiError(
      'E_INVALID_CMD',
      `max_chars is ${charsMax}, and this desktop needs at least ${frameChars}`,
      { reason: 'max_chars_too_small', needed: frameChars },
    )
  }
  const budgets = shareOut(sections, charsMax - frameChars)
  return sections.map((section) => {
    const budget = budgets.get(section)
    if (budget === undefined) return section
    const operations = takePieces(section.last, budget, CUT_OPERATIONS_NOTE)
    const body = takePieces(section.pieces, budget - operations.usedChars, CUT_NOTE)
    return { ...section, pieces: body.pieces, last: operations.pieces }
  })
}

/** Every view gets an equal share, and what the short ones do not need goes to the long ones. */
function shareOut(sections: readonly Section[], chars: number): Map<Section, number> {
  const views = sections.filter((section) => section.viewId !== undefined)
  const needs = new Map(views.map((view) => [view, piecesChars(view.pieces) + piecesChars(view.last)]))
  const budgets = new Map<Section, number>()
  let left = chars
  let viewsLeft = views.length
  for (const view of views.toSorted((a, b) => (needs.get(a) ?? 0) - (needs.get(b) ?? 0))) {
    const budget = Math.min(needs.get(view) ?? 0, Math.floor(left / viewsLeft--))
    budgets.set(view, budget)
    left -= budget
  }
  return budgets
}

function piecesChars(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + piece.text.length + 1, 0)
}

/** The least that a desktop can be cut to. */
export function neededChars(error: unknown): number | undefined {
  if (!(error instanceof AotuiError) || error.data['reason'] !== 'max_chars_too_small') return undefined
  return Number(error.data['needed'])
}

function takePieces(
  pieces: readonly Piece[],
  budget: number,
  note: string,
): { pieces: readonly Piece[]; usedChars: number } {
  const taken: Piece[] = []
  let usedChars = 0
  for (const piece of pieces) {
    const cost = piece.text.length + 1
    if (usedChars + cost > budget) return { pieces: [...taken, { text: note }], usedChars }
    taken.push(piece)
    usedChars += cost
  }
  return { pieces, usedChars }
}
