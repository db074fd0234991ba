/**
 * What a caller can do about an error, in no surface's words: `details.next` of an OpError. Each surface words it by its
 * own names, and leaves out what it does not offer. `details.quote` is text in an error that a program or a page has
 * chosen: a surface shows it as such, and no message contains it.
 *
 * No zod here: the CLI bundles this file.
 */
export type NextStep =
  /** An operation to call. A parameter that is not given is the caller's to choose. */
  | { readonly call: string; readonly params: Readonly<Record<string, unknown>>; readonly does: string }
  /** Parameters to set: of the same call, or of the operation `of`. Null where the value is the caller's to choose. */
  | { readonly set: Readonly<Record<string, unknown>>; readonly of?: string; readonly does: string }

/** A step in the words of a surface; null if the surface does not offer it. */
export type SpellStep = (step: NextStep) => string | null

/** Longer than a dialog or prompt that a person reads; a page may open one of any length. */
const QUOTE_CHARS_MAX = 500

/** Details of an error with what to do next. */
export function next(...steps: readonly NextStep[]): { next: readonly NextStep[] } {
  return { next: steps }
}

/** Details of an error with a text that a program or a page has chosen. Empty for an empty text. */
export function quote(text: string): { quote?: string } {
  if (text.trim() === '') return {}
  return { quote: text.length > QUOTE_CHARS_MAX ? `${text.slice(0, QUOTE_CHARS_MAX)}…` : text }
}

/** What to do next, in the words of a surface. */
export function spelledSteps(details: Readonly<Record<string, unknown>>, spell: SpellStep): string[] {
  const steps: unknown[] = Array.isArray(details['next']) ? details['next'] : []
  return steps.filter(isNextStep).flatMap((step) => spell(step) ?? [])
}

/** The message of an error for a surface that shows one line of text: with the quote, and with what to do next. */
export function fullMessage(
  { message, details }: { message: string; details: Readonly<Record<string, unknown>> },
  spell: SpellStep,
): string {
  const quoted = typeof details['quote'] === 'string' ? `: ${JSON.stringify(details['quote'])}` : ''
  return [`${message}${quoted}`, ...spelledSteps(details, spell)].join('; ')
}

/** A step by the names of the operation table, for JSON-RPC and HTTP. */
export function spellOperation(step: NextStep): string {
  if ('set' in step) return `${step.does} with ${spelledParams(step.set)}`
  const params = Object.keys(step.params).length === 0 ? '' : ` ${JSON.stringify(step.params)}`
  return `${step.call}${params} ${step.does}`
}

/** Parameters as JSON has them; only the name of one whose value is the caller's to choose. */
export function spelledParams(params: Readonly<Record<string, unknown>>): string {
  return Object.entries(params)
    .map(([name, value]) => (value === null ? name : `${name}: ${JSON.stringify(value)}`))
    .join(', ')
}

/** A host of another version may send other steps. */
function isNextStep(value: unknown): value is NextStep {
  if (typeof value !== 'object' || value === null || !('does' in value) || typeof value.does !== 'string')
    return false
  if ('set' in value) return isRecord(value.set)
  return 'call' in value && typeof value.call === 'string' && 'params' in value && isRecord(value.params)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
