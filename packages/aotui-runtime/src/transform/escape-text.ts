/**
 * The only ways by which an app's text reaches the agent. Whatever the text is, it cannot become a tag (`<` is always
 * written as an entity), a ref (brackets are escaped, so no link can form) or a heading (line starts are escaped).
 */

// Characters that a reader does not see but a model does: zero-width, bidirectional controls, fillers, tag characters
// and the supplementary variation selectors, all of which can carry hidden instructions.
const INVISIBLE =
  // oxlint-disable-next-line no-misleading-character-class -- single code points, each to be removed by itself
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffc]|[\u{e0000}-\u{e0fff}]|[\u{1d173}-\u{1d17a}]|[\u{f0000}-\u{10ffff}]/gu
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g
const PLAIN = /^[A-Za-z0-9 ,.:;?'"/=+()-]*$/

/** One paragraph, heading or item line; what is longer is cut and says by how much. */
export const BLOCK_CHARS_MAX = 20_000

export function cleanText(text: string): string {
  if (PLAIN.test(text)) return text
  return text.replaceAll(LONE_SURROGATE, '\ufffd').replaceAll(INVISIBLE, '')
}

/** Text inside a line: white space collapsed, everything that Markdown reads as structure escaped. */
export function escapeInline(text: string): string {
  // Cut first: a megabyte costs a tenth of a second to escape, and an app may have many.
  const clean = cleanText(cutText(text)).replaceAll(/[\s\u2028\u2029]+/g, ' ')
  if (PLAIN.test(clean)) return clean
  return clean
    .replaceAll(/[\\`*[\]|]/g, String.raw`\$&`)
    .replaceAll(/~(?=~)|(?<=~)~/g, String.raw`\~`)
    .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\_`)
    .replaceAll(/&(?=[#A-Za-z])/g, '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('](', String.raw`]\(`)
}

/** A line of already escaped text, made safe to stand at the start of a line. */
export function escapeLineStart(line: string): string {
  // Most lines begin with a letter, and five patterns per line would be most of a transform.
  if (!/^[#+\-=>\d]/.test(line)) return line
  return line
    .replace(/^(#{1,6})(?=\s|$)/, String.raw`\$1`)
    .replace(/^([-+])(?=\s|$)/, String.raw`\$1`)
    .replace(/^(=+|-+)(?=\s*$)/, String.raw`\$1`)
    .replace(/^>/, String.raw`\>`)
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, String.raw`$1\$2`)
}

export function cutText(text: string, charsMax: number = BLOCK_CHARS_MAX): string {
  if (text.length <= charsMax) return text
  // Not in the middle of an escape or a character: a backslash at the cut would escape what follows.
  const cut = text.slice(0, charsMax).replace(/[\\\ud800-\udbff&][\w#]*$/, '')
  return `${cut}… (+${text.length - cut.length} characters)`
}

/** Code is shown as it is, except that it may hold neither a tag nor a link, not even inside a fence. */
export function codeText(text: string): string {
  return cleanText(text).replaceAll(/\r\n?/g, '\n').replaceAll('<', '&lt;').replaceAll('](', ']&#40;')
}

export function codeSpan(text: string): string {
  const code = codeText(cutText(text)).replaceAll(/\s+/g, ' ').trim()
  if (code === '') return ''
  const fence = '`'.repeat(longestRun(code, '`') + 1)
  const gap = code.startsWith('`') || code.endsWith('`') ? ' ' : ''
  return `${fence}${gap}${code}${gap}${fence}`
}

/** A fence longer than any run of backticks inside it. */
export function codeBlock(text: string, language: string): string[] {
  const cut = codeText(cutText(text)).replace(/^\n/, '').trimEnd()
  const fence = '`'.repeat(Math.max(3, longestRun(cut, '`') + 1))
  const info = /^[A-Za-z0-9+#.-]{1,30}$/.test(language) ? language : ''
  return [`${fence}${info}`, ...cut.split('\n'), fence]
}

/** For the attributes of the tags that the desktop writes. */
export function escapeAttribute(text: string): string {
  if (text.length <= ATTRIBUTE_CHARS_MAX && SINGLE_WORDS.test(text)) return text
  return cleanText(text.slice(0, ATTRIBUTE_CHARS_MAX))
    .replaceAll(/[\s\u2028\u2029]+/g, ' ')
    .trim()
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('](', ']&#40;')
}

const ATTRIBUTE_CHARS_MAX = 200 // a name; longer ones are not names
const SINGLE_WORDS = /^[\w.:-]+(?: [\w.:-]+)*$/

function longestRun(text: string, char: string): number {
  let longest = 0
  let run = 0
  for (const one of text) {
    run = one === char ? run + 1 : 0
    if (run > longest) longest = run
  }
  return longest
}
