/** `node attach.mjs SOCKET OPTIONS`: a session on the terminal that it runs in. Started by `transom attach`. */
import { Client } from '@transom/client'
import { connectUnixSocket } from '@transom/client/unix-socket'
import { RESPONSE_BYTES_MAX } from '@transom/protocol'
import { ERROR_TABLE, OpError, toWireError } from '@transom/protocol/errors'
import { OwnTerminal } from '@transom/tui/node'
import { terminalSafe } from '../lib/terminal-safe.ts'
import { AttachView, type AttachEnd } from '../surfaces/attach/attach-view.ts'

/** What `transom attach` passes on. */
interface AttachArguments {
  readonly session: string
  readonly title: string
  readonly write: boolean
  readonly takeover: boolean
}

try {
  const given = JSON.parse(process.argv[3] ?? '{}') as AttachArguments // written by cli/attach-command.ts
  const end = await attach(process.argv[2] ?? '', given)
  if (end === 'host_lost')
    throw new OpError('host_unavailable', 'the host has ended or closed the connection')
  process.stdout.write(end === 'ended' ? 'the session has ended\n' : 'detached; the session goes on\n')
} catch (error) {
  const { code, message } = toWireError(error)
  process.stderr.write(`transom: ${terminalSafe(message)}\n`)
  process.exitCode = ERROR_TABLE[code].exit
}
process.exit()

async function attach(
  socket: string,
  { session, title, write, takeover }: AttachArguments,
): Promise<AttachEnd> {
  const ending = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => ending.abort())
  const client = await connect(socket, session)
  // Before the terminal is taken: who holds the session is said on it as it was.
  if (write && !takeover) await assertFree(client, session)
  const terminal = OwnTerminal.take({ env: process.env, mouse: true, paste: true })
  try {
    return await new AttachView({ client, session, title, terminal }).run({ write, takeover }, ending.signal)
  } finally {
    terminal.restore()
    client.close()
  }
}

/** Connects to the host that runs the session: this one, or the one that it names. */
async function connect(socket: string, session: string): Promise<Client> {
  const client = new Client(await connectUnixSocket(socket, { frameBytesMax: RESPONSE_BYTES_MAX }))
  try {
    await client.call('session.lease_status', { session })
    return client
  } catch (error) {
    client.close()
    if (!(error instanceof OpError) || error.code !== 'session_elsewhere') throw error
    return connect(String(error.details['socket']), session)
  }
}

async function assertFree(client: Client, session: string): Promise<void> {
  const { holder } = await client.call('session.lease_status', { session })
  if (holder === null) return
  const message = `the session is held by ${holder.actor} (${holder.role}); --takeover takes it over, and without --write you can watch`
  throw new OpError('held', message)
}
