import type { Command } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { jsonErrorOffset } from './json-position.ts'
import { readArguments, type CallerContext, type GlobalFlags } from './parse-argv.ts'
import { resolvePaths } from './resolve-paths.ts'
import { meantWords } from './suggestions.ts'
import { WordError, scriptWords, type ScriptWord } from './script-words.ts'

/** A step as the host takes it, and where it stands in its file. */
export interface ScriptStep {
  readonly step: Record<string, unknown>
  readonly line: number
  /** As it was written, for people; without a secret. */
  readonly source: string
}

/**
 * Reads a batch: a JSON array of steps (or an object with `steps`), JSON lines, or a script with a step a line in the
 * words of the command line. Mistakes are `usage`, with file, line and column.
 */
export function parseBatch(
  text: string,
  file: string,
  commands: readonly Command[],
  context: CallerContext,
): ScriptStep[] {
  const content = text.replace(/^\uFEFF/, '')
  const place = new Place(file)
  const steps = /^\s*[[{]/.test(content)
    ? parseJson(content, place)
    : parseScript(content, place, stepCommands(commands), context)
  if (steps.length > 0) return steps
  throw new OpError('usage', `${file} has no steps`, { file })
}

class Place {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  error(line: number, column: number, problem: string): OpError {
    const message = `${this.#file}:${line}:${column}: ${problem}`
    return new OpError('usage', message, { file: this.#file, line, column })
  }
}

/** What names the session of a step, or says where a new one would start. */
const OF_BATCH = ['session', 'conversation_id', 'start_cwd']

/** What a script may say: the commands of the steps, without the session that the batch has. */
function stepCommands(commands: readonly Command[]): Command[] {
  return commands
    .filter(({ isStep }) => isStep)
    .map((command) => ({
      ...command,
      positionals: command.positionals.filter((name) => !OF_BATCH.includes(name)),
      params: command.params.filter(({ name }) => !OF_BATCH.includes(name)),
    }))
}

function parseScript(
  text: string,
  place: Place,
  commands: readonly Command[],
  context: CallerContext,
): ScriptStep[] {
  const mistakes: OpError[] = []
  const steps = text.split(/\r?\n/).flatMap((source, index) => {
    const line = index + 1
    let words: ScriptWord[] = []
    try {
      words = scriptWords(source)
      if (words.length === 0) return []
      const step = readStep(words, commands, context)
      return [{ step, line, source: isSecret(step) ? `${words[0]?.text} --secret …` : source.trim() }]
    } catch (error) {
      if (error instanceof WordError) mistakes.push(place.error(line, error.column, error.message))
      else if (error instanceof OpError && error.code === 'usage') {
        const message = hidesText(words) ? HIDDEN_PROBLEM : error.message
        mistakes.push(place.error(line, columnOf(error, words), message))
      } else throw error
      return []
    }
  })
  throwAll(mistakes)
  return steps
}

/** Throws one error about all mistakes, if there are any: a script is mended at once, not line by line. */
function throwAll(mistakes: readonly OpError[]): void {
  const [first] = mistakes
  if (first === undefined) return
  const message = mistakes.map((mistake) => mistake.message).join('\n')
  throw new OpError('usage', message, { ...first.details, mistakes: mistakes.map(({ details }) => details) })
}

/** The message of a mistake quotes what is wrong, which may be the secret. */
const HIDDEN_PROBLEM = 'this step has --secret and cannot be read; it takes one text, in quotes'

function hidesText(words: readonly ScriptWord[]): boolean {
  return words.some(({ text }) => text === '--secret')
}

function isSecret(step: object): boolean {
  return 'secret' in step && step.secret === true
}

function readStep(
  words: readonly ScriptWord[],
  commands: readonly Command[],
  context: CallerContext,
): Record<string, unknown> {
  const [name = '', ...rest] = words.map(({ text }) => text)
  const command = commands.find((it) => it.command === name)
  if (command === undefined) {
    const names = commands.map((it) => it.command)
    const [meant] = meantWords(name, names)
    const hint = meant === undefined ? '' : ` (did you mean "${meant}"?)`
    throw new OpError('usage', `unknown step ${JSON.stringify(name)}${hint}; there are: ${names.join(', ')}`)
  }
  const flags: GlobalFlags = { json: false, help: false, version: false, debug: false, home: undefined }
  const given = readArguments(command, rest, { flags, meant: meantWords }, context)
  const params = resolvePaths(command, given, context)
  const general = Object.entries(flags).find(([, value]) => value !== false && value !== undefined)?.[0]
  if (general !== undefined) {
    const option = `--${general}`
    throw new OpError('usage', `${option} is for the whole command line, not for a step`, { option })
  }
  return { step: name, ...params }
}

/** Where the mistake is: at the option that it is about, else at the start of the step. */
function columnOf(error: OpError, words: readonly ScriptWord[]): number {
  const { option } = error.details
  const at = words.find(({ text }) => typeof option === 'string' && text.split('=')[0] === option)
  return (at ?? words[0])?.column ?? 1
}

function parseJson(text: string, place: Place): ScriptStep[] {
  const lines = text.split(/\r?\n/)
  const filled = lines
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => /\S/.test(line))
  const isLines = filled.length > 1 && filled.every(({ line }) => /^\s*\{.*\}\s*$/.test(line))
  if (isLines) return filled.map(({ line, number }) => jsonStep(readJson(line, place, number), number, place))
  const whole = readJson(text, place, 1)
  const isObject = typeof whole === 'object' && whole !== null && !Array.isArray(whole)
  const steps: unknown = isObject && 'steps' in whole ? whole.steps : isObject ? [whole] : whole
  if (!Array.isArray(steps)) throw place.error(1, 1, 'the steps are a list: [{"step": "type", "text": "ls"}]')
  return steps.map((step) => jsonStep(step, 1, place))
}

function readJson(text: string, place: Place, firstLine: number): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    const before = text.slice(0, jsonErrorOffset(text) ?? text.length).split('\n')
    throw place.error(firstLine + before.length - 1, (before.at(-1)?.length ?? 0) + 1, 'this is not JSON')
  }
}

function jsonStep(step: unknown, line: number, place: Place): ScriptStep {
  if (typeof step === 'object' && step !== null && 'step' in step && typeof step.step === 'string')
    return { step: { ...step }, line, source: jsonSource(step) }
  const got = jsonSource(step).slice(0, 100)
  throw place.error(
    line,
    1,
    `a step is an object with its name as "step": {"step": "type", "text": "ls"} (got ${got})`,
  )
}

function jsonSource(step: unknown): string {
  const hides = typeof step === 'object' && step !== null && isSecret(step)
  return JSON.stringify(hides ? { ...step, text: '…' } : step)
}
