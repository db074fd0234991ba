/** A word of a script line, and the column (from 1) where it starts. */
export interface ScriptWord {
  readonly text: string
  readonly column: number
}

export class WordError extends Error {
  readonly column: number

  constructor(message: string, column: number) {
    super(message)
    this.column = column
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  e: '\u001b',
  '"': '"',
  '\\': '\\',
}

/**
 * Splits a line of a batch script into words, as a shell would: blanks between them, 'single quotes' as they are,
 * "double quotes" with \n \r \t \e \" \\ \u{hex}, a backslash before any other character, # for the rest of the line.
 */
export function scriptWords(line: string): ScriptWord[] {
  const words: ScriptWord[] = []
  let at = 0
  for (;;) {
    while (line[at] === ' ' || line[at] === '\t') at++
    if (at >= line.length || line[at] === '#') return words
    const column = at + 1
    let text = ''
    while (at < line.length && line[at] !== ' ' && line[at] !== '\t') {
      const [part, next] = readPart(line, at)
      text += part
      at = next
    }
    words.push({ text, column })
  }
}

/** One character, or one quoted stretch, and where it ends. */
function readPart(line: string, at: number): [text: string, next: number] {
  const first = line[at]
  if (first === "'") {
    const end = line.indexOf("'", at + 1)
    if (end < 0) throw new WordError("this ' has no other", at + 1)
    return [line.slice(at + 1, end), end + 1]
  }
  if (first === '"') return readQuoted(line, at)
  if (first !== '\\') return [first ?? '', at + 1]
  if (at + 1 >= line.length) throw new WordError('a \\ needs a character after it', at + 1)
  return [line[at + 1] ?? '', at + 2]
}

function readQuoted(line: string, start: number): [text: string, next: number] {
  let text = ''
  for (let at = start + 1; at < line.length;) {
    const character = line[at]
    if (character === '"') return [text, at + 1]
    if (character !== '\\') {
      text += character
      at++
      continue
    }
    const unicode = /^\\u\{([0-9a-fA-F]{1,6})\}/.exec(line.slice(at))
    const code = parseInt(unicode?.[1] ?? '', 16)
    const simple = ESCAPES[line[at + 1] ?? '']
    if (unicode !== null && code <= 0x10ffff) {
      text += String.fromCodePoint(code)
      at += unicode[0].length
    } else if (simple !== undefined) {
      text += simple
      at += 2
    } else {
      const escapes = '\\n \\r \\t \\e \\" \\\\ \\u{hex}'
      throw new WordError(`in double quotes there are ${escapes} and no other escape`, at + 1)
    }
  }
  throw new WordError('this " has no other', start + 1)
}
