import * as fs from 'node:fs'

export interface LivingProcess {
  readonly pid: number
  readonly parentPid: number
  readonly argv: readonly string[]
}

/** The living processes (no zombies) that have `token` in their command line. */
export function processesWith(token: string): LivingProcess[] {
  return living().filter(({ argv }) => argv.some((argument) => argument.includes(token)))
}

/** The living children of a process. */
export function childrenOf(pid: number): LivingProcess[] {
  return living().filter(({ parentPid }) => parentPid === pid)
}

export function isAlive(pid: number): boolean {
  return readProcess(pid) !== null
}

function living(): LivingProcess[] {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? [])
}

/** The command lines of the living processes with `token`, for an assertion that names what is left. */
export function commandLinesWith(token: string): string[] {
  return processesWith(token).map(({ argv }) => argv.join(' '))
}

/** A number that no other process has in its arguments; `sleep` takes it after a decimal point. */
export function uniqueToken(): string {
  return `${process.pid}${process.hrtime.bigint()}`
}

function readProcess(pid: number): LivingProcess | null {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, parentPid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (state === 'Z') return null
    return {
      pid,
      parentPid: Number(parentPid),
      argv: fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0'),
    }
  } catch {
    return null // ended between the listing and the look
  }
}
