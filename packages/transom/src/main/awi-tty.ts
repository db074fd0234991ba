/** The `awi-tty` command. Bundled to one file. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { isatty } from 'node:tty'
import { pathToFileURL } from 'node:url'
import { OpError } from '@transom/protocol/errors'
import { installBrowser } from '../awi-tty/install-browser.ts'
import { withScheme } from '../browser/address.ts'
import { runAwi } from '../awi-tty/run.ts'
import { errnoOf } from '../lib/system-error.ts'
import type * as webHost from './web-host.ts'
import type * as webTerminal from './web-terminal.ts'

const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => interrupted.abort(new OpError('cancelled', 'interrupted')))
process.stdout.on('error', (error) => process.exit(errnoOf(error) === 'EPIPE' ? 0 : 74)) // whoever read us has seen enough

void runAwi({
  argv: process.argv.slice(2),
  env: process.env,
  signal: interrupted.signal,
  pretty: isatty(1),
  actions: {
    open: async (local, { env, signal }) => {
      if (local['agent_socket'] === undefined) await browse(local, env, signal)
      else await openBrowser(local, env)
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

/** A browser's program is a file of its own, beside this one: no other command needs it. */
function beside(file: string): string {
  return pathToFileURL(path.join(__dirname, file)).href
}

/** For agents. */
async function openBrowser(local: Record<string, unknown>, env: NodeJS.ProcessEnv): Promise<void> {
  const { openBrowser: open } = (await import(beside('web-host.mjs'))) as typeof webHost
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
  // An edge: the values were read by the types of the command's table, in awi-tty/more-commands.ts.
  await open(options as unknown as webHost.OpenBrowserOptions)
}

/** For people. */
async function browse(
  local: Record<string, unknown>,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<void> {
  const inapplicable = ['cols', 'rows', 'debug'].find((name) => local[name] !== undefined)
  if (inapplicable !== undefined) {
    const message = `--${inapplicable} is for a browser with --agent-socket; in a terminal, the terminal decides`
    throw new OpError('usage', message, { option: `--${inapplicable}` })
  }
  const { browseInTerminal } = (await import(beside('web-terminal.mjs'))) as typeof webTerminal
  const { url, zoom = 100, allow_host = [], only_host = [], profile } = local
  const address = typeof url === 'string' ? withScheme(url) : 'about:blank'
  const options = { url: address, env, signal, zoom, allowHosts: allow_host, onlyHosts: only_host, profile }
  await browseInTerminal(options as unknown as webTerminal.WebTerminalOptions) // an edge, as above
}
