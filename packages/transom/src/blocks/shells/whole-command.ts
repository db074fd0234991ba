/**
 * Whether a text is, beyond doubt, a list of commands of bash that waits for nothing more: every quote, bracket and
 * loop that it opens is closed, and nothing at its end goes on in the next line. A shell that got any other text to
 * read would sit there and wait for the rest. What is not understood here (`case`, functions, heredocs, backticks) is
 * in doubt.
 */
export function isWholeCommand(text: string): boolean {
  if (text.length > WHOLE_CHARS_MAX || ODD.test(text)) return false
  return new CommandScanner(text).isWhole()
}

/** Longer ones are scripts; they need not be scanned for this. */
const WHOLE_CHARS_MAX = 16 << 10
/** Control characters, and the arithmetic of old, which quotes do not end. */
const ODD = /[\u0000-\u0008\u000b-\u001f\u007f]|\$\[/

/** Words that open what another word must close. Wherever they stand: an argument that looks like one is a doubt. */
const CLOSED_BY: Readonly<Record<string, string>> = {
  if: 'fi',
  for: 'done',
  while: 'done',
  until: 'done',
  case: 'esac',
  '{': '}',
  '[[': ']]',
}
const CLOSING = ['fi', 'done', 'esac', '}', ']]']
/** What a command may follow, and so what closes the one around it. */
const BEFORE_COMMAND = [
  '',
  ';',
  '&',
  '|',
  '||',
  '&&',
  '\n',
  ';;',
  'then',
  'do',
  'else',
  'fi',
  'done',
  'esac',
  '{',
  '}',
  '!',
]
const IN_DOUBT = ['function', 'select', 'coproc']
/** What may be an element of an array, and is not closed in the same word. */
const OPEN_SUBSCRIPT = /^\w+\[(?![^[\]]*\])/
/** Where a shell does not take comments, this is harmless, too. */
const HARMLESS_COMMENT = /^#[\w\s.,:=/+-]*$/
const OPERATOR = /\|\||&&|\|&|;;&?|;&|[;&|\n]/y
/** A command must follow these, on the next line if need be. */
const UNFINISHED = ['|', '|&', '||', '&&']
/** Of a function whose body opens at once. */
const FUNCTION_HEAD = /\(\s*\)\s*(?=\{\s)/y
/** A parameter in braces without anything in it that could hold a brace. */
const PLAIN_PARAMETER = /\$\{[^'"`\\{}()<\n]*\}/y
const SINGLE_QUOTED = /'[^']*'/y
/** A substitution that can stand between quotes: nothing in it hides its bracket. */
const PLAIN_SUBSTITUTION = /\$\((?:[^'"`\\(){}<#\n]*|\([\w\s$+*/%=!<>&|^~?:,-]*\))\)/y
const ANSI_QUOTED = /\$'(?:[^'\\]|\\[^])*'/y

class CommandScanner {
  readonly #text: string
  #at = 0
  #word = ''
  /** The last word or operator; empty at the start of a list. */
  #last = ''
  readonly #open: string[] = []

  constructor(text: string) {
    this.#text = text
  }

  isWhole(): boolean {
    while (this.#at < this.#text.length) if (!this.#step()) return false
    return this.#endWord() && this.#open.length === 0 && !UNFINISHED.includes(this.#last)
  }

  /** Takes one piece; returns false if its meaning is in doubt. */
  #step(): boolean {
    const char = this.#text.charAt(this.#at)
    const operator = this.#take(OPERATOR)
    if (operator !== null) return this.#operator(operator)
    if (char === ' ' || char === '\t') return this.#endWord(1)
    if (char === '#' && this.#word === '') return this.#comment()
    if (char === '(') return this.#openBracket()
    if (char === ')') return this.#closeBracket()
    if (char === '"') return this.#doubleQuoted()
    if (char === "'") return this.#part(SINGLE_QUOTED)
    if (char === '`' || this.#isHeredoc()) return false
    if (char === '\\') return this.#escaped()
    if (char === '$') return this.#dollar()
    this.#word += char
    this.#at++
    return true
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at
    return pattern.exec(this.#text)?.[0] ?? null
  }

  #part(pattern: RegExp): boolean {
    const found = this.#take(pattern)
    if (found === null) return false
    this.#word += found
    this.#at += found.length
    return true
  }

  #escaped(): boolean {
    const next = this.#text.charAt(this.#at + 1)
    if (next === '' || next === '\n') return false
    this.#word += `\\${next}`
    this.#at += 2
    return true
  }

  #dollar(): boolean {
    const next = this.#text.charAt(this.#at + 1)
    if (next === "'") return this.#part(ANSI_QUOTED)
    if (next === '{') return this.#part(PLAIN_PARAMETER)
    this.#word += '$'
    this.#at++
    return true
  }

  /** `<<` opens a text of lines; `<<<` a word. */
  #isHeredoc(): boolean {
    if (!this.#text.startsWith('<<', this.#at)) return false
    if (!this.#text.startsWith('<<<', this.#at)) return true
    this.#word += '<<'
    this.#at += 2
    return false
  }

  #doubleQuoted(): boolean {
    this.#word += '"'
    this.#at++
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at)
      if (char === '`' || this.#text.startsWith('$(', this.#at)) return this.#substitutionInQuotes()
      if (char === '\\') this.#at++
      else if (this.#text.startsWith('${', this.#at)) {
        if (!this.#part(PLAIN_PARAMETER)) return false
        continue
      }
      this.#at++
      if (char === '"') return true
    }
    return false
  }

  /** A plain `$(…)` only: within, quotes would begin anew. */
  #substitutionInQuotes(): boolean {
    if (!this.#part(PLAIN_SUBSTITUTION)) return false
    this.#at-- // the rest is read like what begins with a quote
    return this.#doubleQuoted()
  }

  #comment(): boolean {
    const end = this.#text.indexOf('\n', this.#at)
    const comment = this.#text.slice(this.#at, end < 0 ? undefined : end)
    this.#at += comment.length
    return HARMLESS_COMMENT.test(comment)
  }

  /** `()` makes a function of what follows, on the next line if need be. */
  #openBracket(): boolean {
    const head = this.#take(FUNCTION_HEAD)
    if (head !== null) return this.#endWord(head.length, ';')
    if (/^\(\s*\)/.test(this.#text.slice(this.#at)) || !this.#endWord(1)) return false
    this.#open.push(')')
    this.#last = ''
    return true
  }

  #closeBracket(): boolean {
    if (!this.#endWord(1) || UNFINISHED.includes(this.#last)) return false
    const isOfPattern = this.#open.at(-1) === 'esac'
    this.#last = isOfPattern ? ';' : ')'
    return isOfPattern || this.#open.pop() === ')'
  }

  #operator(operator: string): boolean {
    const isOfRedirection = /[<>]$/.test(this.#word) && /^[&|]$/.test(operator)
    if (!this.#endWord(operator.length)) return false
    if (isOfRedirection) {
      this.#last = '>'
      return true
    }
    const isEmpty = ['', ';', '&', '|', '|&', '||', '&&', '\n'].includes(this.#last)
    if (operator === '\n') {
      if (!isEmpty) this.#last = '\n'
      return true
    }
    if (/^;[;&]/.test(operator)) {
      this.#last = ';;'
      return this.#open.at(-1) === 'esac'
    }
    this.#last = operator
    // In ((…)) brackets these mean something else, and a line cannot continue after them.
    return !isEmpty || this.#open.includes(')')
  }

  /** Ends the word that was being read, and skips so many characters. */
  #endWord(skip = 0, operator?: string): boolean {
    const [word, before] = [this.#word, this.#last]
    this.#at += skip
    this.#word = ''
    this.#last = operator ?? (word === '' ? before : word)
    if (word === '') return true
    if (IN_DOUBT.includes(word) || OPEN_SUBSCRIPT.test(word)) return false
    const startsCommand = BEFORE_COMMAND.includes(before)
    const closedBy = Object.hasOwn(CLOSED_BY, word) ? CLOSED_BY[word] : undefined
    if (closedBy !== undefined) this.#open.push(closedBy)
    if (!CLOSING.includes(word)) return true
    // A `case` has patterns where others have commands, and a pattern may go on in the next line.
    const mayClose = word === ']]' || (startsCommand && !UNFINISHED.includes(before))
    return mayClose && this.#open.pop() === word
  }
}
