/** The `awi-tty` command. Bundled to one file. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { pathToFileURL } from 'node:url'
import { isatty } from 'node:tty'
import { OpError } from '@transom/protocol/errors'
import type { OpenBrowserOptions } from './web-host.ts'
import { installBrowser } from '../awi-tty/install-browser.ts'
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
  actions: {
    open: async (local, { env }) => {
      if (local['agent_socket'] === undefined) {
        throw new OpError('usage', 'awi-tty open serves agents: add --agent-socket, with a path or without')
      }
      await openBrowser(local, env)
      return 0
    },
    'install-browser': async (_options, { env, signal }) => {
      const isWatched = isatty(2)
      const progress = (text: string) => {
        if (isWatched) process.stderr.write(`\r\u001b[K${text}`)
      }
      try {
        return await installBrowser({ env, signal, progress })
      } finally {
        progress('') // leaves the line as it was
      }
    },
  },
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  writeFile: (file, text) => fs.writeFileSync(file, text),
}).then((exitCode) => (process.exitCode = exitCode))

/** The browser's program is a file of its own, beside this one: no other command needs it. */
async function openBrowser(local: Record<string, unknown>, env: NodeJS.ProcessEnv): Promise<void> {
  const folder = path.dirname(fs.realpathSync(process.argv[1] ?? ''))
  const program = pathToFileURL(path.join(folder, 'web-host.mjs')).href
  const { openBrowser: open } = (await import(program)) as typeof import('./web-host.ts')
  const { url, agent_socket, cols, rows, zoom, allow_host, only_host, profile, debug } = local
  const options = {
    env,
    url,
    agentSocket: agent_socket,
    cols,
    rows,
    zoom,
    allowHosts: allow_host,
    onlyHosts: only_host,
    profile,
    debug,
  }
  // An edge: the values were read by the types of the command's table, in awi-tty/commands.ts.
  const failure = await open(options as unknown as OpenBrowserOptions)
  if (failure !== null) throw new OpError(failure.code, failure.message, failure.details)
}
