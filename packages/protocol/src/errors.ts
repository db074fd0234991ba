export * from './next-step.ts'

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
  frame_too_large: row(
    65,
    413,
    -32101,
    false,
    'A message is longer, deeper or has more values than is taken.',
  ),
  session_not_found: row(66, 404, -32102, false, 'No session has this id, prefix or name.'),
  session_ambiguous: row(64, 409, -32103, false, 'More than one session has this id prefix.'),
  session_ended: row(69, 409, -32104, false, 'The session has ended and takes no input or waits.'),
  name_taken: row(65, 409, -32105, false, 'An active session has this name already.'),
  program_not_found: row(66, 400, -32106, false, 'The program to run does not exist or cannot be executed.'),
  cwd_not_found: row(66, 400, -32107, false, 'The working folder does not exist or cannot be entered.'),
  spawn_failed: row(69, 503, -32108, true, 'The system could not start the program on a new pty.'),
  isolation_unavailable: row(69, 503, -32190, false, 'The system cannot isolate the program of a session.'),
  held: row(
    69,
    409,
    -32191,
    true,
    'Another caller holds the lease of the session: what would change it is refused.',
  ),
  lease_changed: row(69, 409, -32192, true, 'The lease of the session has changed hands meanwhile.'),
  lease_required: row(69, 409, -32193, false, 'The session takes input from the holder of its lease only.'),
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
  scheme_invalid: row(65, 400, -32149, false, 'A file of colours for pictures cannot be used.'),
  file_not_read: row(66, 400, -32134, false, 'A file that was named cannot be read.'),
  home_unwritable: row(77, 403, -32126, false, 'The Home cannot be written to.'),
  home_untrusted: row(77, 403, -32144, false, 'The Home, or a file in it, is or may be another user’s work.'),
  home_foreign: row(65, 409, -32127, false, 'The folder is not a Home of this version of Transom.'),
  socket_path_too_long: row(64, 400, -32128, false, 'The socket path is longer than the system takes.'),
  socket_untrusted: row(
    77,
    403,
    -32129,
    false,
    'The socket or its folder does not belong to this user alone.',
  ),
  wrong_kind: row(64, 409, -32177, false, 'The operation is for another kind of session.'),
  profile_in_use: row(69, 409, -32178, true, 'Another session has this browser profile open.'),
  invalid_url: row(65, 400, -32175, false, 'The text is not a URL that a page can be opened from.'),
  url_refused: row(77, 403, -32176, false, 'The page, or its host, may not be reached from this browser.'),
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
  navigation_timeout: row(75, 504, -32010, true, 'A page did not load in time.'),
  invalid_key: row(65, 400, -32011, false, 'A key name is not known to web pages.'),
  snapshot_unavailable: row(69, 503, -32012, true, 'The page has not been painted yet.'),
  rate_limited: row(73, 429, -32013, true, 'There were more requests than are taken in this time.'),
  invalid_viewport: row(65, 400, -32014, false, 'The size asked for is out of range.'),
  browser_not_found: row(69, 503, -32170, false, 'No Chromium is installed where Transom looks for one.'),
  browser_failed: row(69, 503, -32171, true, 'Chromium could not be started, or has ended.'),
  page_unresponsive: row(75, 504, -32172, true, 'The page does not answer; it was stopped or loaded anew.'),
  page_crashed: row(69, 503, -32173, true, "The page's process has ended; a new one took its place."),
  navigation_failed: row(69, 502, -32174, true, 'A page could not be loaded.'),
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
  shell_not_integrated: row(
    69,
    409,
    -32160,
    false,
    'The program is not a shell with integration: what it runs has no blocks.',
  ),
  shell_busy: row(69, 409, -32161, true, 'The shell is running a command.'),
  shell_interactive: row(69, 409, -32162, false, 'An interactive session has the shell.'),
  block_not_found: row(66, 404, -32163, false, 'There is no such block.'),
  block_not_started: row(69, 503, -32164, true, 'The shell did not take the command.'),
  block_running: row(75, 408, -32165, true, 'The command has not ended in time, and runs on.'),
  needs_input: row(80, 409, -32168, false, 'The command waits for input, and runs on.'),
  interactive_ended: row(69, 409, -32166, false, 'The interactive session named is not the active one.'),
  conversation_not_found: row(66, 404, -32167, false, 'No session was ever opened for this conversation.'),
  too_many_requests: row(73, 429, -32133, true, 'One connection has too many requests in flight.'),
  unauthorized: row(77, 401, -32150, false, 'The gateway was given no token, or one that it does not know.'),
  forbidden: row(77, 403, -32151, false, 'The token does not reach as far as this operation or session.'),
  origin_refused: row(77, 403, -32152, false, 'The Host or Origin of a request is not one of the gateway’s.'),
  method_not_allowed: row(64, 405, -32154, false, 'The route takes another HTTP method.'),
  media_type_refused: row(65, 415, -32155, false, 'The body of a request is not application/json.'),
  address_refused: row(64, 400, -32156, false, 'The gateway cannot or will not listen at this address.'),
  token_not_found: row(66, 404, -32157, false, 'No token has this id or name.'),
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof ERROR_TABLE
export type ErrorDetails = Record<string, unknown>

/** In the registry that all modules of a process share: the same symbol in every copy of this file. */
const OP_ERROR_BRAND = Symbol.for('transom.OpError')

/**
 * An operating error: something outside went wrong, or was asked for wrongly. A bug is an assertion instead.
 *
 * Each bundle has its own copy of this class, and errors cross from one to another (the CLI loads the gateway, a
 * program loads the client). `instanceof OpError` therefore checks a brand instead of the prototype.
 */
export class OpError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails

  static {
    // On the prototype, where no printed or serialized error shows it.
    Object.defineProperty(this.prototype, OP_ERROR_BRAND, { value: true })
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // A subclass inherits this method, and not every OpError is an instance of it.
    if (this !== OpError) return Function.prototype[Symbol.hasInstance].call(this, value)
    return typeof value === 'object' && value !== null && OP_ERROR_BRAND in value
  }

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
