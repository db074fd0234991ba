import { Socket } from 'node:net'
import { CHANNEL_FD, encodeFrames, FrameReader } from '../channel/frame.ts'
import type { FromApp, ToApp } from '../contract/app-message.ts'

export interface AppChannel {
  readonly send: (message: FromApp) => void
}

/** The app's end of the channel. The process ends with it. */
export function openChannel(onMessage: (message: ToApp) => void): AppChannel {
  const socket = new Socket({ fd: CHANNEL_FD, readable: true, writable: true })
  const reader = new FrameReader()
  const queue: FromApp[] = []
  const flush = () => {
    for (const frame of encodeFrames(queue.splice(0))) socket.write(frame)
  }
  socket.on('data', (chunk: Buffer) => {
    // The desktop's messages are trusted: it made them from the same types.
    for (const message of reader.push(chunk)) onMessage(message as ToApp)
  })
  socket.on('error', () => process.exit(0))
  socket.on('close', () => process.exit(0))
  return {
    /** What is said in one turn crosses the channel as one frame: a fragment and its ack cost one write. */
    send: (message) => {
      if (queue.push(message) === 1) queueMicrotask(flush)
    },
  }
}
