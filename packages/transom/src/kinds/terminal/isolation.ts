import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { OpError, next } from '@transom/protocol/errors'
import {
  ISOLATED_HOME,
  bubblewrapArguments,
  findBubblewrap,
  isVisible,
  isWithin,
} from '../../platform/bubblewrap.ts'
import { checkProgram, checkWorkingFolder, findProgram } from '../../platform/program.ts'

/** Of the caller's environment, what is no secret and names no file that an isolated program does not see. */
const KEPT_VARIABLES = /^(LANG|LANGUAGE|LC_[A-Z]+|TZ|SHELL|USER|LOGNAME)$/

/** The environment that an isolated program starts from, in place of the caller's. */
export function isolatedEnvironment(
  base: Readonly<Record<string, string | undefined>>,
  cwd: string | null,
): Record<string, string> {
  const kept = Object.entries(base).flatMap(([name, value]) =>
    value !== undefined && KEPT_VARIABLES.test(name) ? [[name, value] as const] : [],
  )
  const folders = (base['PATH'] ?? '').split(':').filter((folder) => isSeenFolder(folder, cwd))
  const PATH = folders.length === 0 ? '/usr/local/bin:/usr/bin:/bin' : folders.join(':')
  return { ...Object.fromEntries(kept), PATH, HOME: ISOLATED_HOME }
}

/** Throws if a folder cannot be the working folder of an isolated program, because it would give away what is kept from it. */
export function checkIsolatedFolder(cwd: string, homePath: string): void {
  checkWorkingFolder(cwd)
  const real = fs.realpathSync(cwd)
  const own = os.homedir()
  const why = isWithin(own, real)
    ? `the files of its user are in it (${own})`
    : isWithin(real, homePath)
      ? `it is in the Home ${homePath}`
      : null
  if (why === null) return
  const message = `the working folder ${JSON.stringify(cwd)} cannot be that of an isolated session: ${why}`
  const other = next({ set: { cwd: null }, does: 'choose another' })
  throw new OpError('cwd_not_found', message, { cwd, ...other })
}

/** As checkProgram(), for a program that has to be in what an isolated session sees. */
export function checkIsolatedProgram(program: string, cwd: string | null, env: Record<string, string>): void {
  const from = cwd ?? '/'
  checkProgram(program, from, env)
  const file = findProgram(program, from, env)
  if (isVisible(file, cwd)) return
  const message = `cannot run ${JSON.stringify(program)}: an isolated session does not see ${file}, only the system's programs and its working folder`
  throw new OpError('program_not_found', message, { program })
}

export interface IsolatedProgram {
  readonly program: string
  readonly argv: readonly string[]
  readonly cwd: string | null
  /** The session's folder with files of its shell; null for a program without one. */
  readonly shellFolder: string | null
  readonly homePath: string
  /** The socket of the host. */
  readonly socket: string
}

/** The program to start in the place of one that is to be isolated. */
export function isolate(inner: IsolatedProgram): { program: string; argv: string[] } {
  const view = {
    cwd: inner.cwd,
    hidden: [inner.homePath, path.dirname(inner.socket)],
    shared: inner.shellFolder === null ? [] : [inner.shellFolder],
  }
  const argv = [...bubblewrapArguments(view), inner.program, ...inner.argv]
  return { program: findBubblewrap(process.env), argv }
}

function isSeenFolder(folder: string, cwd: string | null): boolean {
  return path.isAbsolute(folder) && fs.existsSync(folder) && isVisible(folder, cwd)
}
