/** The program of an app process. It runs on plain Node: the build bundles it with happy-dom into one file. */
import type { ToApp } from '../contract/app-message.ts'
import { installGuard } from '../sandbox/process-guard.ts'
import { AppProcess } from './app-process.ts'

if (process.send === undefined) throw new Error('an app process is started by a desktop, over an IPC channel')
const send = process.send.bind(process)
const appProcess = new AppProcess({
  send: (message) => void send(message),
  guard: (policy, report) => installGuard(policy, report, (message) => void send(message)),
})
process.on('message', (message: ToApp) => appProcess.receive(message))
process.on('disconnect', () => process.exit(0))
process.on('uncaughtException', (error) => appProcess.noteUncaught(error))
process.on('unhandledRejection', (error) => appProcess.noteUncaught(error))
send({ type: 'up' })
