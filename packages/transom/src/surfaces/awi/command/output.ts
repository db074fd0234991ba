import type { AwiCommand } from '@transom/protocol'

/**
 * One JSON value. What JSON leaves as it is but a terminal obeys (C1 controls) or displays wrongly (changes of writing
 * direction) is escaped: the text may come from any page.
 */
export function jsonText(value: unknown, isPretty: boolean): string {
  return JSON.stringify(value, null, isPretty ? 2 : undefined).replaceAll(UNSAFE, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** The one thing in a result: a screen's lines, a title. Empty if the result is only that it worked. */
export function plainText({ plain }: Pick<AwiCommand, 'plain'>, result: unknown): string {
  if (typeof result !== 'object' || result === null) return safeText(String(result))
  const value = plain === null ? undefined : (result as Record<string, unknown>)[plain]
  if (Array.isArray(value)) return value.map((line) => plainLine(line)).join('\n')
  if (value !== undefined) return safeText(typeof value === 'string' ? value : JSON.stringify(value))
  return Object.entries(result)
    .filter(([name]) => name !== 'ok')
    .map(([name, it]) => `${name}: ${safeText(typeof it === 'string' ? it : JSON.stringify(it))}`)
    .join('\n')
}

/** Each line without blanks at its end. Colours (SGR) after the last character count as blank. */
export function withTrimmedLines(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || !('lines' in result) || !Array.isArray(result.lines))
    return result
  const lines = result.lines.map((line: unknown) => (typeof line === 'string' ? trimmed(line) : line))
  return { ...result, lines }
}

function trimmed(line: string): string {
  const blanks = /(?:\s|\u001b\[[\d;:]*m)+$/.exec(line)
  if (blanks === null) return line
  const codes = blanks[0].replaceAll(/\s/g, '')
  // A colour that was switched on must not run into the next line.
  return line.slice(0, blanks.index) + (codes === '' ? '' : '\u001b[0m')
}

/** A link or another row of a list is shown by its values; a line as it is. */
function plainLine(line: unknown): string {
  if (typeof line !== 'object' || line === null) return safeText(String(line))
  return Object.values(line)
    .map((value) => safeText(typeof value === 'string' ? value : JSON.stringify(value)))
    .join('\t')
}

/** C0 but for line feed, DEL and C1; marks that change the direction of what follows. */
const CONTROLS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
const COLOUR = /\u001b\[[\d;:]*m/g

/** Text that may go to a terminal: of all control sequences, colours alone. */
export function safeText(text: string): string {
  let safe = ''
  let from = 0
  for (const { index, 0: colour } of text.matchAll(COLOUR)) {
    safe += text.slice(from, index).replaceAll(CONTROLS, '') + colour
    from = index + colour.length
  }
  return safe + text.slice(from).replaceAll(CONTROLS, '')
}
