/**
 * A test as a page of Markdown. Each top-level heading begins a case with a fresh app; between prose stand fenced blocks:
 *
 *     ```aoapp                      commands, one on a line
 *     ```aoapp fails E_NOT_FOUND    a command that has to fail with this code
 *     ```aoapp restart              the app ends and comes back with its data
 *     ```view Notes                 what the view of this name shows then; a line "..." stands for any lines
 *
 * Other blocks are prose.
 */
export interface TranscriptCase {
  readonly title: string
  /** Counts from 1. */
  readonly line: number
  readonly steps: readonly Step[]
}

export type Step =
  | { readonly kind: 'run'; readonly line: number; readonly commands: readonly string[] }
  | { readonly kind: 'fails'; readonly line: number; readonly command: string; readonly code: string }
  | { readonly kind: 'restart'; readonly line: number }
  | { readonly kind: 'view'; readonly line: number; readonly name: string | undefined; readonly block: Block }

/** A fenced block by its lines in the file, which count from 0; `end` is the line of the closing fence. */
interface Block {
  readonly start: number
  readonly end: number
  readonly text: string
}

export class TranscriptError extends Error {}

export function parseTranscript(text: string): TranscriptCase[] {
  const cases: (TranscriptCase & { steps: Step[] })[] = []
  for (const { line, heading, info, block } of partsOf(text)) {
    if (heading !== undefined) {
      cases.push({ title: heading, line, steps: [] })
      continue
    }
    const step = block === undefined ? undefined : stepOf(info ?? '', block, line)
    if (step === undefined) continue
    const current = cases.at(-1)
    if (current === undefined)
      throw new TranscriptError(`line ${line}: a block comes before the first "# heading"`)
    current.steps.push(step)
  }
  return cases
}

/** The page with what views really showed in the place of what was expected. */
export function rewriteViews(text: string, shown: ReadonlyMap<Block, string>): string {
  const lines = text.split('\n')
  const blocks = [...shown].toSorted(([a], [b]) => b.start - a.start)
  for (const [{ start, end }, view] of blocks) {
    const fence = '`'.repeat(Math.max(3, longestFence(view) + 1))
    const [, info = ''] = FENCE.exec(lines[start] ?? '')?.slice(1) ?? []
    lines.splice(start, end - start + 1, fence + info, ...view.split('\n'), fence)
  }
  return lines.join('\n')
}

/** Whether a view shows what was expected of it. */
export function matchesView(expected: string, shown: string): boolean {
  if (expected === shown) return true
  const pattern = expected
    .split('\n')
    .map((line) =>
      line.trim() === '...' ? '(?:.*\n)*' : `${line.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}\n`,
    )
  return new RegExp(`^${pattern.join('')}$`).test(`${shown}\n`)
}

const FENCE = /^(`{3,})([^`]*)$/

interface Part {
  readonly line: number
  readonly heading?: string
  readonly info?: string
  readonly block?: Block
}

function* partsOf(text: string): Generator<Part> {
  const lines = text.split('\n')
  for (let index = 0; index < lines.length; index++) {
    const line = index + 1
    const heading = /^#\s+(.+?)\s*$/.exec(lines[index] ?? '')?.[1]
    if (heading !== undefined) yield { line, heading }
    const [, fence = '', info = ''] = FENCE.exec(lines[index] ?? '') ?? []
    if (fence === '') continue
    const end = lines.findIndex(
      (one, at) => at > index && /^`+\s*$/.test(one) && one.trim().length >= fence.length,
    )
    if (end < 0) throw new TranscriptError(`line ${line}: the block is not closed`)
    yield {
      line,
      info: info.trim(),
      block: { start: index, end, text: lines.slice(index + 1, end).join('\n') },
    }
    index = end
  }
}

function stepOf(info: string, block: Block, line: number): Step | undefined {
  const [word = '', ...rest] = info.split(/\s+/)
  if (word === 'view') return { kind: 'view', line, name: rest.join(' ') || undefined, block }
  if (word !== 'aoapp') return undefined
  const commands = block.text.split('\n').filter((command) => command.trim() !== '')
  const [what, code] = rest
  if (what === undefined) return { kind: 'run', line, commands }
  if (what === 'restart' && commands.length === 0) return { kind: 'restart', line }
  const [command, second] = commands
  if (what === 'fails' && code !== undefined && command !== undefined && second === undefined)
    return { kind: 'fails', line, command, code }
  throw new TranscriptError(
    `line ${line}: "aoapp ${rest.join(' ')}" is not one of: aoapp, aoapp restart (empty), aoapp fails CODE (one command)`,
  )
}

function longestFence(text: string): number {
  return Math.max(0, ...[...text.matchAll(/^`+/gm)].map(([fence]) => fence.length))
}
