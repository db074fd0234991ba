import * as fs from 'node:fs'
import * as path from 'node:path'
import { OpError } from '@transom/protocol/errors'
import { errnoOf } from '../../lib/system-error.ts'

/** The absolute path of a program, found as execvp would: a child that cannot exec could only say so on the screen. */
export function resolveProgram(program: string, cwd: string, env: Readonly<Record<string, string>>): string {
  if (program === '') throw notFound(program, 'its name is empty')
  if (program.includes('/')) {
    const file = path.resolve(cwd, program)
    const problem = whyNotExecutable(file)
    if (problem !== null) throw notFound(program, problem)
    return file
  }
  const folders = (env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin').split(':')
  for (const folder of folders) {
    const file = path.resolve(cwd, folder, program)
    if (whyNotExecutable(file) === null) return file
  }
  throw notFound(program, `it is in none of the folders of PATH (${folders.join(':')})`)
}

export function checkWorkingFolder(cwd: string): void {
  const fail = (why: string) => {
    throw new OpError(
      'cwd_not_found',
      `the working folder ${JSON.stringify(cwd)} ${why}; choose another with --cwd`,
      { cwd },
    )
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

function whyNotExecutable(file: string): string | null {
  try {
    if (!fs.statSync(file).isFile()) return 'it is not a file'
    fs.accessSync(file, fs.constants.X_OK)
    return null
  } catch (error) {
    return errnoOf(error) === 'EACCES' ? 'it is not executable' : 'there is no such file'
  }
}

function notFound(program: string, why: string): OpError {
  const message = `cannot run ${JSON.stringify(program)}: ${why}`
  return new OpError('program_not_found', message, { program })
}
