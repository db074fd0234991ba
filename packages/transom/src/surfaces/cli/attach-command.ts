import type { Result } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { localCommand, localParam, sessionParam, type LocalContext } from './local-command.ts'
import { assertTerminal, runInTerminal } from './run-in-terminal.ts'

export const attachCommand = localCommand({
  command: 'attach',
  summary: 'Look at a live session in this terminal, or step in and type.',
  description:
    'Shows the session as it changes, read-only, in any number of terminals. With --write you take its lease: your keys, pastes and clicks go to it, and everyone else’s input is refused until you leave or stop writing; an agent is told so at once. The session keeps its size; a larger one is cut off, and the arrow keys move. Ctrl+] begins a command: d leaves, w begins or stops writing, W takes the lease from another holder, r fits the session to this terminal, Ctrl+] sends that key. Leaving ends nothing in the session. Only cells are drawn: nothing that a program printed reaches your terminal as it was.',
  seeAlso: ['lease take', 'replay', 'watch'],
  examples: ['transom attach work', 'transom attach work --write', 'transom attach work --write --takeover'],
  errors: ['session_not_found', 'session_ambiguous', 'session_ended', 'held', 'host_unavailable', 'usage'],
  positionals: ['session'],
  startsHost: true,
  params: [
    sessionParam(),
    localParam({ name: 'write', type: 'boolean', flag: 'write', description: 'Take the lease, and type.' }),
    localParam({
      name: 'takeover',
      type: 'boolean',
      flag: 'takeover',
      description: 'With --write: take the lease from the caller that holds it.',
    }),
  ],
  run: attach,
})

interface AttachParams {
  readonly session: string
  readonly write?: true
  readonly takeover?: true
}

async function attach(context: LocalContext): Promise<number> {
  const { session, write = false, takeover = false } = context.params as unknown as AttachParams // as above
  assertTerminal(
    context,
    'attach shows a session in a terminal, and this is none; "transom snapshot" prints its screen, "transom watch" reports events',
  )
  if (takeover && !write) throw new OpError('usage', '--takeover goes with --write')
  const { session: id, name } = (await context.call('session.inspect', {
    session,
  })) as Result<'session.inspect'>
  const { socket } = (await context.call('host.status', {})) as Result<'host.status'>
  const given = { session: id, title: name ?? id, write, takeover }
  return runInTerminal(context, 'attach.mjs', [socket, JSON.stringify(given)])
}
