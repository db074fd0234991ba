import { spawn } from 'node:child_process'
import { toWireError } from '../contract/aotui-error.ts'
import type { FromApp } from '../contract/app-message.ts'
import type { Grants } from '../sandbox/grants.ts'
import { planLaunch } from '../sandbox/launch-plan.ts'
import { NetworkBroker } from '../sandbox/network-broker.ts'
import type { AppLink, AppLinkEvents } from './app-link.ts'

const STDERR_CHARS_MAX = 2000 // enough for the last lines of a stack trace

/** Starts an app process and gives the channel to it. Throws when the tier cannot be had here. */
export function openProcessLink(
  options: { grants: Grants; entry: string; heapMb: number },
  events: AppLinkEvents,
): AppLink & { readonly pid: number | undefined } {
  const broker =
    options.grants.policy.tier === 'strict' ? new NetworkBroker(options.grants.policy.net) : undefined
  const plan = planLaunch({ ...options, ...(broker === undefined ? {} : { brokerDir: broker.dir }) })
  const child = spawn(plan.command, plan.args, { env: plan.env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let stderr = ''
  let exited = false
  const exit = (how: string) => {
    if (exited) return
    exited = true
    broker?.close()
    events.onExit({ how, stderr })
  }
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_CHARS_MAX)
  })
  child.on('error', (error) => exit(`could not be started: ${error.message}`))
  child.on('close', (code, signal) => exit(signal === null ? `exit code ${code ?? 0}` : `signal ${signal}`))
  const send: AppLink['send'] = (message) => {
    // A process that has just gone reports itself through `close`.
    if (child.connected) child.send(message, () => undefined)
  }
  const receive = (message: FromApp) => {
    if (message.type !== 'net') return events.onMessage(message)
    const { seq, host, port } = message
    void (broker?.open(host, port) ?? Promise.reject(new Error('this tier has no broker'))).then(
      (path) => send({ type: 'net', seq, path }),
      (error: unknown) => send({ type: 'net', seq, error: toWireError(error) }),
    )
  }
  // An app's own code may write to the channel too, and in any shape.
  child.on('message', (messages: FromApp | FromApp[]) => [messages].flat().forEach(receive))
  return { pid: child.pid, send, kill: () => void child.kill('SIGKILL') }
}
