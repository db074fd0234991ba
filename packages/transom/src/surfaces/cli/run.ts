import * as fs from 'node:fs'
import * as path from 'node:path'
import type { Command } from '@transom/protocol'
import { ERROR_TABLE, fullMessage, toWireError, type WireError } from '@transom/protocol/errors'
import { homePath } from '../../home/home-path.ts'
import { fromAgentTty } from './agent-tty-spellings.ts'
import { callHost, hostFinder } from './call-host.ts'
import { callerContext, readTextFile } from './caller-context.ts'
import type { CliProcess } from './cli-process.ts'
import { commandHelp, firstSteps, programHelp, transomHelp } from './help.ts'
import type { LocalCommand, LocalContext } from './local-command.ts'
import { LOCAL_COMMANDS } from './local-commands.ts'
import { commandWords, parseArgv, type ParsedArgv } from './parse-argv.ts'
import { renderError } from './render.ts'
import { jsonText, noticePrinter, runOperation } from './run-operation.ts'
import { meantSessions } from './session-suggestions.ts'
import { spellParameters } from './spell-parameters.ts'
import { spellCommand } from './spell-step.ts'
import { meantWords } from './suggestions.ts'
import { versionCommand } from './version-command.ts'

/** Runs one command line; returns the exit status. */
export async function runCli(cli: CliProcess): Promise<number> {
  try {
    const commands = [...cli.commands, ...LOCAL_COMMANDS]
    const argv = cli.program === 'agent-tty' ? fromAgentTty(cli.argv) : cli.argv
    const messages = { program: cli.program, meant: meantWords }
    return await runCommand(cli, parseArgv(argv, commands, callerContext(cli), messages))
  } catch (error) {
    return await reportError(cli, toWireError(error))
  }
}

/** Prints why a command line failed; returns the exit status. */
export async function reportError(cli: CliProcess, error: WireError): Promise<number> {
  const asksForJson = cli.argv.slice(0, endOfOptions(cli.argv)).includes('--json')
  const inWords = spellParameters(error.message, cli.commands, calledCommand(cli))
  const isUnknown = error.code === 'session_not_found' || error.code === 'conversation_not_found'
  const meant = isUnknown ? await meantSessions(cli, error.details) : ''
  const wire = {
    ...error,
    message: fullMessage({ ...error, message: inWords + meant }, spellCommand(cli.commands, cli.program)),
  }
  if (asksForJson) cli.out(jsonText({ error: wire }, cli.pretty))
  else cli.err(renderError(wire, cli.program))
  return ERROR_TABLE[wire.code].exit
}

async function runCommand(cli: CliProcess, { flags, command, params }: ParsedArgv): Promise<number> {
  const commands = [...cli.commands, ...LOCAL_COMMANDS.filter(({ hidden }) => !hidden)]
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
        needsHome: true,
        params: given,
        signal: cli.signal,
        notice: noticePrinter(cli),
        onProgress,
      }),
    shippedText: (file) => readTextFile(cli, path.join(path.dirname(cli.hostScript), file)).trimEnd(),
    loadProgram: (file) => import(path.join(path.dirname(cli.hostScript), file)),
    answer: (result, text) => cli.out(flags.json ? jsonText(result, cli.pretty) : text),
  }
  if (flags.version) return await versionCommand.run(context)
  if (command === null || flags.help) {
    const about = transomHelp(cli.program)
    if (command !== null) cli.out(commandHelp(command, about))
    else if (flags.help || hasSessions(homePath(flags.home, cli.env))) cli.out(programHelp(commands, about))
    else cli.out(firstSteps(cli.program))
    return flags.help ? 0 : ERROR_TABLE.usage.exit
  }
  if (isLocal(command)) return await command.run(context)
  return await runOperation(cli, command, { flags, params })
}

/** The command of the table that was called, if the command line can be read so far. */
function calledCommand({ argv, commands }: CliProcess): Command | undefined {
  try {
    const [first = '', second = ''] = commandWords(argv)
    return [`${first} ${second}`, first]
      .map((name) => commands.find((it) => it.command === name))
      .find(Boolean)
  } catch {
    return undefined // an unknown option before the command
  }
}

/** Whether a Home has any session, live or ended. */
function hasSessions(home: string): boolean {
  try {
    return fs.readdirSync(path.join(home, 'sessions')).length > 0
  } catch {
    return false // there is no such Home yet, or it cannot be read: the first command says so
  }
}

function isLocal(command: Command): command is LocalCommand {
  return LOCAL_COMMANDS.some((local) => local === command)
}

function endOfOptions(argv: readonly string[]): number {
  const at = argv.indexOf('--')
  return at < 0 ? argv.length : at
}
