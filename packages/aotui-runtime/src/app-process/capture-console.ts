import { Console } from 'node:console'
import { Writable } from 'node:stream'
import type { LogLevel } from '../contract/app-message.ts'
import { errorPosition } from './error-position.ts'

const LEVELS: Readonly<Record<string, LogLevel>> = {
  warn: 'warning',
  error: 'error',
  trace: 'error',
  assert: 'error',
}

/** What an app prints goes to its author, with the place of the call: the process itself has no output to read. */
export function captureConsole(log: (level: LogLevel, text: string, at: string | undefined) => void): void {
  let level: LogLevel = 'info'
  let at: string | undefined
  const stream = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      log(level, text.replace(/\n$/, ''), at)
      done()
    },
  })
  const own = new Console({ stdout: stream, colorMode: false })
  const methods = own as unknown as Record<string, unknown>
  const target = globalThis.console as unknown as Record<string, unknown>
  for (const [name, method] of Object.entries(methods)) {
    if (typeof method !== 'function') continue
    target[name] = (...args: unknown[]): unknown => {
      level = LEVELS[name] ?? 'info'
      at = errorPosition(new Error('here'))
      return (method as (...args: unknown[]) => unknown)(...args)
    }
  }
}
