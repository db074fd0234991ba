/** The process of the `transom` command, as its two programs (cli.ts, whole-cli.ts) see it. */
import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { isatty } from 'node:tty'
import type { Command } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { errnoOf } from '../lib/system-error.ts'
import { terminalSafe } from '../lib/terminal-safe.ts'
import { workingFolder } from '../lib/working-folder.ts'
import type { CliProcess } from '../surfaces/cli/cli-process.ts'
import { readSecret } from './read-secret.ts'

/** Node's stream around standard output, which costs milliseconds to set up: only where a plain write does not do. */
let stream: NodeJS.WriteStream | null = null
let progressShown = false

/** The process that runs this program; interrupting it aborts the command from now on. */
export function cliProcess(commands: () => readonly Command[]): CliProcess {
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort(new OpError('cancelled', 'interrupted')))
  return {
    program: programName(),
    argv: process.argv.slice(2),
    env: process.env,
    get cwd() {
      return workingFolder()
    },
    readSecret: async () => readSecret(interrupted.signal),
    readText: readUtf8,
    get commands() {
      return commands()
    },
    hostScript: path.join(__dirname, 'host.mjs'),
    signal: interrupted.signal,
    pretty: isatty(1),
    get hasInput() {
      return isPipeOrFile(0)
    },
    exportOutput: {
      isTerminal: isatty(1),
      copy: async (fd) => {
        // On a terminal it is text (export-to-stdout.ts), and a person reads it; elsewhere the bytes stay as they are.
        const safe = isatty(1) ? { encoding: 'utf8' as const } : {}
        for await (const chunk of fs.createReadStream('', { fd, ...safe }))
          await write(typeof chunk === 'string' ? Buffer.from(terminalSafe(chunk)) : (chunk as Uint8Array))
      },
      write,
    },
    progress: showProgress,
    out: (text) => print(`${terminalSafe(text)}\n`),
    err: (text) => process.stderr.write(`${terminalSafe(text)}\n`),
  }
}

/** Ends the process with what the command returned. */
export function exitWith(exitCode: number): void {
  process.exitCode = exitCode
  if (stream === null) process.exit() // everything is written: no need to wait for the host to close its end
}

/** The name it was called by: `transom` and `agent-tty` are links to cli.cjs. */
function programName(): string {
  const calledAs = path.basename(process.argv[1] ?? '')
  return calledAs === 'cli.cjs' ? 'transom' : calledAs
}

/** The whole of a file, or of standard input for `-`. What is not UTF-8 would be sent as other characters: refused. */
function readUtf8(file: string): string {
  const bytes = fs.readFileSync(file === '-' ? 0 : file)
  const text = bytes.toString('utf8')
  if (isUtf8(bytes)) return text
  const wrong = Buffer.from(text).findIndex((byte, at) => byte !== bytes[at])
  throw new Error(`it is not UTF-8 text (at byte ${wrong}); convert it first, for instance with iconv`)
}

function isPipeOrFile(fd: number): boolean {
  try {
    const stat = fs.fstatSync(fd)
    return stat.isFIFO() || stat.isFile()
  } catch {
    return false // it is closed
  }
}

function showProgress(text: string): void {
  // Where it is, a line that the next one replaces; elsewhere nothing.
  if (!isatty(2) || (text === '' && !progressShown)) return
  progressShown = text !== ''
  process.stderr.write(`\r\u001b[K${terminalSafe(text).slice(0, (process.stderr.columns ?? 80) - 1)}`)
}

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
