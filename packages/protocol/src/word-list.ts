import type { z } from 'zod'

/** Enough of a value to recognise it. */
const EXAMPLE_CHARS_MAX = 200

/** What is said of a text where a list of words is taken: the list that it should have been. */
export function notAList(
  corrected: (text: string) => readonly string[],
): (issue: z.core.$ZodRawIssue) => string | undefined {
  return ({ code, input }) => {
    if (code !== 'invalid_type' || typeof input !== 'string') return undefined
    const words = JSON.stringify(corrected(input))
    return words.length > EXAMPLE_CHARS_MAX
      ? 'is a list of words, not a text'
      : `is a list of words, not a text: give ${words}`
  }
}
