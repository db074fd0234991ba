import { RE2JS } from 're2js'
import { OpError } from '@transom/protocol/errors'
import { messageOf } from './system-error.ts'

/** Matches in time that is linear in the text. */
export type Pattern = RE2JS

/**
 * RE2 is linear in the text, but each character may take a step for each instruction. The largest pattern of this size
 * compiles within some milliseconds.
 */
const INSTRUCTIONS_MAX = 1500
/** The estimate counts more than the compiler makes, for a counted repetition up to twice as much. */
const ESTIMATE_MAX = 2 * INSTRUCTIONS_MAX
/** A Unicode class is one instruction made of hundreds of ranges, which are sorted and folded. */
const UNICODE_CLASS_COST = 30
/** Instructions × characters. A step takes 13 to 35 ns: this is about a quarter of a second at worst. */
const STEPS_MAX = 7_000_000

/** Compiles an RE2 pattern (ADR 006) of a caller's; `^` and `$` match at line ends. Throws `bad_pattern`. */
export function compilePattern(pattern: string): Pattern {
  // Estimated first: compiling `x{1000}` five hundred times over takes seconds and hundreds of megabytes.
  if (estimatedSize(pattern) > ESTIMATE_MAX) throw tooLarge(pattern)
  let compiled: Pattern
  try {
    compiled = RE2JS.compile(pattern, RE2JS.MULTILINE)
  } catch (error) {
    const message = `cannot use the pattern ${quoted(pattern)}: ${messageOf(error)}; look-around and back-references are not supported`
    throw new OpError('bad_pattern', message, { pattern }, { cause: error })
  }
  if (compiled.programSize() > INSTRUCTIONS_MAX) throw tooLarge(pattern)
  return compiled
}

/** Throws `bad_pattern` if looking for a pattern in so much text could hold up every session of a host. */
export function checkSteps(compiled: Pattern, chars: number): void {
  if (compiled.programSize() * chars <= STEPS_MAX) return
  const pattern = compiled.pattern()
  throw badPattern(pattern, `it takes too long on a screen with ${chars} characters; use a simpler one`)
}

export function badPattern(pattern: string, why: string): OpError {
  return new OpError('bad_pattern', `cannot use the pattern ${quoted(pattern)}: ${why}`, { pattern })
}

function tooLarge(pattern: string): OpError {
  return badPattern(pattern, 'it is too large with all of its repetitions; use a simpler one')
}

const QUOTED_CHARS_MAX = 200

function quoted(pattern: string): string {
  return JSON.stringify(
    pattern.length <= QUOTED_CHARS_MAX ? pattern : `${pattern.slice(0, QUOTED_CHARS_MAX)}…`,
  )
}

/** A part of a pattern: an escape, a class, a repetition, or one character. */
const PART =
  /\\[pP](?:\{[^}]*\}|.)|\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]?|\{(\d+)(?:,(\d*))?\}|\(\?[^:)]*:?|[^]/gsu

/** About how many instructions a pattern compiles to, by its repetitions: never much less than that. */
function estimatedSize(pattern: string): number {
  /** The sizes of the open groups, the innermost last. */
  const outer: number[] = []
  let size = 0
  let last = 0 // the part that a repetition would repeat; not yet in `size`
  for (const [part, from, to] of pattern.matchAll(PART)) {
    if (from !== undefined) {
      last = (last + 1) * Math.max(1, Number(from), Number(to || 0))
    } else if (part.startsWith('(')) {
      outer.push(size + last)
      size = last = 0
    } else if (part === ')') {
      last += size + 2
      size = outer.pop() ?? 0
    } else {
      size += last
      last = 1 + unicodeClasses(part) * UNICODE_CLASS_COST
    }
  }
  return outer.reduce((sum, open) => sum + open, size + last)
}

function unicodeClasses(part: string): number {
  return part.length < 3 ? 0 : (part.match(/\\[pP]/g)?.length ?? 0)
}
