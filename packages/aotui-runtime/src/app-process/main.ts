/** The program of an app process. It runs on plain Node: the build bundles it with happy-dom into one file. */
import type { FromApp, ToApp } from '../contract/app-message.ts'
import { installGuard } from '../sandbox/process-guard.ts'
import { AppProcess } from './app-process.ts'

if (process.send === undefined) throw new Error('an app process is started by a desktop, over an IPC channel')
const write = process.send.bind(process)
const queue: FromApp[] = []
/** What is said in one turn crosses the channel as one message: a fragment and its ack cost one write. */
const send = (message: FromApp): void => {
  if (queue.push(message) === 1) queueMicrotask(() => void write(queue.splice(0)))
}
const appProcess = new AppProcess({ send, guard: (policy, report) => installGuard(policy, report, send) })
process.on('message', (message: ToApp) => appProcess.receive(message))
process.on('disconnect', () => process.exit(0))
process.on('uncaughtException', (error) => appProcess.noteUncaught(error))
process.on('unhandledRejection', (error) => appProcess.noteUncaught(error))
send({ type: 'up' })
