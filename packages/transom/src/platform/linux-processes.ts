import * as fs from 'node:fs'
import type { ProcessFacts } from './platform.ts'
import { parseStat } from './proc-texts.ts'

/** What a reader makes of a file in /proc/PID; undefined if it cannot be read. */
export function readOf<T>(pid: number | 'self', file: string, parse: (text: string) => T): T | undefined {
  let text: string
  try {
    text = fs.readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return undefined // ended, hidden from this user, or a kernel without it
  }
  return parse(text)
}

export function linkOf(file: string): string | null {
  try {
    return fs.readlinkSync(file)
  } catch {
    return null // ended, or another user's
  }
}

export function processFacts(pid: number): ProcessFacts | null {
  return readOf(pid, 'stat', (text) => parseStat(pid, text)) ?? null
}

/** The parent of all kernel threads, which are most of a system's processes and never a session's. */
const KERNEL_THREADS = 2

export function listProcesses(): ProcessFacts[] {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => processFacts(Number(name)) ?? [])
    .filter(({ state, parentPid }) => state !== 'Z' && state !== 'X' && parentPid !== KERNEL_THREADS)
}

/** NAME=VALUE, as the program was started with; empty if they are not known. */
export function programEnvironment(pid: number): string[] {
  return readOf(pid, 'environ', (text) => text.split('\0').slice(0, -1)) ?? []
}
