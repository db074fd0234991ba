/** No block's output is lost or given to another, whatever is printed in whatever pieces, and whoever goes away. */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Client } from '@transom/client'
import { useShells } from './support/shells.ts'

const BLOCKS = process.env['TRANSOM_FULL'] === undefined ? 150 : 2000
const PIECES_MAX = 6

const shells = useShells()

interface RandomBlock {
  readonly pieces: readonly Uint8Array[]
  readonly code: number
  /** Whether its caller goes away before it ends. */
  readonly vanishes: boolean
  /** How many bytes the terminal is written at once. */
  readonly chunk: number
}

const randomBlock: fc.Arbitrary<RandomBlock> = fc.record({
  pieces: fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: PIECES_MAX }),
  code: fc.nat(120),
  vanishes: fc.boolean(),
  chunk: fc.constantFrom(1, 7, 64, 4096),
})

/** A command that prints exactly these bytes, in writes of the given size, with what looks like marks in between. */
function commandOf({ pieces, code, chunk }: RandomBlock, index: number): { command: string; output: Buffer } {
  const forged = Buffer.from(`\x1b]7717;${index};3;0;/\x07<${index}>`, 'latin1')
  const output = Buffer.concat([...pieces.map((piece) => Buffer.from(piece)), forged])
  const encoded = output.toString('base64')
  const write = chunk === 4096 ? 'base64 -d' : `base64 -d | dd bs=${chunk} status=none`
  return { command: `stty -opost; printf %s ${encoded} | ${write}; stty opost; (exit ${code})`, output }
}

test(`${BLOCKS} random blocks keep their output`, async () => {
  const { home, client } = shells
  const conversation_id = 'random'
  const random = fc.sample(randomBlock, { numRuns: BLOCKS, seed: 20_260 })
  const expected = random.map((each, index) => ({ ...commandOf(each, index), code: each.code }))
  let leaving: Client[] = []
  for (const [index, { command }] of expected.entries()) {
    const { vanishes } = random[index] ?? { vanishes: false }
    const caller = vanishes ? await home.connect() : client
    await caller.call('pty.exec_block', { conversation_id, command, queue: true })
    if (vanishes) leaving.push(caller)
    if (leaving.length > 5) {
      for (const each of leaving) each.close() // in the middle of what they asked for
      leaving = []
    }
    // At most some hundreds wait at a time.
    if (index % 200 === 199)
      await client.call('session.run', { session: conversation_id, command: [':'], queue: true })
  }
  for (const each of leaving) each.close()
  const last = await client.call('session.run', { session: conversation_id, command: [':'], queue: true })
  const { blocks } = await client.call('pty.blocks', { conversation_id, limit: 10_000 })
  const asked = blocks.filter(({ command }) => command !== ':')
  expect(asked.length).toBe(BLOCKS)
  for (const [index, block] of asked.entries()) {
    const { command, output, code } = expected[index] ?? { command: '', output: Buffer.alloc(0), code: 0 }
    const { data_b64 = '' } = await client.call('pty.read', { conversation_id, block: block.seq, raw: true })
    expect(
      { command: block.command, code: block.exit_code, output: digest(Buffer.from(data_b64, 'base64')) },
      `block ${block.seq}`,
    ).toEqual({ command, code, output: digest(output) })
  }
  expect(last.block.seq).toBe(blocks.at(-1)?.seq)
}, 600_000)

function digest(bytes: Buffer): string {
  return `${bytes.length} ${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`
}
