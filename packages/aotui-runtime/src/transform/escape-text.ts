import { TEXT_CHARS_MAX } from '../contract/limits.ts'

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
const BLOCK_CHARS_MAX = 20_000

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

/** Whole lines of escaped text, as many as one chunk may hold. */
export function cutLines(text: string): string {
  if (text.length <= TEXT_CHARS_MAX) return text
  const kept = text.slice(0, text.lastIndexOf('\n', TEXT_CHARS_MAX))
  return `${kept}\n… (+${text.length - kept.length} characters)`
}

export function codeSpan(text: string): string {
  const code = cleanText(cutText(text))
    .replaceAll(/[\s\u2028\u2029]+/g, ' ')
    .trim()
    .replaceAll('<', '&lt;')
    .replaceAll('](', ']&#40;')
  if (code === '') return ''
  const fence = '`'.repeat(longestRun(code, '`') + 1)
  const gap = code.startsWith('`') || code.endsWith('`') ? ' ' : ''
  return `${fence}${gap}${code}${gap}${fence}`
}

/**
 * Lines of a fence that is longer than any run of backticks inside it. The code is verbatim, but for what a reader that
 * does not know of fences would take for the desktop's own tags and refs.
 */
export function codeBlock(text: string, language: string): string[] {
  const code = cleanText(text)
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/^\n/, '')
    .trimEnd()
    .replaceAll(DESKTOP_TAG, '&lt;')
    .replaceAll(DESKTOP_REF, ']&#40;')
  const fence = '`'.repeat(Math.max(3, longestRun(code, '`') + 1))
  const info = /^[A-Za-z0-9+#.-]{1,30}$/.test(language) ? language : ''
  return [`${fence}${info}`, ...code.split('\n'), fence]
}

const DESKTOP_TAG = /<(?=\s*\/?\s*(?:desktop|application|view|context|operation_log|app_log)\b)/gi
const DESKTOP_REF = /\]\((?=\s*(?:operation|item|list|entity|application)\s*:)/gi

/**
 * Markdown that an app process claims to have escaped, made safe whatever it holds: no tag, no link but one to an
 * entity, no definition, no fence. Text that was escaped rightly is returned as it is.
 */
export function safeMarkdown(text: string): string {
  if (!UNSAFE.test(text)) return text
  return cleanText(text)
    .replaceAll(/[\r\u2028\u2029]/g, ' ')
    .replaceAll('<', '&lt;')
    .replaceAll(FORGED_LINK, ']\\')
    .replaceAll(FENCE, String.raw`$1\$2`)
    .replace(/(?<!\\)((?:\\\\)*)\\$/, '$1')
}

/** The same for text that is to stand in one line. */
export function safeLine(text: string): string {
  return safeMarkdown(text.includes('\n') ? text.replaceAll('\n', ' ') : text)
}

const FORGED_LINK = /\](?=[(:[])(?!\(entity:[A-Za-z_][\w.-]{0,99}\))/g
/** A line that opens a fence; one with backticks further on is a code span. */
const FENCE = /^([ \t]*)(`{3,}(?=[^`\n]*$)|~{3,})/gm
/** Whatever might need `safeMarkdown`: most lines hold nothing of it. */
const UNSAFE =
  // oxlint-disable-next-line no-misleading-character-class -- single code points, as in INVISIBLE
  /[<\r\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff9-\ufffc]|\][(:[]|```|~~~|\\$/

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
