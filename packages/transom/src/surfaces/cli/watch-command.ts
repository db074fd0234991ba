import type { Client } from '@transom/client'
import { OpError, isErrorCode } from '@transom/protocol/errors'
import { EventCommand } from './event-command.ts'
import { isMissing, noSuchSession } from './call-host.ts'
import { connectOrStartHost, followSession } from './host-connection.ts'
import { localCommand, localParam, sessionParam, type LocalContext } from './local-command.ts'
import { HomeWatcher } from './home-watcher.ts'
import { printable } from './text-layout.ts'
import { Watcher, parseCondition, type WatchCondition, type WatchEvent } from './watcher.ts'

const IDLE_MS_DEFAULT = 2000
const IDLE_MS_MAX = 24 * 60 * 60 * 1000 // a day: past it a timer's 32 bits are near their end

export const watchCommand = localCommand({
  command: 'watch',
  summary: 'Report whenever a session waits for input, rings the bell, falls idle, shows a text or ends.',
  description:
    'Follows the session until it ends and prints a line for each event, with --json an object a line, or runs a command. Nothing is polled. A text is an event when it appears on the screen, and again when it appears after it was gone; one that is there at the start counts. A session that begins to wait for input is reported once, with what it waits for, and once more (answered) when it does not any more; lease reports that a person has taken it, or that it is free again. With --all every session of the Home is watched, also those that come later, until the command is ended; its events are needs-input, lease and exit. Idle is reported once for each time that the program has drawn nothing for --idle-ms. Commands run one after another, by /bin/sh, with TRANSOM_EVENT (the event’s name), TRANSOM_SESSION and TRANSOM_TEXT: the exit code or signal, the milliseconds, the line that shows the text, the number of bells.',
  seeAlso: ['wait', 'snapshot'],
  examples: [
    'transom watch work --on exit --on bell',
    "transom watch build --on text:FAILED --exec 'transom snapshot >failed.txt'",
    'transom watch work --on idle --idle-ms 5000 --once',
    'transom watch --all --on needs-input --on exit',
  ],
  errors: ['session_not_found', 'session_ambiguous', 'host_unavailable', 'cancelled'],
  positionals: ['session'],
  startsHost: true,
  params: [
    { ...sessionParam(), required: false },
    localParam({
      name: 'on',
      type: 'list',
      flag: 'on',
      placeholder: 'EVENT',
      description: 'exit, idle, bell, needs-input, lease or text:TEXT; may be given several times.',
      required: true,
      values: ['exit', 'idle', 'bell', 'needs-input', 'lease', 'text:'],
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
    localParam({ name: 'all', type: 'boolean', flag: 'all', description: 'Watch all sessions of the Home.' }),
    localParam({ name: 'once', type: 'boolean', flag: 'once', description: 'End after the first event.' }),
  ],
  run: watch,
})

interface WatchParams {
  readonly session?: string
  readonly all?: true
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
  checkTarget(params, conditions)
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
    if (isMissing(host.home) && params.session !== undefined) throw noSuchSession(host.home, params.session)
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

/** What can be reported of all sessions of a Home. */
const OF_A_HOME: ReadonlySet<string> = new Set(['needs-input', 'lease', 'exit'])

function checkTarget({ session, all }: WatchParams, conditions: readonly WatchCondition[]): void {
  if (!all && session === undefined) throw new OpError('usage', 'give a session, or --all')
  const other = conditions.find(({ on }) => all && !OF_A_HOME.has(on))
  if (other === undefined) return
  throw new OpError('usage', `--all reports needs-input, lease and exit, not ${other.on}: give a session`)
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
  const subscribed = async () => {
    const session = params.all ? undefined : params.session
    const only = session === undefined ? null : await idOf(client, session)
    if (only === null || conditions.some(({ on }) => on === 'needs-input' || on === 'lease')) {
      const home = new HomeWatcher({ conditions, only, emit })
      await client.subscribeHome((message) => {
        if (message.type === 'sessions' || message.type === 'session') home.update(message)
        else if (message.type === 'error') fail(streamError(message.error))
      })
    }
    if (only === null) return
    await client.subscribe({ session: only, to: 'screen' }, (message) => {
      if (message.type === 'screen' || message.type === 'rows') watcher.update(message)
      else if (message.type === 'end') ended().catch(fail)
      else if (message.type === 'error') fail(streamError(message.error))
    })
  }
  try {
    await Promise.all([subscribed(), done])
  } finally {
    client.close()
    watcher.close()
    signal.removeEventListener('abort', interrupt)
  }
}

/** Of the live session that this client's host runs; throws `session_elsewhere` for one of another host. */
async function idOf(client: Client, session: string): Promise<string> {
  return (await client.call('session.inspect', { session })).session
}

function streamError({ code, message }: { code: string; message: string }): OpError {
  return new OpError(isErrorCode(code) ? code : 'internal', message)
}
