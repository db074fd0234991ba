import { format } from 'node:util'
import type { LogLevel } from '../contract/app-message.ts'
import { errorPosition } from './error-position.ts'

const LEVELS = {
  log: 'info',
  info: 'info',
  debug: 'info',
  trace: 'info',
  dir: 'info',
  warn: 'warning',
  error: 'error',
} as const satisfies Record<string, LogLevel>

/** What app code prints goes to the developer log, with the place that printed it: nobody sees the process's output. */
export function captureConsole(write: (level: LogLevel, text: string, at: string | undefined) => void): void {
  for (const [name, level] of Object.entries(LEVELS)) {
    Object.defineProperty(console, name, {
      configurable: true,
      writable: true,
      value: (...args: unknown[]) => write(level, format(...args), placeOf(args)),
    })
  }
}

/** An error that is printed says where it comes from; other text, where it is printed. */
function placeOf(args: readonly unknown[]): string | undefined {
  const error = args.find((arg) => arg instanceof Error) ?? new Error('printed here')
  return errorPosition(error)
}
