/** The `transom` and `agent-tty` commands. Bundled to one file; the command table is put in by the build. */
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { OpError } from '@transom/protocol/errors'
import { expandCommand, type CompactCommand } from '../cli/local-command.ts'
import { runCli } from '../cli/run.ts'

declare const COMMAND_TABLE: readonly CompactCommand[]

const interrupted = new AbortController()
process.once('SIGINT', () => interrupted.abort(new OpError('cancelled', 'interrupted')))
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 74) // whoever read us has seen enough
})

/** The name it was called by: `transom` and `agent-tty` are links to this file. */
const calledAs = path.basename(process.argv[1] ?? '')

void runCli({
  program: calledAs === path.basename(__filename) ? 'transom' : calledAs,
  argv: process.argv.slice(2),
  env: process.env,
  cwd: process.cwd(),
  readText: (file) => fs.readFileSync(file === '-' ? 0 : file, 'utf8'),
  commands: COMMAND_TABLE.map(expandCommand),
  hostScript: path.join(__dirname, 'host.mjs'),
  signal: interrupted.signal,
  pretty: process.stdout.isTTY,
  exportOutput: {
    isTerminal: process.stdout.isTTY,
    copy: async (fd) => {
      for await (const chunk of fs.createReadStream('', { fd })) {
        if (!process.stdout.write(chunk)) await once(process.stdout, 'drain')
      }
    },
  },
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
}).then((exitCode) => {
  process.exitCode = exitCode
})
