import type { Client } from '@transom/client'
import { OpError, isErrorCode } from '@transom/protocol/errors'
import { EventCommand } from './event-command.ts'
import { isMissing, noSuchSession } from './call-host.ts'
import { connectOrStartHost, followSession } from './host-connection.ts'
import { localCommand, localParam, sessionParam, type LocalContext } from './local-command.ts'
import { printable } from './text-layout.ts'
import { Watcher, parseCondition, type WatchCondition, type WatchEvent } from './watcher.ts'

const IDLE_MS_DEFAULT = 2000
const IDLE_MS_MAX = 24 * 60 * 60 * 1000 // a day: past it a timer's 32 bits are near their end

export const watchCommand = localCommand({
  command: 'watch',
  summary: 'Report whenever a session rings the bell, falls idle, shows a text or ends.',
  description:
    'Follows the session until it ends and prints a line for each event, with --json an object a line, or runs a command. Nothing is polled. A text is an event when it appears on the screen, and again when it appears after it was gone; one that is there at the start counts. Idle is reported once for each time that the program has drawn nothing for --idle-ms. Commands run one after another, by /bin/sh, with TRANSOM_EVENT (exit, idle, text or bell), TRANSOM_SESSION and TRANSOM_TEXT: the exit code or signal, the milliseconds, the line that shows the text, the number of bells.',
  seeAlso: ['wait', 'snapshot'],
  examples: [
    'transom watch work --on exit --on bell',
    "transom watch build --on text:FAILED --exec 'transom snapshot >failed.txt'",
    'transom watch work --on idle --idle-ms 5000 --once',
  ],
  errors: ['session_not_found', 'session_ambiguous', 'host_unavailable', 'cancelled'],
  positionals: ['session'],
  startsHost: true,
  params: [
    sessionParam(),
    localParam({
      name: 'on',
      type: 'list',
      flag: 'on',
      placeholder: 'EVENT',
      description: 'exit, idle, bell or text:TEXT; may be given several times.',
      required: true,
      values: ['exit', 'idle', 'bell', 'text:'],
    }),
    localParam({
      name: 'idle_ms',
      type: 'duration',
      flag: 'idle-ms',
      placeholder: 'TIME',
      description: 'How long nothing must be drawn.',
      default: IDLE_MS_DEFAULT,
    }),
    localParam({
      name: 'exec',
      type: 'string',
      flag: 'exec',
      placeholder: 'CMD',
      description: 'Run this at each event instead of printing it.',
    }),
    localParam({ name: 'once', type: 'boolean', flag: 'once', description: 'End after the first event.' }),
  ],
  run: watch,
})

interface WatchParams {
  readonly session: string
  readonly on: readonly string[]
  readonly idle_ms?: number
  readonly exec?: string
  readonly once?: true
}

async function watch(context: LocalContext): Promise<number> {
  const params = context.params as unknown as WatchParams // as the parameters above have it
  const conditions = params.on.map(parseCondition)
  const idleMs = params.idle_ms ?? IDLE_MS_DEFAULT
  if (idleMs < 1 || idleMs > IDLE_MS_MAX)
    throw new OpError('usage', `--idle-ms takes 1 to ${IDLE_MS_MAX} (got ${idleMs})`, { idle_ms: idleMs })
  const { cli, flags } = context
  const command =
    params.exec === undefined ? null : new EventCommand(params.exec, cli.env, (text) => cli.err(text))
  const tell = (event: WatchEvent) => {
    if (command !== null) command.run(event)
    else cli.out(flags.json ? JSON.stringify(event) : `${event.event} ${printable(event.text)}`)
  }
  const following: Following = { params, conditions, idleMs, tell, signal: cli.signal }
  try {
    const host = context.host()
    if (isMissing(host.home)) throw noSuchSession(host.home, params.session)
    await follow(await connectOrStartHost(host), following)
  } catch (error) {
    if (!(error instanceof OpError) || error.code !== 'session_elsewhere') throw error
    await follow(await followSession(error), following)
  } finally {
    await command?.whenDone()
  }
  return 0
}

interface Following {
  readonly params: WatchParams
  readonly conditions: readonly WatchCondition[]
  readonly idleMs: number
  readonly tell: (event: WatchEvent) => void
  readonly signal: AbortSignal
}

/** Resolves when the session has ended, or after the first event with --once. Closes the connection. */
async function follow(client: Client, following: Following): Promise<void> {
  const { params, conditions, idleMs, tell, signal } = following
  let finish: () => void = () => {}
  let fail: (reason: unknown) => void = () => {}
  const done = new Promise<void>((resolve, reject) => {
    finish = resolve
    fail = reject
  })
  let over = false
  const emit = (event: WatchEvent) => {
    if (over) return
    tell(event)
    if (!params.once) return
    over = true
    finish()
  }
  const watcher = new Watcher({ conditions, idleMs, emit })
  const interrupt = () => fail(signal.reason)
  signal.addEventListener('abort', interrupt, { once: true })
  void client.whenClosed().then(fail)
  const ended = async () => {
    const { exit, status } = await client.call('session.inspect', { session: watcher.session })
    watcher.end(exit, status)
    finish()
  }
  try {
    const subscribed = client.subscribe({ session: params.session, to: 'screen' }, (message) => {
      if (message.type === 'screen' || message.type === 'rows') watcher.update(message)
      else if (message.type === 'end') ended().catch(fail)
      else if (message.type === 'error') fail(streamError(message.error))
    })
    await Promise.all([subscribed, done])
  } finally {
    client.close()
    watcher.close()
    signal.removeEventListener('abort', interrupt)
  }
}

function streamError({ code, message }: { code: string; message: string }): OpError {
  return new OpError(isErrorCode(code) ? code : 'internal', message)
}
