import * as path from 'node:path'
import type { CallOptions, Client } from '@transom/client'
import type { Command } from '@transom/protocol'
import { ERROR_TABLE, OpError, toWireError } from '@transom/protocol/errors'
import { homePath } from '../../home/home-path.ts'
import { messageOf } from '../../lib/system-error.ts'
import type { CliProcess } from './cli-process.ts'
import { exportToStdout, printsFile } from './export-to-stdout.ts'
import { commandHelp, programHelp, transomHelp } from './help.ts'
import {
  connectToHost,
  followSession,
  otherProtocols,
  startHost,
  type HostFinder,
} from './host-connection.ts'
import type { LocalCommand, LocalContext } from './local-command.ts'
import { LOCAL_COMMANDS } from './local-commands.ts'
import { parseArgv, type GlobalFlags, type ParsedArgv } from './parse-argv.ts'
import { resolvePaths } from './resolve-paths.ts'
import { runAndPrint, type Ask } from './print-block.ts'
import { noticesOf, renderError, renderResult } from './render.ts'
import { versionCommand } from './version-command.ts'

/** Runs one command line; returns the exit status. */
export async function runCli(cli: CliProcess): Promise<number> {
  const asksForJson = cli.argv.slice(0, endOfOptions(cli.argv)).includes('--json')
  try {
    const commands = [...cli.commands, ...LOCAL_COMMANDS]
    const context = { env: cli.env, cwd: cli.cwd, readText: (file: string) => readTextFile(cli, file) }
    return await runCommand(cli, parseArgv(cli.argv, commands, context))
  } catch (error) {
    const wire = toWireError(error)
    if (asksForJson) cli.out(json({ error: wire }, cli.pretty))
    else cli.err(renderError(wire, cli.program))
    return ERROR_TABLE[wire.code].exit
  }
}

async function runCommand(cli: CliProcess, { flags, command, params }: ParsedArgv): Promise<number> {
  const commands = [...cli.commands, ...LOCAL_COMMANDS.filter(({ hidden }) => !hidden)]
  const notice = (text: string) => cli.err(`${cli.program}: ${text}`)
  const context: LocalContext = {
    cli,
    flags,
    params,
    commands,
    host: () => hostFinder(cli, flags),
    readText: (file) => readTextFile(cli, file),
    call: async (operation, given, onProgress) =>
      callHost(context.host(), {
        operation,
        startsHost: true,
        params: given,
        signal: cli.signal,
        notice,
        onProgress,
      }),
    shippedText: (file) => readTextFile(cli, path.join(path.dirname(cli.hostScript), file)).trimEnd(),
    loadProgram: (file) => import(path.join(path.dirname(cli.hostScript), file)),
    answer: (result, text) => cli.out(flags.json ? json(result, cli.pretty) : text),
  }
  if (flags.version) return await versionCommand.run(context)
  if (command === null || flags.help) {
    const about = transomHelp(cli.program)
    cli.out(command === null ? programHelp(commands, about) : commandHelp(command, about))
    return flags.help ? 0 : ERROR_TABLE.usage.exit
  }
  if (isLocal(command)) return await command.run(context)
  const resolved = resolvePaths(command, params, cli.cwd)
  const { operation, startsHost, endsHost } = command
  const onProgress = ({ done }: Record<string, unknown>) =>
    cli.progress(`${command.command}: ${Math.floor(Number(done) * 100)} %`)
  const call = async (given: Record<string, unknown>) => {
    const request = { operation, startsHost, endsHost, params: given, signal: cli.signal, notice, onProgress }
    return callHost(context.host(), request).finally(() => cli.progress(''))
  }
  if (printsFile(command, resolved)) {
    if (flags.json) throw new OpError('usage', `"transom ${command.command} --json" needs --out FILE`)
    const printed = await exportToStdout(resolved, cli.exportOutput, call)
    noticesOf(command, printed).forEach(notice)
    return 0
  }
  if (command.prints?.what === 'block' && !flags.json) {
    const ask: Ask = (asked, given) =>
      callHost(context.host(), { operation: asked, startsHost, params: given, signal: cli.signal, notice })
    return await runAndPrint(resolved, ask, { ...cli.exportOutput, notice })
  }
  const result = await call(resolved)
  const text = flags.json ? json(result, cli.pretty) : renderResult(command, result)
  if (text !== '') cli.out(text)
  if (!flags.json) noticesOf(command, result).forEach(notice)
  return 0
}

function hostFinder(cli: CliProcess, flags: GlobalFlags): HostFinder {
  const debugs = flags.debug || cli.env['TRANSOM_DEBUG'] === '1'
  return {
    home: homePath(flags.home, cli.env),
    hostScript: cli.hostScript,
    env: debugs ? { ...cli.env, TRANSOM_DEBUG: '1' } : cli.env, // a host that is started keeps a debug log
    debug: debugs ? debugLines(cli) : () => {},
  }
}

function debugLines(cli: CliProcess): HostFinder['debug'] {
  const startMs = performance.now()
  return (text) => cli.err(`debug: ${(performance.now() - startMs).toFixed(1)} ms: ${text}`)
}

function isLocal(command: Command): command is LocalCommand {
  return LOCAL_COMMANDS.some((local) => local === command)
}

interface Request {
  readonly operation: string
  readonly startsHost: boolean
  readonly endsHost?: boolean
  readonly params: Record<string, unknown>
  readonly signal: AbortSignal
  /** Prints a notice for the user beside the result. */
  notice(text: string): void
  readonly onProgress?: CallOptions['onProgress']
}

/** Asks the host of the Home, starting one where needed, and follows a session to the host that runs it. */
async function callHost(finder: HostFinder, request: Request): Promise<unknown> {
  try {
    return await callHomeHost(finder, request)
  } catch (error) {
    if (!(error instanceof OpError) || error.code !== 'session_elsewhere') throw error
    finder.debug('another host runs that session')
    return callOn(await followSession(error), request, finder.debug)
  }
}

async function callHomeHost(finder: HostFinder, request: Request): Promise<unknown> {
  const running = await connectToHost(finder)
  if (running !== null) {
    try {
      return await callOn(running, request, finder.debug)
    } catch (error) {
      if (!request.startsHost || !isLeavingHost(error)) throw error
    }
  }
  if (!request.startsHost) {
    const message = `no host is running for ${finder.home}; the first "transom create" starts one`
    throw new OpError('host_unavailable', message, { home: finder.home })
  }
  const started = await startHost(finder)
  for (const protocol of otherProtocols(finder.home)) {
    request.notice(
      `a host of another version (protocol ${protocol}) keeps its sessions; new ones start on this version's`,
    )
  }
  return callOn(started, request, finder.debug)
}

async function callOn(
  client: Client,
  { operation, endsHost, params, signal, onProgress }: Request,
  debug: HostFinder['debug'],
): Promise<unknown> {
  debug(`asking for ${operation}`) // no parameters: one may be a secret
  try {
    const result = await client.request(operation, params, { signal, onProgress })
    debug('answered')
    // The connection closes when the host ends, so that no host is left after this.
    if (endsHost === true) await client.whenClosed()
    return result
  } catch (error) {
    debug(`failed with ${toWireError(error).code}`)
    throw error
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
