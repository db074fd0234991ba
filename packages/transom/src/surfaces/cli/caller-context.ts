import * as path from 'node:path'
import { OpError } from '@transom/protocol/errors'
import { messageOf } from '../../lib/system-error.ts'
import type { CliProcess } from './cli-process.ts'
import type { CallerContext } from './parse-argv.ts'

/** Where a command line gets values that it leaves out. */
export function callerContext(cli: CliProcess): CallerContext {
  return {
    env: cli.env,
    get cwd() {
      return cli.cwd
    },
    readText: (file) => readTextFile(cli, file),
    public: true,
  }
}

/** The whole of a text file, or of standard input for `-`. */
export function readTextFile(cli: CliProcess, file: string): string {
  try {
    return cli.readText(file === '-' ? file : path.resolve(cli.cwd, file))
  } catch (error) {
    throw new OpError('file_not_read', `cannot read ${JSON.stringify(file)}: ${messageOf(error)}`, { file })
  }
}
