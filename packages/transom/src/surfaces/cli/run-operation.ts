import type { Command } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { callHost, hostFinder } from './call-host.ts'
import type { CliProcess } from './cli-process.ts'
import { exportToStdout, printsFile } from './export-to-stdout.ts'
import type { ParsedArgv } from './parse-argv.ts'
import { runAndPrint, type Ask } from './print-block.ts'
import { noticesOf, renderResult } from './render.ts'
import { resolvePaths } from './resolve-paths.ts'

/** Runs a command of the operation table: calls the host and prints the result. Returns the exit status. */
export async function runOperation(
  cli: CliProcess,
  command: Command,
  { flags, params }: Pick<ParsedArgv, 'flags' | 'params'>,
): Promise<number> {
  const resolved = resolvePaths(command, params, cli)
  const { operation, startsHost, endsHost } = command
  const notice = noticePrinter(cli)
  const onProgress = ({ done }: Record<string, unknown>) =>
    cli.progress(`${command.command}: ${Math.floor(Number(done) * 100)} %`)
  const call = async (given: Record<string, unknown>) => {
    const request = { operation, startsHost, endsHost, params: given, signal: cli.signal, notice, onProgress }
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
        params: given,
        signal: cli.signal,
        notice,
      })
    return await runAndPrint(resolved, ask, { ...cli.exportOutput, notice, hasInput: cli.hasInput })
  }
  const result = await call(resolved)
  const text = flags.json ? jsonText(result, cli.pretty) : renderResult(command, result)
  if (text !== '') cli.out(text)
  if (!flags.json) noticesOf(command, result).forEach(notice)
  return 0
}

/** Prints what a person should know beside the result. */
export function noticePrinter(cli: CliProcess): (text: string) => void {
  return (text) => cli.err(`${cli.program}: ${text}`)
}

export function jsonText(value: unknown, pretty: boolean): string {
  return JSON.stringify(value, null, pretty ? 2 : 0)
}
