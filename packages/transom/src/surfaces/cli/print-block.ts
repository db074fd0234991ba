import type { NeedsInput, Result, Snapshot } from '@transom/protocol'
import { ERROR_TABLE, OpError } from '@transom/protocol/errors'
import { plainText } from '../../lib/plain-text.ts'

type Ran = Result<'session.run'>
type Read = Result<'pty.read'>
/** What there is of a block that runs on; of a full-screen program, what it shows. */
type Unended = Ran & { readonly snapshot?: Snapshot }

/** Asks the host for an operation by name. */
export type Ask = (operation: string, params: Record<string, unknown>) => Promise<unknown>

export interface BlockOutput {
  write(bytes: Uint8Array): Promise<void>
  /** Prints a notice for the user beside the output. */
  notice(text: string): void
  /** Whether standard input is a pipe or a file, which the caller may have meant for the command. */
  readonly hasInput: boolean
}

/** Read at a time: a base64 of it is one message. */
const READ_BYTES = 1 << 20
/** A line that is longer is converted in pieces: an escape sequence at the cut may be shown as text. */
const LINE_BYTES_MAX = 8 << 20
const LF = 0x0a

/**
 * `run` without --json: prints what the command printed and returns its exit code. It is plain text, wherever it goes:
 * what a program prints must not control the reader's terminal, and a pipe wants lines. With --raw it is the exact
 * bytes.
 */
export async function runAndPrint(
  params: Record<string, unknown>,
  ask: Ask,
  output: BlockOutput,
): Promise<number> {
  const budget = isLimited(params) ? { raw: false } : { raw: true, max_bytes: READ_BYTES }
  let ran: Ran
  try {
    ran = (await ask('session.run', { ...params, ...budget })) as Ran // the host's own result
  } catch (error) {
    const isUnended =
      error instanceof OpError && (error.code === 'block_running' || error.code === 'needs_input')
    if (isUnended) await printUnended(error.details as Unended, params, ask, output) // the host's own
    if (output.hasInput && params['stdin'] === undefined && readsLines(error))
      output.notice('standard input was not passed on to the command; --stdin - does that')
    throw isUnended ? withoutScreen(error) : error
  }
  const { block } = ran
  if (params['no_wait'] === true) {
    output.notice(`block ${block.seq} runs`)
    return 0
  }
  await printRan(ran, params, ask, output)
  const words = JSON.stringify(block.command)
  if (ran.ended === 'session') output.notice(`${words} ended the shell, and with it session ${block.session}`)
  else if (ran.ended === 'shell') output.notice(`${words} ended the shell that it ran in`)
  else if (block.exit_code === null) output.notice(`the shell did not report how ${words} ended`)
  return blockStatus(ran, params)
}

/** The exit status of `run`: that of the command, which 0 stands for while it is not waited for. */
export function blockStatus({ block }: Pick<Ran, 'block'>, params: Record<string, unknown>): number {
  if (params['no_wait'] === true) return 0
  return block.exit_code ?? ERROR_TABLE.session_ended.exit
}

/** An error whose screen was printed: it is not shown a second time. */
function withoutScreen({ code, message, details }: OpError): OpError {
  const { snapshot: _printed, ...others } = details
  return new OpError(code, message, others)
}

/** Whether a command waits for a line, as one does that reads its standard input. */
function readsLines(error: unknown): boolean {
  if (!(error instanceof OpError) || error.code !== 'needs_input') return false
  const found = error.details['needs_input'] as NeedsInput | undefined // the host's own
  return found?.reason === 'read'
}

function isLimited({ max_bytes, max_tokens }: Record<string, unknown>): boolean {
  return max_bytes !== undefined || max_tokens !== undefined
}

async function printUnended(
  ran: Unended,
  params: Record<string, unknown>,
  ask: Ask,
  output: BlockOutput,
): Promise<void> {
  if (ran.snapshot === undefined || params['raw'] === true) return printRan(ran, params, ask, output)
  const text = ran.snapshot.lines.map((line) => line.text).join('\n')
  await output.write(Buffer.from(lines(text.trimEnd())))
}

async function printRan(
  ran: Ran,
  params: Record<string, unknown>,
  ask: Ask,
  output: BlockOutput,
): Promise<void> {
  if (isLimited(params)) return output.write(Buffer.from(lines(ran.data ?? '')))
  if (params['raw'] === true) {
    for await (const bytes of outputOf(ran, ask)) await output.write(bytes)
    return
  }
  let rest = Buffer.alloc(0)
  for await (const bytes of outputOf(ran, ask)) {
    const read = Buffer.concat([rest, bytes])
    const end = read.length > LINE_BYTES_MAX ? read.length : read.lastIndexOf(LF) + 1
    await output.write(Buffer.from(plainText(read.subarray(0, end))))
    rest = read.subarray(end)
  }
  await output.write(Buffer.from(lines(plainText(rest))))
}

/** The output of a block: as it came with the answer, or read piece by piece if that was not all of it. */
async function* outputOf({ block, data_b64 = '', omitted }: Ran, ask: Ask): AsyncGenerator<Buffer> {
  if (omitted === null) {
    yield Buffer.from(data_b64, 'base64')
    return
  }
  const end = block.cursor_begin + block.output_bytes
  for (let from = block.cursor_begin; from < end; from += READ_BYTES) {
    const range = { from_cursor: from, to_cursor: Math.min(end, from + READ_BYTES), raw: true }
    const asked = { conversation_id: block.session, block: block.seq, ...range }
    const { data_b64: read = '' } = (await ask('pty.read', asked)) as Read // the host's own result
    yield Buffer.from(read, 'base64')
  }
}

/** A text that ends with a line break, unless it is empty. */
function lines(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}
