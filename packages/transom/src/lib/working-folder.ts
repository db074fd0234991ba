import * as fs from 'node:fs'
import { OpError } from '@transom/protocol/errors'

const REPLACEMENT = '\ufffd' // what Node puts in place of bytes that are not UTF-8

/** The folder that this process was started in. Throws `cwd_not_found` if it has no name that can be passed on. */
export function workingFolder(): string {
  const folder = currentFolder()
  if (!folder.includes(REPLACEMENT) || fs.existsSync(folder)) return folder
  const message = `the name of the folder that this command was started in is not UTF-8 (${folder}); change to another one, or name one with --cwd`
  throw new OpError('cwd_not_found', message, { cwd: folder })
}

function currentFolder(): string {
  try {
    return process.cwd()
  } catch (error) {
    const message =
      'the folder that this command was started in no longer exists; change to another one, or name files and --cwd by absolute paths'
    throw new OpError('cwd_not_found', message, {}, { cause: error })
  }
}
