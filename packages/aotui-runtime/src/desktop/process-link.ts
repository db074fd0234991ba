import { spawn, type ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { CHANNEL_FD, encodeFrames, FRAME_BYTES_MAX, FrameReader } from '../channel/frame.ts'
import { errorText } from '../contract/aotui-error.ts'
import type { Grants } from '../sandbox/grants.ts'
import { planLaunch } from '../sandbox/launch-plan.ts'
import { NetworkBroker } from '../sandbox/network-broker.ts'
import type { AppLink, AppLinkEvents } from './app-link.ts'

const STDERR_CHARS_MAX = 2000 // enough for the last lines of a stack trace

const LAST_WORDS_MS = 500 // for what a process that ended has written and is not read yet

/** How much of one app's messages is read in one interval; the rest waits in the pipe, and so does the app. */
const INTERVAL_MS = 50
const INTERVAL_MESSAGES_MAX = 1000 // an honest app sends about ten

/** How long the desktop works for one app before others get their turn. It then rests from that app for as long. */
const SLICE_MS = 10

/** What was sent to an app and it did not read: more than the largest message. */
const UNREAD_BYTES_MAX = FRAME_BYTES_MAX + (8 << 20)

const STDERR_INTERVAL_MS = 50 // between two reads: an app that floods it waits for itself

/** Starts an app process and gives the channel to it. Throws when the tier cannot be had here. */
export function openProcessLink(
  options: { grants: Grants; entry: string; heapMb: number },
  events: AppLinkEvents,
): AppLink {
  const broker =
    options.grants.policy.tier === 'strict' ? new NetworkBroker(options.grants.policy.net) : undefined
  // Bubblewrap is two processes. Until it has set up, the second outlives the first, and only their group names both.
  const isGroup = broker !== undefined
  let child: ChildProcess
  try {
    const plan = planLaunch({ ...options, ...(broker === undefined ? {} : { brokerDir: broker.dir }) })
    child = spawn(plan.command, plan.args, {
      env: plan.env,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      detached: isGroup,
    })
  } catch (error) {
    broker?.close()
    throw error
  }
  let stderr = ''
  let exited = false
  const exit = (how: string) => {
    if (exited) return
    exited = true
    broker?.close()
    events.onExit({ how, stderr })
  }
  const { stderr: output } = child
  output?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_CHARS_MAX)
    output.pause()
    setTimeout(() => output.resume(), STDERR_INTERVAL_MS).unref()
  })
  child.on('error', (error) => exit(`could not be started: ${error.message}`))
  child.on('close', (code, signal) => exit(signal === null ? `exit code ${code ?? 0}` : `signal ${signal}`))
  const channel = child.stdio[CHANNEL_FD] as Socket | undefined
  const closeStreams = () => {
    channel?.destroy()
    child.stderr?.destroy()
  }
  // `close` waits for the streams, and a program that the app started may hold them open.
  child.on('exit', () => void setTimeout(closeStreams, LAST_WORDS_MS).unref())
  if (channel !== undefined && channel !== null) readChannel(channel, events)
  return {
    pid: child.pid,
    send: (message) => {
      // A process that has just gone reports itself through `close`.
      if (channel?.writable !== true) return
      for (const frame of encodeFrames([message])) channel.write(frame)
      if (channel.writableLength > UNREAD_BYTES_MAX) events.onBadChannel('it does not read its channel')
    },
    connect: (host, port) => broker?.open(host, port) ?? Promise.reject(new Error('this tier has no broker')),
    kill: () => {
      if (isGroup) killGroup(child)
      child.kill('SIGKILL')
      closeStreams()
    },
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // It has gone already.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** How long this process has worked since. On a busy machine most of the time that passes is not its own. */
function startStopwatch(): () => number {
  const begun = performance.now()
  const before = process.cpuUsage()
  return () => {
    const passedMs = performance.now() - begun
    if (passedMs < SLICE_MS) return passedMs
    const { user, system } = process.cpuUsage(before)
    return Math.min(passedMs, (user + system) / 1000)
  }
}

function readChannel(channel: Socket, events: AppLinkEvents): void {
  const reader = new FrameReader()
  let waiting: unknown[] = []
  let next = 0
  let messageCount = 0
  let interval: NodeJS.Timeout | undefined
  let isResting = false
  const isFull = () => isResting || messageCount > INTERVAL_MESSAGES_MAX
  const work = (read: () => void) => {
    const spentMs = startStopwatch()
    read()
    for (; next < waiting.length && spentMs() < SLICE_MS; next++) events.onMessage(waiting[next])
    if (next === waiting.length) {
      waiting = []
      next = 0
    }
    if (spentMs() >= SLICE_MS) rest(spentMs())
    if (isFull()) channel.pause()
  }
  const goOn = () => {
    if (waiting.length > 0) work(() => undefined)
    if (!isFull()) channel.resume()
  }
  const rest = (restMs: number) => {
    isResting = true
    setTimeout(() => {
      isResting = false
      goOn()
    }, restMs).unref()
  }
  channel.on('data', (chunk: Buffer) =>
    work(() => {
      let messages: unknown[]
      try {
        messages = reader.push(chunk)
      } catch (error) {
        // Nothing after this can be understood.
        channel.removeAllListeners('data').resume()
        return events.onBadChannel(errorText(error))
      }
      for (const message of messages) waiting.push(message)
      messageCount += messages.length
      interval ??= setTimeout(() => {
        interval = undefined
        messageCount = 0
        if (!isResting) goOn()
      }, INTERVAL_MS).unref()
    }),
  )
  // The process is gone, or is about to be: `close` of the child says how.
  channel.on('error', () => channel.destroy())
}
