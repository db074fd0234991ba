import type { Command, Result } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { callHost, hostFinder } from './call-host.ts'
import type { CliProcess } from './cli-process.ts'
import { exportToStdout, printsFile } from './export-to-stdout.ts'
import type { ParsedArgv } from './parse-argv.ts'
import { blockStatus, runAndPrint, type Ask } from './print-block.ts'
import { noticesOf, renderResult } from './render.ts'
import { resolvePaths } from './resolve-paths.ts'

/** Runs a command of the operation table: calls the host and prints the result. Returns the exit status. */
export async function runOperation(
  cli: CliProcess,
  command: Command,
  { flags, params }: Pick<ParsedArgv, 'flags' | 'params'>,
): Promise<number> {
  const resolved = resolvePaths(command, await withSecret(command, params, cli), cli)
  const { operation, startsHost, needsHome, endsHost } = command
  const notice = noticePrinter(cli)
  const { signal } = cli
  const onProgress = ({ done }: Record<string, unknown>) =>
    cli.progress(`${command.command}: ${Math.floor(Number(done) * 100)} %`)
  const call = async (given: Record<string, unknown>) => {
    const request = { operation, startsHost, needsHome, endsHost, params: given, signal, notice, onProgress }
    return callHost(hostFinder(cli, flags), request).finally(() => cli.progress(''))
  }
  if (printsFile(command, resolved)) {
    if (flags.json) throw new OpError('usage', `"transom ${command.command} --json" needs --out FILE`)
    const printed = await exportToStdout(resolved, cli.exportOutput, call)
    noticesOf(command, printed).forEach(notice)
    return 0
  }
  if (command.prints?.what === 'block' && !flags.json) {
    const ask: Ask = (asked, given) =>
      callHost(hostFinder(cli, flags), {
        operation: asked,
        startsHost,
        needsHome,
        params: given,
        signal,
        notice,
      })
    return await runAndPrint(resolved, ask, { ...cli.exportOutput, notice, hasInput: cli.hasInput })
  }
  const result = await call(resolved)
  const text = flags.json ? jsonText(result, cli.pretty) : renderResult(command, result, resolved)
  if (text !== '') cli.out(text)
  if (!flags.json) noticesOf(command, result).forEach(notice)
  return command.prints?.what === 'block' ? blockStatus(result as Result<'session.run'>, resolved) : 0 // by the table
}

/** Parameters with the one that is a secret, if that was left to be read. */
async function withSecret(
  { params: known }: Command,
  params: Record<string, unknown>,
  cli: CliProcess,
): Promise<Record<string, unknown>> {
  const secret = known.find(({ secretWith }) => secretWith !== null && params[secretWith] === true)
  if (secret === undefined || params[secret.name] !== undefined) return params
  const text = await cli.readSecret()
  if (text === '') throw new OpError('usage', 'the secret is empty: standard input has no first line')
  return { ...params, [secret.name]: text }
}

/** Prints what a person should know beside the result. */
export function noticePrinter(cli: CliProcess): (text: string) => void {
  return (text) => cli.err(`${cli.program}: ${text}`)
}

export function jsonText(value: unknown, pretty: boolean): string {
  return JSON.stringify(value, null, pretty ? 2 : 0)
}
