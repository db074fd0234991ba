/**
 * Every way an operation can fail, once. The code, message and details cross every wire unchanged; this table
 * adds what each surface needs: the CLI's exit status (sysexits), the HTTP status, the JSON-RPC number, and
 * whether the same call may succeed when it is made again.
 *
 * No zod here: the CLI bundles this file, and zod would double its start-up time.
 */
export interface ErrorRow {
  readonly exit: number
  readonly http: number
  readonly rpc: number
  readonly retryable: boolean
  readonly summary: string
}

export const ERROR_TABLE = {
  parse_error: row(65, 400, -32700, false, 'The message is not JSON.'),
  invalid_request: row(65, 400, -32600, false, 'The message is JSON but not a JSON-RPC 2.0 request.'),
  unknown_operation: row(64, 404, -32601, false, 'No operation has this name.'),
  usage: row(64, 400, -32602, false, 'An argument is missing, unknown or out of range.'),
  internal: row(70, 500, -32603, false, 'A bug in Transom.'),
  cancelled: row(130, 499, -32800, false, 'The caller cancelled the request.'),
  frame_too_large: row(65, 413, -32101, false, 'A message is longer than the transport takes.'),
  session_not_found: row(66, 404, -32102, false, 'No session has this id, prefix or name.'),
  session_ambiguous: row(64, 409, -32103, false, 'More than one session has this id prefix.'),
  session_ended: row(69, 409, -32104, false, 'The session has ended and takes no input or waits.'),
  name_taken: row(65, 409, -32105, false, 'An active session has this name already.'),
  program_not_found: row(66, 400, -32106, false, 'The program to run does not exist or cannot be executed.'),
  cwd_not_found: row(66, 400, -32107, false, 'The working folder does not exist or cannot be entered.'),
  spawn_failed: row(69, 503, -32108, true, 'The system could not start the program on a new pty.'),
  unknown_key: row(64, 400, -32109, false, 'A key name is not known.'),
  mouse_not_enabled: row(69, 409, -32135, false, 'The program has not asked for this kind of mouse input.'),
  text_not_found: row(66, 404, -32136, true, 'The text to point at is not on the screen.'),
  bad_pattern: row(64, 400, -32120, false, 'A regular expression cannot be compiled or could run for ever.'),
  wait_timeout: row(75, 408, -32121, true, 'The condition did not come true in time.'),
  input_queue_full: row(73, 429, -32122, true, 'The program is not reading its input and the queue is full.'),
  io_error: row(74, 500, -32123, true, 'Reading or writing a file failed.'),
  disk_full: row(74, 507, -32124, true, 'The disk is full; nothing was recorded.'),
  moment_not_found: row(66, 404, -32137, false, 'The history has no such seq, mark, time or Screen Hash.'),
  log_corrupt: row(65, 500, -32125, false, 'An Event Log cannot be read.'),
  picture_unreadable: row(65, 400, -32148, false, 'A picture file is damaged or of a kind that is not read.'),
  file_not_read: row(66, 400, -32134, false, 'A file that was named cannot be read.'),
  home_unwritable: row(77, 403, -32126, false, 'The Home cannot be written to.'),
  home_foreign: row(65, 409, -32127, false, 'The folder is not a Home of this version of Transom.'),
  socket_path_too_long: row(64, 400, -32128, false, 'The socket path is longer than the system takes.'),
  socket_untrusted: row(
    77,
    403,
    -32129,
    false,
    'The socket or its folder does not belong to this user alone.',
  ),
  host_unavailable: row(69, 503, -32130, true, 'The host could not be reached or started.'),
  host_stopping: row(69, 503, -32131, true, 'The host is leaving; a new one takes the next request.'),
  session_elsewhere: row(
    69,
    421,
    -32138,
    true,
    'Another host of this Home runs the session; `socket` says where.',
  ),
  host_incompatible: row(69, 426, -32139, false, 'The session runs on a host of another version.'),
  host_busy: row(69, 409, -32132, false, 'The host has active sessions and was not told to end them.'),
  config_invalid: row(65, 409, -32140, false, 'The config.json of the Home cannot be used.'),
  log_in_use: row(69, 409, -32141, true, 'The Event Log is being written to.'),
  file_exists: row(65, 409, -32142, false, 'A file to write is there already.'),
  file_not_written: row(74, 400, -32143, false, 'A file that was named cannot be written.'),
  artifact_damaged: row(
    65,
    409,
    -32180,
    false,
    'Artifacts are missing or have changed, or their manifest cannot be read.',
  ),
  artifact_not_found: row(66, 404, -32181, false, 'The session has no such artifact.'),
  assert_failed: row(1, 409, -32182, false, 'The session does not show what was asserted.'),
  batch_failed: row(1, 409, -32183, false, 'A step of a batch failed.'),
  encoder_missing: row(
    69,
    503,
    -32184,
    false,
    'A program that makes videos (ffmpeg) is not there, or refused.',
  ),
  too_many_requests: row(73, 429, -32133, true, 'One connection has too many requests in flight.'),
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof ERROR_TABLE
export type ErrorDetails = Record<string, unknown>

/** An operating error: something outside went wrong, or was asked for wrongly. A bug is an assertion instead. */
export class OpError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'OpError'
    this.code = code
    this.details = details
  }

  get row(): ErrorRow {
    return ERROR_TABLE[this.code]
  }
}

/** The error as every wire and `--json` show it. */
export interface WireError {
  code: ErrorCode
  message: string
  retryable: boolean
  details: ErrorDetails
}

export function toWireError(error: unknown): WireError {
  const known = error instanceof OpError ? error : bugAsOpError(error)
  return {
    code: known.code,
    message: known.message,
    retryable: known.row.retryable,
    details: known.details,
  }
}

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERROR_TABLE, code)
}

function bugAsOpError(error: unknown): OpError {
  const message = error instanceof Error ? error.message : String(error)
  return new OpError('internal', `unexpected failure: ${message}; please report it`, {}, { cause: error })
}

function row(exit: number, http: number, rpc: number, retryable: boolean, summary: string): ErrorRow {
  return { exit, http, rpc, retryable, summary }
}
