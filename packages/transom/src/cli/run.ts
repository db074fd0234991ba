import * as path from 'node:path'
import type { Client } from '@transom/client'
import type { Command } from '@transom/protocol'
import { ERROR_TABLE, OpError, toWireError } from '@transom/protocol/errors'
import { PROTOCOL_VERSION, VERSION } from '@transom/protocol/version'
import { homePath } from '../home/home-path.ts'
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
  out(text: string): void
  err(text: string): void
}

/** Runs one command line; returns the exit status. */
export async function runCli(cli: CliProcess): Promise<number> {
  const asksForJson = cli.argv.slice(0, endOfOptions(cli.argv)).includes('--json')
  try {
    const commands = [...cli.commands, VERSION_COMMAND]
    return await runCommand(cli, parseArgv(cli.argv, commands, cli))
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
  const result = await callHost(finder, command, resolvePaths(params, cli.cwd), cli.signal)
  const text = flags.json ? json(result, cli.pretty) : renderResult(command.operation, result)
  if (text !== '') cli.out(text)
  return 0
}

/** A folder is named as the caller sees it; the host has a working folder of its own. */
function resolvePaths(params: Record<string, unknown>, cwd: string): Record<string, unknown> {
  return typeof params['cwd'] === 'string' ? { ...params, cwd: path.resolve(cwd, params['cwd']) } : params
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

function endOfOptions(argv: readonly string[]): number {
  const at = argv.indexOf('--')
  return at < 0 ? argv.length : at
}

function json(value: unknown, pretty: boolean): string {
  return JSON.stringify(value, null, pretty ? 2 : 0)
}
