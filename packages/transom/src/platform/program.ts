import * as fs from 'node:fs'
import * as path from 'node:path'
import { OpError, next } from '@transom/protocol/errors'
import { errnoOf } from '../lib/system-error.ts'

/** Throws if execvp would not find or start a program: a child that cannot exec could report it only on the screen. */
export function checkProgram(program: string, cwd: string, env: Readonly<Record<string, string>>): void {
  if (program === '') throw notFound(program, 'its name is empty')
  const problem = whyNotExecutable(findProgram(program, cwd, env))
  if (problem !== null) throw notFound(program, problem)
}

/** Where execvp finds a program. Throws if it does not. */
export function findProgram(
  program: string,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  if (program.includes('/')) return path.resolve(cwd, program)
  const folders = (env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin').split(':')
  for (const folder of folders) {
    const file = path.resolve(cwd, folder, program)
    if (isExecutable(file)) return file
  }
  throw notFound(program, `it is in none of the folders of PATH (${folders.join(':')})`)
}

export function checkWorkingFolder(cwd: string): void {
  const fail = (why: string) => {
    throw new OpError('cwd_not_found', `the working folder ${JSON.stringify(cwd)} ${why}`, {
      cwd,
      ...next({ set: { cwd: null }, does: 'choose another' }),
    })
  }
  if (!path.isAbsolute(cwd)) fail('is not an absolute path')
  try {
    if (!fs.statSync(cwd).isDirectory()) fail('is not a folder')
    fs.accessSync(cwd, fs.constants.X_OK)
  } catch (error) {
    if (error instanceof OpError) throw error
    fail(`cannot be entered (${errnoOf(error)})`)
  }
}

function isExecutable(file: string): boolean {
  return whyNotExecutable(file, false) === null
}

function whyNotExecutable(file: string, withInterpreter = true): string | null {
  try {
    if (!fs.statSync(file).isFile()) return 'it is not a file'
    fs.accessSync(file, fs.constants.X_OK)
  } catch (error) {
    return errnoOf(error) === 'EACCES' ? 'it is not executable' : 'there is no such file'
  }
  const interpreter = withInterpreter ? interpreterOf(file) : null
  if (interpreter === null || isExecutable(interpreter)) return null
  return `it is a script for ${interpreter}, which does not exist or is not executable`
}

const SHEBANG_BYTES_MAX = 256 // the kernel reads no more of a script's first line

/** The interpreter that a script names in its first line; null for any other file, or one that only runs. */
function interpreterOf(file: string): string | null {
  let fd: number
  try {
    fd = fs.openSync(file, 'r')
  } catch {
    return null // may be run but not read: then the kernel knows better
  }
  try {
    const start = Buffer.alloc(SHEBANG_BYTES_MAX)
    const bytes = fs.readSync(fd, start, 0, SHEBANG_BYTES_MAX, 0)
    return /^#![ \t]*(\S+)/.exec(start.toString('latin1', 0, bytes))?.[1] ?? null
  } finally {
    fs.closeSync(fd)
  }
}

function notFound(program: string, why: string): OpError {
  const message = `cannot run ${JSON.stringify(program)}: ${why}`
  return new OpError('program_not_found', message, { program })
}
