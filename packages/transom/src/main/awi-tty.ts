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
    open: async ({ url, allow_host, only_host, zoom }, { env, signal }) => {
      const { browseInTerminal } = (await import(
        pathToFileURL(path.join(__dirname, 'web-terminal.mjs')).href
      )) as typeof import('./web-terminal.ts') // loaded by this command alone: it is a hundred times as large
      await browseInTerminal({
        url: url === undefined ? 'about:blank' : withScheme(String(url)),
        env,
        signal,
        allowHosts: (allow_host as string[] | undefined) ?? [], // of the command's own table, as are the others
        onlyHosts: (only_host as string[] | undefined) ?? [],
        zoom: (zoom as number | undefined) ?? 100,
      })
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
