import { chmodSync, lstatSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { CommandAck, Desktop, DeveloperLine, UpdateSignal } from '@aotui/runtime'
import { sourcePlace } from '../source-place.ts'
import { messageOf } from '../usage-error.ts'
import { DesktopSource } from './desktop-source.ts'
import type { DesktopPicture, InspectorEvents, InspectorSource } from './inspector-source.ts'

/** JSON, one message on a line. Both ends are of one user on one machine: the socket is for its owner alone. */
type FromServer =
  | { type: 'picture'; picture: DesktopPicture }
  | { type: 'signal'; reason: UpdateSignal['reason'] | 'reloaded' }
  | { type: 'line'; line: DeveloperLine }
  | { type: 'result'; id: number; ack?: CommandAck; error?: string }
interface Execute {
  type: 'execute'
  id: number
  command: string
}

const COMMAND_CHARS_MAX = 1 << 20 // what a person types is a line
const PICTURE_CHARS_MAX = 64 << 20 // a snapshot has 200,000 characters unless the program asked for longer ones

/** Lets `aoapp inspect --socket PATH` look at a desktop of this process, and act when the input is free. */
export async function serveInspector(desktop: Desktop, path: string): Promise<AsyncDisposable> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    serveOne(desktop, socket)
  })
  await listenAnew(server, path)
  chmodSync(path, 0o600)
  return {
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((closed) => server.close(() => closed()))
      rmSync(path, { force: true })
    },
  }
}

/** A program that was killed leaves its socket file behind; nothing answers there, and the path can be used again. */
async function listenAnew(server: Server, path: string): Promise<void> {
  try {
    await listen(server, path)
  } catch (error) {
    const isInUse = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    if (!isInUse || !lstatSync(path).isSocket() || (await isAnswered(path))) throw error
    rmSync(path)
    await listen(server, path)
  }
}

async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path)
  try {
    await connected(socket)
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

function connected(socket: Socket): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
}

function listen(server: Server, path: string): Promise<void> {
  // Never open to others, not even for the moment before its mode is set.
  const mask = process.umask(0o177)
  try {
    return new Promise((listening, reject) => {
      server.once('error', reject)
      server.listen(path, listening)
    })
  } finally {
    process.umask(mask)
  }
}

/** Calls `onLine` for each line. The connection ends at a line that is too long. */
function readLines(socket: Socket, charsMax: number, onLine: (text: string) => void): void {
  let rest = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) onLine(line)
    if (rest.length > charsMax) socket.destroy()
  })
}

/**
 * A viewer that reads slowly gets the newest picture once it has read; what lies between is left out. Its commands wait
 * until then.
 */
function serveOne(desktop: Desktop, socket: Socket): void {
  const source = new DesktopSource(desktop)
  let waiting: DesktopPicture | undefined
  const send = (message: FromServer) => socket.write(`${JSON.stringify(message)}\n`)
  socket.on('error', () => socket.destroy()) // a viewer that is gone
  socket.on('close', () => void source.close())
  socket.on('drain', () => {
    const picture = waiting
    waiting = undefined
    if (picture !== undefined) send({ type: 'picture', picture })
    socket.resume()
  })
  source.start({
    onPicture: (picture) => {
      if (socket.writableNeedDrain) waiting = picture
      else send({ type: 'picture', picture })
    },
    onSignal: (reason) => {
      if (!socket.writableNeedDrain) send({ type: 'signal', reason })
    },
    onDeveloperLine: (line) => {
      if (!socket.writableNeedDrain) send({ type: 'line', line })
    },
    onEnd: () => socket.destroy(),
  })
  const answer = (message: FromServer) => {
    if (!send(message)) socket.pause()
  }
  readLines(socket, COMMAND_CHARS_MAX, (text) => {
    const message = parseExecute(text)
    if (message === undefined) {
      socket.destroy()
      return
    }
    const { id, command } = message
    source.execute(command).then(
      (ack) => answer({ type: 'result', id, ack }),
      (error: unknown) => answer({ type: 'result', id, error: messageOf(error) }),
    )
  })
}

function parseExecute(text: string): Execute | undefined {
  if (text.length > COMMAND_CHARS_MAX) return undefined
  try {
    const message = JSON.parse(text) as Partial<Execute> | null
    const isExecute =
      message?.type === 'execute' && typeof message.id === 'number' && typeof message.command === 'string'
    return isExecute ? (message as Execute) : undefined
  } catch {
    return undefined // no viewer of ours
  }
}

/** A desktop in another process, which opened the socket. */
export class SocketSource implements InspectorSource {
  readonly #socket: Socket
  readonly #waiting = new Map<number, (result: FromServer & { type: 'result' }) => void>()
  #nextId = 1

  private constructor(socket: Socket) {
    this.#socket = socket
  }

  static async open(path: string): Promise<SocketSource> {
    const socket = connect(path)
    await connected(socket)
    return new SocketSource(socket)
  }

  start(events: InspectorEvents): void {
    const socket = this.#socket
    let reason = 'the program that runs the desktop has closed the connection'
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      for (const [id, settle] of this.#waiting) settle({ type: 'result', id, error: reason })
      events.onEnd(reason)
    })
    readLines(socket, PICTURE_CHARS_MAX, (text) => {
      try {
        this.#receive(JSON.parse(text) as FromServer, events)
      } catch (error) {
        reason = `no desktop is served there: ${messageOf(error)}`
        socket.destroy()
      }
    })
  }

  async execute(command: string): Promise<CommandAck> {
    const id = this.#nextId++
    const { ack, error } = await new Promise<FromServer & { type: 'result' }>((settle) => {
      this.#waiting.set(id, settle)
      this.#socket.write(`${JSON.stringify({ type: 'execute', id, command })}\n`)
    })
    this.#waiting.delete(id)
    if (ack === undefined) throw new Error(error ?? 'the command failed')
    return ack
  }

  async close(): Promise<void> {
    if (this.#socket.closed) return
    const closed = new Promise<void>((resolve) => this.#socket.once('close', () => resolve()))
    this.#socket.destroy()
    await closed
  }

  #receive(message: FromServer, events: InspectorEvents): void {
    switch (message.type) {
      case 'picture':
        return events.onPicture(message.picture)
      case 'signal':
        return events.onSignal(message.reason)
      case 'line':
        return events.onDeveloperLine(inSources(message.line))
      case 'result':
        return this.#waiting.get(message.id)?.(message)
      default:
        message satisfies never
        throw new Error('a message of an unknown type')
    }
  }
}

/** The desktop's program and this one are on one machine: its source maps can be read here. */
function inSources({ at: built, ...line }: DeveloperLine): DeveloperLine {
  const at = sourcePlace(built, process.cwd())
  return { ...line, ...(at === undefined ? {} : { at }) }
}
