/** The `awi-tty` command. Bundled to one file. */
import * as fs from 'node:fs'
import { isatty } from 'node:tty'
import { OpError } from '@transom/protocol/errors'
import { runAwi } from '../awi-tty/run.ts'
import { errnoOf } from '../lib/system-error.ts'

const interrupted = new AbortController()
process.once('SIGINT', () => interrupted.abort(new OpError('cancelled', 'interrupted')))
process.stdout.on('error', (error) => process.exit(errnoOf(error) === 'EPIPE' ? 0 : 74)) // whoever read us has seen enough

void runAwi({
  argv: process.argv.slice(2),
  env: process.env,
  signal: interrupted.signal,
  pretty: isatty(1),
  actions: {},
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  writeFile: (file, text) => fs.writeFileSync(file, text),
}).then((exitCode) => (process.exitCode = exitCode))
