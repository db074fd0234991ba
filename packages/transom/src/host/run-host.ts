import * as fs from 'node:fs'
import * as path from 'node:path'
import { toWireError } from '@transom/protocol/errors'
import { Host, type HostKinds, type HostOptions, type KindServices } from './host.ts'

/**
 * The host process, `node host.mjs HOME [--dedicated]`, with the kinds of session that it is to run. Prints one line of
 * JSON that says how starting went.
 */
export async function runHost(kinds: (services: KindServices) => HostKinds): Promise<void> {
  const [, script = '', home = '', variant] = process.argv
  const idleMs = process.env['TRANSOM_HOST_IDLE_MS']
  process.title = `transom host ${home}` // so that `ps` shows which Home it serves
  process.on('SIGHUP', () => {}) // the terminal that the first client ran in may go
  try {
    const host = await Host.start({
      home,
      env: process.env,
      dedicated: variant === '--dedicated',
      ...hostFiles(script),
      kinds,
      reportError: (session, error) => report(home, `session ${session}`, error),
      idleMs: idleMs === undefined ? null : Number(idleMs),
    })
    if (host instanceof Host) await serve(host, home)
    else print({ ready: host })
  } catch (error) {
    print({ error: toWireError(error) })
    process.exitCode = 1
  }
}

/** What a host needs of the files beside its program. */
export function hostFiles(script: string): Pick<HostOptions, 'script' | 'recorderProgram' | 'assets'> {
  const assets = path.dirname(script)
  return { script, assets, recorderProgram: fs.readFileSync(path.join(assets, 'recorder.cjs'), 'utf8') }
}

async function serve(host: Host, home: string): Promise<void> {
  // A bug outside any session. The kernel releases the locks, the keeper ends the processes, the logs are whole.
  process.on('uncaughtException', (error) => {
    report(home, 'the host', error)
    process.exit(70)
  })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void host.stop())
  print({ ready: host.address })
  await host.whenLeft()
  process.exit(0) // closes the connections, so that clients notice
}

function print(outcome: object): void {
  // The client that started this may be gone; a file descriptor needs no error handler.
  try {
    fs.writeSync(1, `${JSON.stringify(outcome)}\n`)
  } catch {
    return // there is no reader any more
  }
}

/** Keeps a trace of an error, in the Home. */
export function report(home: string, what: string, error: unknown): void {
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error)
  try {
    fs.appendFileSync(path.join(home, 'host.log'), `${new Date().toISOString()} ${what}: ${words}\n`)
  } catch {
    return // a full disk is often the reason itself
  }
}
