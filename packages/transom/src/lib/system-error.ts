import { OpError, type ErrorDetails } from '@transom/protocol/errors'

/** The errno name of a failed system call (`ENOENT`), or undefined for any other value. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error instanceof OpError || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** What a failed file operation means to a user. `doing` completes "could not …". */
export function fileError(error: unknown, doing: string, details: ErrorDetails = {}): OpError {
  if (error instanceof OpError) return error
  const errno = errnoOf(error)
  const facts = { errno, ...details }
  switch (errno) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new OpError('disk_full', `could not ${doing}: the disk is full; free some space`, facts, {
        cause: error,
      })
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new OpError(
        'home_unwritable',
        `could not ${doing}: ${errno}; choose another Home with --home or TRANSOM_HOME, or change its permissions`,
        facts,
        { cause: error },
      )
    default:
      return new OpError('io_error', `could not ${doing}: ${messageOf(error)}`, facts, { cause: error })
  }
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
