import childProcess from 'node:child_process'
import inspector from 'node:inspector'
import inspectorPromises from 'node:inspector/promises'
import module, { createRequire } from 'node:module'
import os from 'node:os'
import traceEvents from 'node:trace_events'
import v8 from 'node:v8'
import wasi from 'node:wasi'
import workerThreads from 'node:worker_threads'
import type { FromApp, ProcessPolicy, ToApp } from '../contract/app-message.ts'
import { judgeSpawn } from '../manifest/permission.ts'
import { DeniedError, type Deny } from './denial.ts'
import { guardFileSystem } from './fs-guard.ts'
import { guardNetwork } from './net-guard.ts'

/**
 * Policy inside the app's process, on top of Node's permission flags: it gives every refusal its name and closes what
 * the flags leave open for code that plays by the rules. It is not a boundary: code that means harm can get round it,
 * and docs/sandbox.md says how. The strict tier is the boundary.
 */
export function installGuard(
  policy: ProcessPolicy,
  report: (text: string) => void,
  send: (message: FromApp) => void,
): { onNetAnswer(answer: ToApp & { type: 'net' }): void } {
  if (policy.tier === 'trusted') return { onNetAnswer: () => undefined }
  const deny: Deny = (permission, cause) => {
    report(`E_PERMISSION: ${permission} was refused`)
    return new DeniedError(permission, policy.appId, { cause })
  }
  const answers = guardNetwork(policy, deny, send)
  guardChildren(policy, deny)
  guardProcess(deny)
  guardBuiltins(deny)
  guardFileSystem(policy, deny)
  // Named imports of built-in modules are copies; this brings them up to date.
  module.syncBuiltinESMExports()
  return answers
}

function guardChildren(policy: ProcessPolicy, deny: Deny): void {
  const check = (program: unknown) => {
    const verdict = judgeSpawn(policy.spawn, String(program))
    if ('missing' in verdict) throw deny(verdict.missing)
  }
  const prototype = childProcess.ChildProcess.prototype as unknown as {
    spawn: (this: unknown, options: { file?: string }) => unknown
  }
  const { spawn } = prototype
  prototype.spawn = function guardedSpawn(options) {
    check(options.file)
    return spawn.call(this, options)
  }
  const sync = childProcess as unknown as Record<string, (...args: unknown[]) => unknown>
  for (const name of ['spawnSync', 'execFileSync', 'execSync']) {
    const original = sync[name]
    if (original === undefined) continue
    sync[name] = (...args) => {
      check(name === 'execSync' ? '/bin/sh' : args[0])
      return original(...args)
    }
  }
}

function guardProcess(deny: Deny): void {
  const kill = process.kill.bind(process)
  process.kill = (pid, signal) => {
    // Signal 0 only asks whether a process is there, but that too is about others.
    if (pid !== process.pid) throw deny('process:kill')
    return kill(pid, signal)
  }
  const refuse = (name: string, permission: string) => {
    Object.defineProperty(process, name, {
      configurable: true,
      value: () => {
        throw deny(permission)
      },
    })
  }
  // The same by other names: these reach any process by its number.
  for (const name of ['_kill', '_debugProcess', '_debugEnd']) refuse(name, 'process:kill')
  refuse('binding', 'process:binding')
  refuse('_linkedBinding', 'process:binding')
  refuse('dlopen', 'process:addon')
  refuse('chdir', 'process:chdir')
}

/** Built-in modules that reach round the permission model. There is no permission that grants them. */
function guardBuiltins(deny: Deny): void {
  const refuseClass = (target: object, name: string, permission: string) => {
    const refused = function refusedClass() {
      throw deny(permission)
    }
    Object.defineProperty(target, name, { configurable: true, writable: true, value: refused })
  }
  refuseClass(workerThreads, 'Worker', 'worker:create')
  refuseClass(inspector, 'Session', 'process:inspect')
  refuseClass(inspector, 'open', 'process:inspect')
  refuseClass(v8, 'setFlagsFromString', 'process:flags')
  refuseClass(inspectorPromises, 'Session', 'process:inspect')
  refuseClass(v8, 'writeHeapSnapshot', 'process:inspect')
  refuseClass(v8, 'setHeapSnapshotNearHeapLimit', 'process:inspect')
  // Any process by its number, as with signals.
  refuseClass(os, 'setPriority', 'process:kill')
  // They write files wherever they are told to.
  refuseClass(traceEvents, 'createTracing', 'process:trace')
  const report = { getReport: process.report.getReport.bind(process.report) }
  refuseClass(report, 'writeReport', 'process:report')
  Object.defineProperty(process, 'report', { configurable: true, value: Object.freeze(report) })
  refuseClass(wasi, 'WASI', 'module:wasi')
  refuseClass(module, 'register', 'module:hooks')
  if ('registerHooks' in module) refuseClass(module, 'registerHooks', 'module:hooks')
  const require = createRequire(import.meta.url)
  // Opens files that the permission model denies; it exists from Node 22 on.
  if (module.isBuiltin('node:sqlite')) {
    const sqlite = require('node:sqlite') as object
    for (const name of ['DatabaseSync', 'StatementSync', 'backup'])
      if (name in sqlite) refuseClass(sqlite, name, 'module:sqlite')
  }
}
