import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import type { Command } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'

export interface ExportOutput {
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean
  /** Copies an open file to standard output, as fast as that is read. */
  copy(fd: number): Promise<void>
  /** Writes bytes to standard output, as fast as that is read. */
  write(bytes: Uint8Array): Promise<void>
}

const BINARY_FORMATS: readonly unknown[] = ['raw', 'apng', 'gif', 'webm', 'mp4']

/** Whether the file that an operation writes is for standard output. */
export function printsFile(
  { prints }: Pick<Command, 'prints'>,
  params: Readonly<Record<string, unknown>>,
): boolean {
  if (params['out'] === '-') return true
  return prints?.what === 'file' && prints.unless.every((name) => params[name] === undefined)
}

/**
 * `log export` without --out, and `screenshot` with `--out -`: the host writes a file of its caller's, and the caller
 * prints that. So an export of any size goes through a fixed amount of memory at both ends, and the host has one way to
 * export. Returns what the host answered.
 */
export async function exportToStdout(
  params: Record<string, unknown>,
  output: ExportOutput,
  callHost: (params: Record<string, unknown>) => Promise<unknown>,
): Promise<unknown> {
  const isPicture = params['out'] === '-'
  if (output.isTerminal && (isPicture || BINARY_FORMATS.includes(params['format']))) {
    const what = isPicture
      ? 'a picture is no text for a terminal'
      : `${String(params['format'])} output would control your terminal`
    const message = `${what}; add --out FILE, or send it to a file or a program`
    throw new OpError('usage', message, { option: isPicture ? '--out' : '--format' })
  }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-export-')) // 0700
  let fd: number
  let result: unknown
  try {
    const out = path.join(folder, 'export')
    result = await callHost({ ...params, out })
    fd = fs.openSync(out, 'r')
  } finally {
    fs.rmSync(folder, { recursive: true, force: true }) // an open file stays readable, and nothing is left on disk
  }
  await output.copy(fd)
  return result
}
