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
  let block: Ran['block']
  try {
    const ran = (await ask('session.run', { ...params, raw: true, max_bytes: 1 })) as Ran // the host's own result
    block = ran.block
  } catch (error) {
    if (error instanceof OpError && error.code === 'block_running') {
      const late = error.details['block'] as Ran['block'] | undefined
      if (late !== undefined) await printBlock(late, params, ask, output) // what there is of it by now
    }
    throw error
  }
  if (params['no_wait'] === true) {
    output.notice(`block ${block.seq} runs`)
    return 0
  }
  await printBlock(block, params, ask, output)
  if (block.exit_code !== null) return block.exit_code
  output.notice(`the shell ended before ${JSON.stringify(block.command)} did`)
  return ERROR_TABLE.session_ended.exit
}

async function printBlock(
  block: Ran['block'],
  { raw, max_bytes, max_tokens }: Record<string, unknown>,
  ask: Ask,
  output: BlockOutput,
): Promise<void> {
  const asked = { conversation_id: block.session, block: block.seq }
  const end = block.cursor_begin + block.output_bytes
  const isPlain = (output.isTerminal && raw !== true) || max_bytes !== undefined || max_tokens !== undefined
  if (isPlain) {
    const { data = '' } = (await ask('pty.read', { ...asked, max_bytes, max_tokens, to_cursor: end })) as Read
    if (data !== '') await output.write(Buffer.from(data.endsWith('\n') ? data : `${data}\n`))
    return
  }
  for (let from = block.cursor_begin; from < end; from += READ_BYTES) {
    const range = { from_cursor: from, to_cursor: Math.min(end, from + READ_BYTES) }
    const { data_b64 = '' } = (await ask('pty.read', { ...asked, ...range, raw: true })) as Read
    await output.write(Buffer.from(data_b64, 'base64'))
  }
}
