/**
 * How long answers are. About four characters make a token of English text or program output. A tool answers in two
 * forms, as text and as structured content, and some clients give both to the model: 8,000 characters are the two
 * thousand tokens that an answer may take unless the caller asks for more. The limits below leave a tenth of them for
 * marks and for what JSON escapes, a line break in every short line.
 */
export const CHARS_PER_TOKEN = 4
/** In each form: what a session shows, or what a command has printed. */
export const CONTENT_CHARS_DEFAULT = 2800
/** In each form: the names and numbers around it. */
const FRAME_CHARS_MAX = 800
/** What a caller may ask for: clients refuse answers of more than 25,000 tokens, in both forms. */
export const CONTENT_CHARS_MAX = 40_000

/** The answer with everything cut that makes it too long: texts in their middle, lists at their end. */
export function fitted(value: unknown, contentChars: number): unknown {
  const charsMax = contentChars + FRAME_CHARS_MAX
  let fit = value
  // Halves what one text or list may have until all of them fit. At the last limit nothing is left but the frame.
  for (let limit = contentChars; sizeOf(fit) > charsMax && limit >= 1; limit /= 2) fit = cut(value, limit)
  return fit
}

/** A text of at most so many characters, and the mark that shows the cut: its head and tail. */
export function shortened(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text
  const half = Math.floor(charsMax / 2)
  const omitted = text.length - 2 * half
  return `${text.slice(0, half)}[… ${omitted} characters left out …]${half === 0 ? '' : text.slice(-half)}`
}

/** How many of the items fit, one after the other; at least one, so that a page always leads further. */
export function countFitting(items: readonly unknown[], charsMax: number): number {
  let chars = 0
  const index = items.findIndex((item) => (chars += sizeOf(item) + 1) > charsMax)
  return index < 0 ? items.length : Math.max(1, index)
}

/** The length as JSON, without what escapes add. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (Array.isArray(value)) return value.reduce((sum: number, part) => sum + sizeOf(part) + 1, 2)
  if (typeof value !== 'object' || value === null) return String(value).length
  return Object.entries(value).reduce((sum, [key, part]) => sum + key.length + 4 + sizeOf(part), 2)
}

/** A list item takes about so many characters: lists get shorter at the pace of texts. */
const ITEM_CHARS = 40

function cut(value: unknown, limit: number): unknown {
  if (typeof value === 'string') return shortened(value, limit)
  if (Array.isArray(value)) return value.map((part) => cut(part, limit))
  if (typeof value !== 'object' || value === null) return value
  const itemsMax = Math.ceil(limit / ITEM_CHARS)
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) => {
      if (!Array.isArray(part) || part.length <= itemsMax) return [[key, cut(part, limit)]]
      return [
        [key, cut(part.slice(0, itemsMax), limit)],
        [`omitted_${key}`, part.length - itemsMax],
      ]
    }),
  )
}
