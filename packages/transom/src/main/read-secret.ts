import * as fs from 'node:fs'
import { Writable } from 'node:stream'
import { isatty } from 'node:tty'
import { OpError } from '@transom/protocol/errors'
import { firstLine } from '../surfaces/cli/parse-argv.ts'

/** The first line of standard input; on a terminal it is asked for, and not shown. */
export async function readSecret(signal: AbortSignal): Promise<string> {
  if (!isatty(0)) return firstLine(fs.readFileSync(0, 'utf8'))
  const { createInterface } = await import('node:readline/promises') // few commands need it
  // A terminal of readline's is in raw mode, so that nothing but its output echoes: this one shows nothing.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output, terminal: true })
  const left = new AbortController()
  lines.once('SIGINT', () => left.abort()).once('close', () => left.abort())
  process.stderr.write('secret: ')
  try {
    return await lines.question('', { signal: AbortSignal.any([signal, left.signal]) })
  } catch (error) {
    if (signal.aborted) throw error
    throw new OpError('cancelled', 'no secret was given', {}, { cause: error })
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}
