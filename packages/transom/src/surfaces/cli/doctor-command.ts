import * as path from 'node:path'
import type { CheckResult } from '../../doctor/check.ts'
import { ERROR_TABLE, OpError } from '@transom/protocol/errors'
import { localCommand, type LocalContext } from './local-command.ts'
import { printable } from './text-layout.ts'

export const doctorCommand = localCommand({
  command: 'doctor',
  summary: 'Check what works here, what degrades, and what to do about it.',
  description:
    'Works without a host and starts none: a program is run on a real pty, the Home and the socket’s folder are written to, and what the kernel offers is tried out. Nothing stays behind. Ends with 0 when nothing failed, though something may be degraded, or absent: what is absent is optional, and the report says what it makes possible.',
  seeAlso: ['host status'],
  examples: ['transom doctor', 'transom doctor --json'],
  errors: ['host_unavailable'],
  run: doctor,
})

interface Report {
  readonly version: string
  readonly home: string
  readonly checks: readonly CheckResult[]
}

async function doctor(context: LocalContext): Promise<number> {
  const { home, hostScript, env } = context.host()
  const report = await examine(path.join(path.dirname(hostScript), 'doctor.mjs'), home, {
    env,
    signal: context.cli.signal,
  })
  const hasFailed = report.checks.some(({ status }) => status === 'failed')
  context.answer({ ok: !hasFailed, ...report }, report.checks.flatMap(checkLines).join('\n'))
  return hasFailed ? ERROR_TABLE.host_unavailable.exit : 0
}

async function examine(
  script: string,
  home: string,
  options: { env: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<Report> {
  const { spawn } = await import('node:child_process')
  const child = spawn(process.execPath, [script, home], { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => (stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  await new Promise<void>((resolve) => {
    child.on('error', () => resolve())
    child.on('close', () => resolve())
  })
  options.signal.throwIfAborted()
  try {
    return JSON.parse(stdout) as Report // printed by main/doctor.ts of this same version
  } catch (error) {
    const message = `the checks could not be run: ${stderr.trim() || 'they ended without a word'}; install transom again`
    throw new OpError('host_unavailable', message, { script }, { cause: error })
  }
}

const STATUS_COLS = 'degraded'.length
const NAME_COLS = 'emoji_in_pictures'.length

function checkLines({ check, status, found, advice }: CheckResult): string[] {
  const lead = `${status.padEnd(STATUS_COLS)}  ${check.padEnd(NAME_COLS)}  `
  const next = advice === null ? [] : [`${' '.repeat(lead.length)}→ ${printable(advice)}`]
  return [lead + printable(found), ...next]
}
