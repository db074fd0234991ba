/** The host process: `node host.mjs HOME [--dedicated]`. Says on standard output, in one line of JSON, how starting went. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { toWireError } from '@transom/protocol/errors'
import { Host, type HostKinds, type KindServices } from '../host/host.ts'
import { loadPtyBinding } from '../kinds/terminal/pty-binding.ts'
import { terminalKind } from '../kinds/terminal/terminal-kind.ts'
import { FrameDecoder } from '../kinds/web/frame-decoder.ts'
import { webKind } from '../kinds/web/web-kind.ts'
import { KindRegistry } from '../session/kind-registry.ts'

const home = process.argv[2] ?? ''
const script = process.argv[1] ?? ''
const idleMs = process.env['TRANSOM_HOST_IDLE_MS']
process.title = `transom host ${home}` // so that `ps` tells which Home it serves
process.on('SIGHUP', () => {}) // the terminal that the first client ran in may go

try {
  const host = await Host.start({
    home,
    env: process.env,
    dedicated: process.argv[3] === '--dedicated',
    script,
    recorderProgram: fs.readFileSync(path.join(path.dirname(script), 'recorder.cjs'), 'utf8'),
    kinds,
    reportError: (session, error) => report(`session ${session}`, error),
    assets: path.dirname(script),
    idleMs: idleMs === undefined ? null : Number(idleMs),
  })
  if (host instanceof Host) await serve(host)
  else say({ ready: host })
} catch (error) {
  say({ error: toWireError(error) })
  process.exitCode = 1
}

async function serve(host: Host): Promise<void> {
  process.on('uncaughtException', (error) => die(error))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void host.stop())
  say({ ready: host.address })
  await host.whenLeft()
  process.exit(0) // with it end the connections, which tells the clients
}

function say(outcome: object): void {
  // The client that started this may be gone; a file descriptor needs no error handler.
  try {
    fs.writeSync(1, `${JSON.stringify(outcome)}\n`)
  } catch {
    return // nobody listens any more
  }
}

/** Everything is loaded here: an upgrade may replace the files of a host that runs. */
function kinds({ config, ...services }: KindServices): HostKinds {
  loadPtyBinding()
  const frameProgram = fs.readFileSync(path.join(path.dirname(script), 'frame-worker.cjs'), 'utf8')
  const decoder = new FrameDecoder(frameProgram)
  const registry = new KindRegistry()
    .add(terminalKind({ ...services, size: config.session }))
    .add(webKind({ ...services, decoder }))
  return { registry, close: async () => decoder.close() }
}

/** A bug outside any session: leave a trace and go. The kernel releases the locks, the keeper ends the processes, the logs are whole. */
function die(error: Error): never {
  report('the host', error)
  process.exit(70)
}

function report(what: string, error: unknown): void {
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error)
  try {
    fs.appendFileSync(path.join(home, 'host.log'), `${new Date().toISOString()} ${what}: ${words}\n`)
  } catch {
    return // a full disk is often the reason itself
  }
}
