/** The program of an app process. It runs on plain Node: the build bundles it with happy-dom into one file. */
import { installGuard } from '../sandbox/process-guard.ts'
import { countActivity } from './activity.ts'
import { AppProcess } from './app-process.ts'
import { captureConsole } from './capture-console.ts'
import { openChannel } from './channel.ts'

countActivity()
const { send } = openChannel((message) => appProcess.receive(message))
const appProcess = new AppProcess({ send, guard: (policy, report) => installGuard(policy, report, send) })
captureConsole((level, text, at) => appProcess.noteConsole(level, text, at))
process.on('uncaughtException', (error) => appProcess.noteUncaught(error))
process.on('unhandledRejection', (error) => appProcess.noteUncaught(error))
send({ type: 'up' })
