import * as path from 'node:path'
import type { Client } from '@transom/client'
import type { Command } from '@transom/protocol'
import { ERROR_TABLE, OpError, toWireError } from '@transom/protocol/errors'
import { PROTOCOL_VERSION, VERSION } from '@transom/protocol/version'
import { homePath } from '../home/home-path.ts'
import { messageOf } from '../lib/system-error.ts'
import { exportToStdout, type ExportOutput } from './export-to-stdout.ts'
import { commandHelp, programHelp } from './help.ts'
import { connectToHost, startHost, type HostFinder } from './host-connection.ts'
import { parseArgv, type ParsedArgv } from './parse-argv.ts'
import { renderError, renderResult } from './render.ts'

export interface CliProcess {
  readonly program: string
  readonly argv: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly commands: readonly Command[]
  readonly hostScript: string
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal
  readonly pretty: boolean
  readonly exportOutput: ExportOutput
  readText(file: string): string
  out(text: string): void
  err(text: string): void
}

/** Runs one command line; returns the exit status. */
export async function runCli(cli: CliProcess): Promise<number> {
  const asksForJson = cli.argv.slice(0, endOfOptions(cli.argv)).includes('--json')
  try {
    const commands = [...cli.commands, VERSION_COMMAND]
    const context = { env: cli.env, cwd: cli.cwd, readText: (file: string) => readTextFile(cli, file) }
    return await runCommand(cli, parseArgv(cli.argv, commands, context))
  } catch (error) {
    const wire = toWireError(error)
    if (asksForJson) cli.out(json({ error: wire }, cli.pretty))
    else cli.err(renderError(wire, cli.program))
    return ERROR_TABLE[wire.code].exit
  }
}

/** Answered by the client itself: it must work without a host. */
const VERSION_COMMAND: Command = {
  operation: 'version',
  command: 'version',
  summary: 'Print the version.',
  positionals: [],
  rest: null,
  examples: ['transom version', 'transom version --json'],
  startsHost: false,
  params: [],
}

async function runCommand(cli: CliProcess, { flags, command, params }: ParsedArgv): Promise<number> {
  if (flags.version || (command === VERSION_COMMAND && !flags.help)) {
    cli.out(flags.json ? json({ version: VERSION, protocol: PROTOCOL_VERSION }, cli.pretty) : VERSION)
    return 0
  }
  if (command === null || flags.help) {
    cli.out(command === null ? programHelp(cli.commands, cli.program) : commandHelp(command, cli.program))
    return flags.help ? 0 : ERROR_TABLE.usage.exit
  }
  const finder = { home: homePath(flags.home, cli.env), hostScript: cli.hostScript, env: cli.env }
  const resolved = resolvePaths(command, params, cli.cwd)
  const call = (given: Record<string, unknown>) => callHost(finder, command, given, cli.signal)
  if (command.operation === 'log.export' && resolved['out'] === undefined) {
    if (flags.json) throw new OpError('usage', '"transom log export --json" needs --out FILE')
    await exportToStdout(resolved, cli.exportOutput, call)
    return 0
  }
  const result = await call(resolved)
  const text = flags.json ? json(result, cli.pretty) : renderResult(command.operation, result)
  if (text !== '') cli.out(text)
  return 0
}

/** A file or folder is named as the caller sees it; the host has a working folder of its own. */
function resolvePaths(
  command: Command,
  params: Record<string, unknown>,
  cwd: string,
): Record<string, unknown> {
  const resolved = command.params.flatMap(({ name, type }) => {
    const value = params[name]
    return type === 'path' && typeof value === 'string' ? [[name, path.resolve(cwd, value)] as const] : []
  })
  return { ...params, ...Object.fromEntries(resolved) }
}

async function callHost(
  finder: HostFinder,
  command: Command,
  params: Record<string, unknown>,
  signal: AbortSignal,
): Promise<unknown> {
  const running = await connectToHost(finder)
  if (running !== null) {
    try {
      return await callOn(running, command, params, signal)
    } catch (error) {
      if (!command.startsHost || !isLeavingHost(error)) throw error
    }
  }
  if (!command.startsHost) {
    const message = `no host is running for ${finder.home}; the first "transom create" starts one`
    throw new OpError('host_unavailable', message, { home: finder.home })
  }
  return callOn(await startHost(finder), command, params, signal)
}

async function callOn(
  client: Client,
  command: Command,
  params: Record<string, unknown>,
  signal: AbortSignal,
): Promise<unknown> {
  try {
    return await client.request(command.operation, params, { signal })
  } finally {
    client.close()
  }
}

/** The host left between the connection and the request, which it never took: another one can serve it. */
function isLeavingHost(error: unknown): boolean {
  if (!(error instanceof OpError)) return false
  return (
    error.code === 'host_stopping' ||
    (error.code === 'host_unavailable' && error.details['answered'] === false)
  )
}

function readTextFile(cli: CliProcess, file: string): string {
  try {
    return cli.readText(file === '-' ? file : path.resolve(cli.cwd, file))
  } catch (error) {
    throw new OpError('file_not_read', `cannot read ${JSON.stringify(file)}: ${messageOf(error)}`, { file })
  }
}

function endOfOptions(argv: readonly string[]): number {
  const at = argv.indexOf('--')
  return at < 0 ? argv.length : at
}

function json(value: unknown, pretty: boolean): string {
  return JSON.stringify(value, null, pretty ? 2 : 0)
}
