import { randomBytes } from 'node:crypto'
import { OPERATIONS, untrustedFields, type OperationDefinition, type SessionInfo } from '@transom/protocol'
import { isSessionInfo } from './compact-list.ts'
import { compactScreen } from './compact-screen.ts'

/** A program can print anything, also an end mark: this one it cannot know. */
export function fenced(text: string): string {
  const nonce = randomBytes(6).toString('hex')
  return `<untrusted-output id="${nonce}">\n${text}\n</untrusted-output id="${nonce}">`
}

/** An answer as text: JSON, and after it, between marks, what programs and pages have chosen. */
export function fencedText(result: unknown): string {
  const outputs: string[] = []
  const text = JSON.stringify(
    replaced(result, (value) => {
      outputs.push(typeof value === 'string' ? value : JSON.stringify(value))
      return `see output ${outputs.length}`
    }),
  )
  return [text, ...fencedOutputs(outputs)].join('\n')
}

/** Lines (a folder, a title, a command) stand between one pair of marks: a pair for each would take more room than they do. */
function fencedOutputs(outputs: readonly string[]): string[] {
  const numbered = outputs.map((output, index) => ({ output, number: index + 1 }))
  const lines = numbered.filter(({ output }) => !LINE_BREAK.test(output))
  const together = lines.length > 1 ? lines : []
  const apart = numbered.filter((it) => !together.includes(it))
  return [
    ...apart.map(({ output, number }) => `output ${number}:\n${fenced(output)}`),
    ...(together.length === 0
      ? []
      : [
          `other outputs:\n${fenced(together.map(({ output, number }) => `${number}: ${output}`).join('\n'))}`,
        ]),
  ]
}

/** Also what only some readers take for one: within its line an output cannot pass for another. */
const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/

/** An answer as structured content: what programs and pages have chosen is the value of a key `untrusted_output`. */
export function fencedContent(result: object): Record<string, unknown> {
  const marked = replaced(result, (value, key) => (key === MARK ? value : { [MARK]: value }))
  return marked as Record<string, unknown> // an object stays one
}

const MARK = 'untrusted_output'
/** The caller's own arguments, to be given again as they are. */
const OWN = 'resume'

let untrustedNames: ReadonlySet<string> | null = null

/** What the caller that made a session has given. In a block the same names are a program's. */
const CALLERS = new Set<string>(['command', 'cwd'] satisfies (keyof SessionInfo)[])

/**
 * Fields that programs and pages can influence, by their names: results of a batch come without a schema. An ordinary
 * field that has the name of such a one is fenced as well, which does no harm.
 */
function isUntrusted(field: string): boolean {
  untrustedNames ??= untrustedFields([
    compactScreen,
    ...Object.values<OperationDefinition>(OPERATIONS).map(({ result }) => result),
  ])
  return untrustedNames.has(field)
}

function replaced(value: unknown, replace: (value: unknown, key: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((part) => replaced(part, replace))
  if (typeof value !== 'object' || value === null) return value
  const isSession = isSessionInfo(value)
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      if (key === OWN || (isSession && CALLERS.has(key))) return [key, part]
      const hasText = typeof part === 'string' ? part !== '' : typeof part === 'object' && part !== null
      return [key, hasText && isUntrusted(key) ? replace(part, key) : replaced(part, replace)]
    }),
  )
}
