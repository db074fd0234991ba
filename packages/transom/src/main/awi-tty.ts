/** The `awi-tty` command. Bundled to one file. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { isatty } from 'node:tty'
import { pathToFileURL } from 'node:url'
import { OpError, type WireError } from '@transom/protocol/errors'
import { installBrowser } from '../kinds/web/install-browser.ts'
import { withScheme } from '../surfaces/browser/address.ts'
import { runAwi } from '../surfaces/awi/command/run.ts'
import { homePath } from '../home/home-path.ts'
import { errnoOf } from '../lib/system-error.ts'
import { terminalSafe } from '../lib/terminal-safe.ts'
import type { AwiCommand } from '@transom/protocol'
import type * as HostProgram from './host.ts'

/** As JSON, put in by the build. */
declare const AWI_COMMAND_TABLE: string

const interrupted = new AbortController()
/** A host that has served may have clients left, whose connections end with this process. */
let hasServed = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => interrupted.abort(new OpError('cancelled', 'interrupted')))
process.stdout.on('error', (error) => process.exit(errnoOf(error) === 'EPIPE' ? 0 : 74)) // the reader has seen enough

void runAwi({
  argv: process.argv.slice(2),
  env: process.env,
  commands: JSON.parse(AWI_COMMAND_TABLE) as AwiCommand[],
  signal: interrupted.signal,
  pretty: isatty(1),
  actions: {
    open: async (local, { env, signal }) => {
      if (local['agent_socket'] === undefined) await browse(local, env, signal)
      else await serveAgents(local, env, signal)
      return 0
    },
    'install-browser': async (_options, { env, signal }) => {
      const isWatched = isatty(2)
      const progress = (text: string) => {
        if (isWatched) process.stderr.write(`\r\u001b[K${terminalSafe(text)}`)
      }
      try {
        return await installBrowser({ env, signal, progress })
      } finally {
        progress('') // leaves the line as it was
      }
    },
  },
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${terminalSafe(text)}\n`),
  writeFile: (file, text) => fs.writeFileSync(file, text),
}).then((exitCode) => {
  process.exitCode = exitCode
  if (hasServed) process.stdout.write('', () => process.exit())
})

/** The host's program is a file beside this one: no other command needs it. */
async function hostProgram(): Promise<typeof HostProgram> {
  hasServed = true
  return (await import(pathToFileURL(path.join(__dirname, 'host.mjs')).href)) as typeof HostProgram
}

/** It is another bundle, with an OpError of its own. */
function throwIfFailed(failure: WireError | null): void {
  if (failure !== null) throw new OpError(failure.code, failure.message, failure.details)
}

/** What a browser is started with, for agents and for people alike. */
function browserOptions({ zoom, allow_host, only_host, profile }: Record<string, unknown>) {
  return {
    zoom: zoom as number | undefined, // of the command's own table, as are the others
    allowHosts: (allow_host as string[] | undefined) ?? [],
    onlyHosts: (only_host as string[] | undefined) ?? [],
    profile: profile as string | undefined,
  }
}

/** Serves a browser to agents until it is interrupted. */
async function serveAgents(
  local: Record<string, unknown>,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<void> {
  const { url, agent_socket, cols, rows, home, debug } = local
  const program = await hostProgram()
  const failure = await program.serveAgents({
    ...browserOptions(local),
    env,
    signal,
    home: homePath(home as string | undefined, env),
    url: url === undefined ? undefined : withScheme(url as string),
    agentSocket: agent_socket as string,
    cols: cols as number | undefined,
    rows: rows as number | undefined,
    debug: debug === true,
  })
  throwIfFailed(failure)
}

/** Shows pages to a person, on this terminal. */
async function browse(
  local: Record<string, unknown>,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<void> {
  const inapplicable = ['cols', 'rows', 'debug'].find((name) => local[name] !== undefined)
  if (inapplicable !== undefined) {
    const message = `--${inapplicable} is for a browser with --agent-socket; here, the terminal decides`
    throw new OpError('usage', message, { option: `--${inapplicable}` })
  }
  const { url, home } = local
  const program = await hostProgram()
  const failure = await program.browseInTerminal({
    ...browserOptions(local),
    env,
    signal,
    url: url === undefined ? 'about:blank' : withScheme(url as string),
    home: home === undefined ? undefined : homePath(home as string, env),
  })
  throwIfFailed(failure)
}
