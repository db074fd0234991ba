/** What is wrong with the parameters of a request, in words. A parameter's name is in backticks (ADR 048). */
import type { z } from 'zod'
import { OpError, type ErrorDetails } from '@transom/protocol/errors'

/** Enough to see what is wrong; a list may have as many problems as entries. */
const PROBLEMS_MAX = 10
const PROBLEM_CHARS_MAX = 500 // every key that is not known is named
const VALUE_CHARS_MAX = 100 // enough to recognize it

export function usageError(problems: readonly string[], details: ErrorDetails): OpError {
  return new OpError('usage', problems.join('; '), { ...details, problems })
}

/** A sentence for each problem. `params` is what was given. */
export function problemsOf(issues: readonly z.core.$ZodIssue[], params: unknown): string[] {
  const problems = issues.slice(0, PROBLEMS_MAX).map((issue) => {
    if (issue.code === 'unrecognized_keys') return unknownNames(issue).slice(0, PROBLEM_CHARS_MAX)
    const value = valueAt(params, issue.path)
    const isShown = issue.path.length > 0 && value !== undefined && !isSecretAt(params, issue.path)
    const got = isShown ? ` (got ${shortened(value)})` : ''
    return `${placeOf(issue.path)} ${problemOf(issue, value)}`.slice(0, PROBLEM_CHARS_MAX) + got
  })
  const more = issues.length - problems.length
  return more > 0 ? [...problems, `and ${more} more`] : problems
}

function shortened(value: unknown): string | undefined {
  const cut = (_key: string, part: unknown) =>
    typeof part === 'string' ? part.slice(0, VALUE_CHARS_MAX) : part
  return JSON.stringify(value, cut)?.slice(0, VALUE_CHARS_MAX)
}

function unknownNames({ keys, path }: z.core.$ZodIssueUnrecognizedKeys): string {
  const names = keys.map((key) => `\`${key}\``).join(', ')
  return path.length === 0 ? `there is no parameter ${names}` : `${placeOf(path)} has no ${names}`
}

/** `keys`, `env` at "PATH", `keys` at 3 (counted from 1). */
function placeOf([name, ...inner]: readonly PropertyKey[]): string {
  if (name === undefined) return 'the parameters'
  const steps = inner.map((key) =>
    typeof key === 'number' ? ` at ${key + 1}` : ` at ${JSON.stringify(key)}`,
  )
  return `\`${String(name)}\`${steps.join('')}`
}

function problemOf(issue: z.core.$ZodIssue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      if (isOwnMessage(issue)) return issue.message
      return value === undefined ? 'is missing' : `must be ${TYPE_WORDS[issue.expected] ?? issue.expected}`
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty'
      return `must ${sizeWords(issue.origin, issue.minimum, 'at least')}`
    case 'too_big':
      return `must ${sizeWords(issue.origin, issue.maximum, 'at most')}`
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`
    default:
      return `is refused: ${issue.message}`
  }
}

/** Zod's own begins with these words; the operation table may have a better one. */
function isOwnMessage({ message }: z.core.$ZodIssue): boolean {
  return !message.startsWith('Invalid input')
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

function sizeWords(origin: string, limit: number | bigint, bound: string): string {
  if (origin === 'string') return `have ${bound} ${limit} ${limit === 1 ? 'character' : 'characters'}`
  if (origin === 'array' || origin === 'set')
    return `have ${bound} ${limit} ${limit === 1 ? 'entry' : 'entries'}`
  return `be ${bound} ${limit}`
}

/** Whether a value is, or is part of, a request or step that says it has a secret. */
function isSecretAt(params: unknown, path: readonly PropertyKey[]): boolean {
  const values = [params, ...path.map((_, index) => valueAt(params, path.slice(0, index + 1)))]
  return values.some((value) => typeof value === 'object' && value !== null && 'secret' in value)
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value
  for (const key of path) {
    if (typeof at !== 'object' || at === null) return undefined
    at = Reflect.get(at, key)
  }
  return at
}
