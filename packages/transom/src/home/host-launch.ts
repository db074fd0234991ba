import { once } from 'node:events'
import { OpError, isErrorCode, type WireError } from '@transom/protocol/errors'
import { SESSION_VARIABLE } from '../platform/platform.ts'

/** Where a host accepts connections. The lock file says it too; it is empty at any other time. */
export interface HostAddress {
  readonly socket: string
  readonly pid: number
}

export interface LaunchOptions {
  /** Absolute. */
  readonly home: string
  /** The program of the host process. */
  readonly hostScript: string
  readonly env: NodeJS.ProcessEnv
  /** A host for one session, beside the one that serves the Home. */
  readonly dedicated?: boolean
}

/**
 * V8's young generation holds at most this many megabytes, twice. By default it grows to 16 MB each while a program
 * floods its terminal, and never shrinks in a host that is idle afterwards. Two cost no more than the spread of the runs.
 */
const HEAP_FLAGS = ['--max-semi-space-size=2']

/** Starts a host process and resolves when it is ready; when another was faster, with that one's address. */
export async function launchHost({ home, hostScript, env, dedicated }: LaunchOptions): Promise<HostAddress> {
  const { spawn } = await import('node:child_process') // only the first command of a Home needs it
  const child = spawn(
    process.execPath,
    [...HEAP_FLAGS, hostScript, home, ...(dedicated ? ['--dedicated'] : [])],
    {
      detached: true, // it outlives this process and its terminal
      stdio: ['ignore', 'pipe', 'ignore'],
      cwd: '/', // it must not keep a folder from being unmounted
      env: { ...env, [SESSION_VARIABLE]: undefined },
    },
  )
  const line = await firstLine(child.stdout)
  child.stdout.destroy()
  const outcome = parseOutcome(line)
  if ('ready' in outcome) {
    child.unref()
    return outcome.ready
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit') // a refusal leaves no process
  const { code, message, details } = outcome.error
  throw new OpError(isErrorCode(code) ? code : 'host_unavailable', message, details)
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const chunk of stream) {
    text += String(chunk)
    if (text.includes('\n')) break
  }
  return text
}

type Outcome = { ready: HostAddress } | { error: Omit<WireError, 'retryable'> }

function parseOutcome(line: string): Outcome {
  try {
    return JSON.parse(line) as Outcome // written by main/host.ts of this same version
  } catch {
    return { error: { code: 'host_unavailable', message: 'the host ended before it was ready', details: {} } }
  }
}
