import type { Result } from '@transom/protocol'
import { ERROR_TABLE, OpError } from '@transom/protocol/errors'

type Ran = Result<'session.run'>
type Read = Result<'pty.read'>

/** Asks the host for an operation by name. */
export type Ask = (operation: string, params: Record<string, unknown>) => Promise<unknown>

export interface BlockOutput {
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean
  write(bytes: Uint8Array): Promise<void>
  /** Tells a person something beside the output. */
  notice(text: string): void
}

/** Read at a time: a base64 of it is one message. */
const READ_BYTES = 1 << 20

/**
 * `run` without --json: prints what the command printed, byte for byte, and returns its exit code. On a terminal it
 * is printed as plain text: what a program prints must not control the reader's terminal.
 */
export async function runAndPrint(
  params: Record<string, unknown>,
  ask: Ask,
  output: BlockOutput,
): Promise<number> {
  const budget = budgetOf(params, output)
  let ran: Ran
  try {
    ran = (await ask('session.run', { ...params, ...budget })) as Ran // the host's own result
  } catch (error) {
    if (error instanceof OpError && error.code === 'block_running')
      await printRan(error.details as Ran, params, ask, output) // what there is of it by now
    throw error
  }
  const { block } = ran
  if (params['no_wait'] === true) {
    output.notice(`block ${block.seq} runs`)
    return 0
  }
  await printRan(ran, params, ask, output)
  if (block.exit_code !== null) return block.exit_code
  output.notice(`the shell ended before ${JSON.stringify(block.command)} did`)
  return ERROR_TABLE.session_ended.exit
}

/** How much of the output comes with the answer: as much as was asked for, or what fits into one message. */
function budgetOf(params: Record<string, unknown>, output: BlockOutput): Record<string, unknown> {
  const { max_bytes, max_tokens } = params
  const isLimited = max_bytes !== undefined || max_tokens !== undefined
  return { raw: !isPlain(params, output), ...(isLimited ? {} : { max_bytes: READ_BYTES }) }
}

function isPlain({ raw, max_bytes, max_tokens }: Record<string, unknown>, output: BlockOutput): boolean {
  return (output.isTerminal && raw !== true) || max_bytes !== undefined || max_tokens !== undefined
}

async function printRan(
  { block, data = '', data_b64 = '', omitted }: Ran,
  params: Record<string, unknown>,
  ask: Ask,
  output: BlockOutput,
): Promise<void> {
  const isLimited = params['max_bytes'] !== undefined || params['max_tokens'] !== undefined
  if (omitted !== null && !isLimited) return printBlock(block, params, ask, output) // too much for one message
  if (!isPlain(params, output)) return output.write(Buffer.from(data_b64, 'base64'))
  if (data !== '') await output.write(Buffer.from(data.endsWith('\n') ? data : `${data}\n`))
}

async function printBlock(
  block: Ran['block'],
  params: Record<string, unknown>,
  ask: Ask,
  output: BlockOutput,
): Promise<void> {
  const asked = { conversation_id: block.session, block: block.seq }
  const end = block.cursor_begin + block.output_bytes
  if (isPlain(params, output)) {
    const { data = '' } = (await ask('pty.read', { ...asked, to_cursor: end })) as Read
    if (data !== '') await output.write(Buffer.from(data.endsWith('\n') ? data : `${data}\n`))
    return
  }
  for (let from = block.cursor_begin; from < end; from += READ_BYTES) {
    const range = { from_cursor: from, to_cursor: Math.min(end, from + READ_BYTES) }
    const { data_b64 = '' } = (await ask('pty.read', { ...asked, ...range, raw: true })) as Read
    await output.write(Buffer.from(data_b64, 'base64'))
  }
}
