/** The `transom` and `agent-tty` commands. Bundled to one file; the command table is put in by the build. */
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { isatty } from 'node:tty'
import type { Command } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { expandCommand, type CompactCommand } from '../surfaces/cli/local-command.ts'
import { runCli } from '../surfaces/cli/run.ts'
import { errnoOf } from '../lib/system-error.ts'

/** As JSON: V8 reads a text faster than an object literal of that size. */
declare const COMMAND_TABLE: string

const interrupted = new AbortController()
process.once('SIGINT', () => interrupted.abort(new OpError('cancelled', 'interrupted')))
/** Node's stream around standard output, which costs milliseconds to set up: only where a plain write does not do. */
let stream: NodeJS.WriteStream | null = null

let progressShown = false

/** The name it was called by: `transom` and `agent-tty` are links to this file. */
const calledAs = path.basename(process.argv[1] ?? '')

void runCli({
  program: calledAs === path.basename(__filename) ? 'transom' : calledAs,
  argv: process.argv.slice(2),
  env: process.env,
  cwd: process.cwd(),
  readText: (file) => fs.readFileSync(file === '-' ? 0 : file, 'utf8'),
  commands: readCommandTable(),
  hostScript: path.join(__dirname, 'host.mjs'),
  signal: interrupted.signal,
  pretty: isatty(1),
  exportOutput: {
    isTerminal: isatty(1),
    copy: async (fd) => {
      for await (const chunk of fs.createReadStream('', { fd })) await write(chunk as Uint8Array)
    },
    write,
  },
  progress: (text) => {
    // Where it is, a line that the next one replaces; elsewhere nothing.
    if (!isatty(2) || (text === '' && !progressShown)) return
    progressShown = text !== ''
    process.stderr.write(`\r\u001b[K${text.slice(0, (process.stderr.columns ?? 80) - 1)}`)
  },
  out: (text) => print(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
}).then((exitCode) => {
  process.exitCode = exitCode
  if (stream === null) process.exit() // everything is written: no need to wait for the host to close its end
})

async function write(chunk: Uint8Array): Promise<void> {
  if (!standardOutput().write(chunk)) await once(standardOutput(), 'drain')
}

function print(text: string): void {
  let rest = Buffer.from(text)
  try {
    while (rest.length > 0) rest = rest.subarray(fs.writeSync(1, rest))
  } catch (error) {
    // The pipe is non-blocking and full: the stream waits until its reader goes on.
    if (errnoOf(error) !== 'EAGAIN') endOutput(error)
    standardOutput().write(rest)
  }
}

function standardOutput(): NodeJS.WriteStream {
  stream ??= process.stdout.on('error', endOutput)
  return stream
}

function endOutput(error: unknown): never {
  process.exit(errnoOf(error) === 'EPIPE' ? 0 : 74) // the reader has seen enough
}

function readCommandTable(): Command[] {
  const compact = JSON.parse(COMMAND_TABLE) as CompactCommand[] // written by the build
  return compact.map(expandCommand)
}
