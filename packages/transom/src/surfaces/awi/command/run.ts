import type { AwiCommand } from '@transom/protocol'
import { ERROR_TABLE, OpError, toWireError, fullMessage, type SpellStep } from '@transom/protocol/errors'
import { VERSION } from '@transom/protocol/version'
import { messageOf } from '../../../lib/system-error.ts'
import { commandHelp, programHelp } from '../../cli/help.ts'
import { spellCommand } from '../../cli/spell-step.ts'
import { AgentConnection, AgentError } from './agent-connection.ts'
import { AWI_HELP } from './about.ts'
import { LOCAL_AWI_COMMANDS } from './commands.ts'
import { jsonText, plainText, safeText, withTrimmedLines } from './output.ts'
import { askedMode, parseCommand, type OutputMode, type ParsedCommand } from './parse-command.ts'
import { findAgentSocket } from './socket-path.ts'

/** Longer than any answer should take: a browser that hangs must not hang a script for ever. */
const CALL_TIMEOUT_MS = 120_000

/** What `awi-tty` does without an agent socket, such as starting a browser. */
export type LocalAction = (
  local: Record<string, unknown>,
  awi: AwiProcess,
) => Promise<Record<string, unknown> | number>

export interface AwiProcess {
  readonly argv: readonly string[]
  readonly env: NodeJS.ProcessEnv
  /** The commands of the operation table. */
  readonly commands: readonly AwiCommand[]
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal
  /** Whether results are printed for a person's eyes. */
  readonly pretty: boolean
  readonly actions: Readonly<Record<string, LocalAction>>
  out(text: string): void
  err(text: string): void
  writeFile(file: string, content: string | Uint8Array): void
}

/** Runs one command line; returns the exit status. */
export async function runAwi(awi: AwiProcess): Promise<number> {
  let mode = askedMode(awi.argv)
  const commands = [...awi.commands, ...LOCAL_AWI_COMMANDS]
  try {
    const parsed = parseCommand(awi.argv, commands)
    mode = parsed.mode
    return await runParsed(awi, parsed, commands)
  } catch (error) {
    return tellError(awi, mode, error)
  }
}

async function runParsed(
  awi: AwiProcess,
  parsed: ParsedCommand,
  commands: readonly AwiCommand[],
): Promise<number> {
  const { command } = parsed
  if (parsed.version) return said(awi, VERSION)
  if (command === null || parsed.help) {
    awi.out(command === null ? programHelp(commands, AWI_HELP) : commandHelp(command, AWI_HELP))
    return parsed.help ? 0 : ERROR_TABLE.usage.exit
  }
  if (command.method === null) {
    const done = await awi.actions[command.command]?.(parsed.local, awi)
    if (typeof done !== 'number' && done !== undefined) show(awi, parsed, command, done)
    return typeof done === 'number' ? done : 0
  }
  const socket = findAgentSocket(parsed.socket, awi.env)
  const connection = await AgentConnection.open(socket)
  try {
    if (command.method === 'subscribe_events') return await printEvents(awi, connection, parsed)
    const given = parsed.params['timeout_ms']
    const limit = AbortSignal.timeout(CALL_TIMEOUT_MS + (typeof given === 'number' ? Math.max(given, 0) : 0))
    const signal = AbortSignal.any([awi.signal, limit])
    show(awi, parsed, command, await connection.request(command.method, parsed.params, signal))
    return 0
  } finally {
    connection.close()
  }
}

function show(awi: AwiProcess, parsed: ParsedCommand, command: AwiCommand, result: unknown): void {
  const { out, trim } = parsed.local
  const shown = trim === true ? withTrimmedLines(result) : result
  const text = parsed.mode === 'plain' ? plainText(command, shown) : jsonText(shown, awi.pretty)
  if (typeof out === 'string') writeOut(awi, out, pictureIn(result) ?? `${text}\n`)
  else if (parsed.mode !== 'quiet' && (parsed.mode === 'json' || text !== '')) awi.out(text)
}

/** The bytes of a picture that came as base64; null if the result is not a picture. */
function pictureIn(result: unknown): Uint8Array | null {
  const { png_b64 } = result as { png_b64?: unknown }
  return typeof png_b64 === 'string' ? Buffer.from(png_b64, 'base64') : null
}

function writeOut(awi: AwiProcess, file: string, text: string | Uint8Array): void {
  try {
    awi.writeFile(file, text)
  } catch (error) {
    const message = `could not write ${file}: ${messageOf(error)}`
    throw new OpError('file_not_written', message, { file }, { cause: error })
  }
}

/** Prints events until there were enough, the user interrupts or the browser ends. */
async function printEvents(
  awi: AwiProcess,
  connection: AgentConnection,
  parsed: ParsedCommand,
): Promise<number> {
  const { count } = parsed.local
  let left = typeof count === 'number' ? count : Number.POSITIVE_INFINITY
  let enough = () => {}
  const over = new Promise<void>((resolve) => (enough = resolve))
  connection.onNotification = ({ params }) => {
    if (left-- <= 0) return
    if (parsed.mode !== 'quiet') awi.out(jsonText(params ?? {}, false)) // one a line, for a program to read
    if (left <= 0) enough()
  }
  await connection.request('subscribe_events', parsed.params, awi.signal)
  const interrupted = new Promise<void>((resolve) => awi.signal.addEventListener('abort', () => resolve()))
  const end = await Promise.race([over, interrupted, connection.whenClosed])
  if (end instanceof Error) throw end
  return 0
}

function tellError(awi: AwiProcess, mode: OutputMode, error: unknown): number {
  const { rpc: known, exit } = describe(error)
  const { message, data } = known
  const rpc = { ...known, message: fullMessage({ message, details: data?.details ?? {} }, speller(awi)) }
  if (mode === 'json') awi.out(jsonText({ error: rpc }, awi.pretty))
  else if (mode === 'plain') awi.err(safeText(`awi-tty: ${rpc.message}`))
  return exit
}

/** Commands as the table has them. What a session is created with is an option of `open`, for one value at a time. */
function speller({ commands }: AwiProcess): SpellStep {
  const spell = spellCommand(commands, 'awi-tty')
  return (step) => {
    if (!('set' in step)) return spell(step)
    const options = Object.entries(step.set).map(
      ([name, value]) => `--${name.replace(/s$/, '').replaceAll('_', '-')} ${String(value)}`,
    )
    return `${step.does} with ${options.join(' ')}`
  }
}

/** As JSON-RPC has it, whether the browser said it or we do. */
function describe(error: unknown): { rpc: AgentError['rpc']; exit: number } {
  if (error instanceof AgentError) return { rpc: error.rpc, exit: error.exitCode }
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return describe(
      new OpError(
        'wait_timeout',
        'the browser did not answer in time; it may hang: end it and start another',
      ),
    )
  }
  const { code, message, retryable, details } = toWireError(error)
  const row = ERROR_TABLE[code]
  return { rpc: { code: row.rpc, message, data: { code, retryable, details } }, exit: row.exit }
}

function said(awi: AwiProcess, text: string): number {
  awi.out(text)
  return 0
}
