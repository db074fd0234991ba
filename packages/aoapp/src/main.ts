#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { OwnTerminal } from '@transom/tui/node'
import { checkCommand } from './check-command.ts'
import { devCommand } from './dev-command.ts'
import { AppSource } from './inspector/app-source.ts'
import { inspect } from './inspector/inspect-command.ts'
import { SocketSource } from './inspector/inspector-socket.ts'
import { makeOutput } from './output.ts'
import { packCommand } from './pack-command.ts'
import { testCommand } from './test-command.ts'
import { UsageError, messageOf } from './usage-error.ts'

const HELP = `Develop apps for @aotui/runtime. An app is a folder with an aoapp.json.

  aoapp dev                  run the app, reload it on save, type commands to it
  aoapp inspect              look into it on a full screen; --socket for a desktop elsewhere
  aoapp test                 drive it through the transcripts below test/
  aoapp test --update        … and write what views show into them
  aoapp check                manifest, imports, markup, ids, restart
  aoapp pack --out packages  build, check and pack it for npm

Options
  --dir DIR    the app's folder (default: the current one)
  --socket PATH  the socket that a program opened with serveInspector (inspect)
  --no-build   run what is built already (test, check)
  --update     rewrite the views that transcripts expect (test)
  --out DIR    where the package is written (pack; default: the current folder)
  --json       print one JSON object (test, check, pack)
  --version, --help

Every command but dev exits with 1 if something is wrong with the app, and with 64 if it was called wrongly.
`

const EXIT_USAGE = 64

process.exitCode = await run(process.argv.slice(2))

async function run(argv: readonly string[]): Promise<number> {
  try {
    return await runCommand(argv)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`aoapp: ${error.message}\n`)
    return EXIT_USAGE
  }
}

async function runCommand(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parse(argv)
  const [command, ...files] = positionals
  if (values.version) process.stdout.write(`${ownVersion()}\n`)
  else if (values.help || command === undefined) process.stdout.write(HELP)
  if (values.version || values.help) return 0
  const dir = resolve(values.dir)
  const output = makeOutput(values.json)
  const exit = (isGood: boolean) => (isGood ? 0 : 1)
  if (command !== 'test' && files.length > 0)
    throw new UsageError(`"${files.join(' ')}" is not understood; the folder of the app is given by --dir`)
  switch (command) {
    case undefined:
      return EXIT_USAGE
    case 'dev':
      await devCommand({ dir, input: process.stdin, signal: untilInterrupted() }, output)
      return 0
    case 'inspect':
      return await inspectCommand(dir, values.socket)
    case 'test':
      return exit(
        await testCommand({ dir, files, build: !values['no-build'], update: values.update }, output),
      )
    case 'check':
      return exit(await checkCommand({ dir, build: !values['no-build'] }, output))
    case 'pack':
      return exit(await packCommand({ dir, out: resolve(values.out) }, output))
    default:
      throw new UsageError(`there is no command "${command}"; "aoapp --help" lists them`)
  }
}

async function inspectCommand(dir: string, socket: string | undefined): Promise<number> {
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new UsageError('inspect needs a terminal; "aoapp dev" works without one')
  const source = socket === undefined ? new AppSource(dir) : await openSocket(socket)
  const terminal = OwnTerminal.take({ env: process.env, mouse: true, paste: true })
  const reason = await inspect({
    terminal,
    source,
    now: () => performance.timeOrigin + performance.now(),
  }).finally(() => terminal.restore())
  if (reason !== undefined) process.stderr.write(`aoapp: ${reason}\n`)
  return reason === undefined ? 0 : 1
}

async function openSocket(path: string): Promise<SocketSource> {
  try {
    return await SocketSource.open(path)
  } catch (error) {
    throw new UsageError(`no desktop answers at ${path}: ${messageOf(error)}`, { cause: error })
  }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        dir: { type: 'string', default: '.' },
        out: { type: 'string', default: '.' },
        socket: { type: 'string' },
        'no-build': { type: 'boolean', default: false },
        update: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
        version: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error })
  }
}

function untilInterrupted(): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort())
  return controller.signal
}

function ownVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  return manifest.version
}
