import { z } from 'zod'
import { untrusted } from './untrusted.ts'

/** `starting` keeps a newborn from being taken for a dead one; the other six are the glossary's. */
export const sessionStatus = z.enum([
  'starting',
  'running',
  'exiting',
  'exited',
  'failed',
  'destroying',
  'destroyed',
])
export type SessionStatus = z.infer<typeof sessionStatus>

export const exitRecord = z.object({
  code: z.int().nullable().describe('Exit code, or null when a signal ended the program.'),
  signal: z.string().nullable().describe('Name of the signal that ended the program, or null.'),
})
export type ExitRecord = z.infer<typeof exitRecord>

/** What a session is. Kinds are registered by the host: `terminal` and `web`, and others that a program adds. */
export const sessionKind = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'a kind has 1 to 32 small letters, digits, dashes or underscores')
export type SessionKind = z.infer<typeof sessionKind>

/** The content of a session's manifest, and the answer of `list` and `inspect`. No environment: it holds secrets. */
export const sessionInfo = z.object({
  session: z.string().describe("The session's id."),
  name: z.string().nullable(),
  kind: sessionKind,
  conversation: z.string().optional().describe('The conversation whose shell it is.'),
  status: sessionStatus,
  command: z.array(z.string()),
  url: untrusted(z.string().optional().describe('The address of a web page.')),
  isolated: z
    .boolean()
    .optional()
    .describe('Whether its program sees only the system’s programs and its working folder, and no network.'),
  unsandboxed: z
    .string()
    .optional()
    .describe('Why the browser of a web page runs without a sandbox; left out where it has one.'),
  cwd: z.string(),
  cols: z.int(),
  rows: z.int(),
  pid: z.int().nullable().describe("The program's process id, while it runs."),
  created_at: z.string().describe('ISO 8601.'),
  ended_at: z.string().nullable(),
  exit: exitRecord.nullable(),
  failure: untrusted(z.string().nullable()).describe('Why the session is `failed`.'),
  ended_by: z
    .string()
    .nullable()
    .default(null)
    .describe(
      'What ended it: `exit`, `destroy`, `idle_timeout`, `quota`, `host_lost`, `session_error`, or what its kind has lost, as `browser_lost`.',
    ),
  paused: z
    .enum(['quota', 'disk'])
    .nullable()
    .default(null)
    .describe(
      'Why its program is stopped from printing: the log has reached its quota, or the disk takes no more.',
    ),
})
export type SessionInfo = z.infer<typeof sessionInfo>

export const COLS_MIN = 2 // a wide character needs two cells
export const COLS_MAX = 1000
export const ROWS_MAX = 1000 // 10⁶ cells at the most: 6 MB of Grid, and no screen is larger

export const quotaPolicy = z.enum(['pause', 'end', 'drop_nothing'])
/**
 * What happens when a log has reached its quota: the program is stopped from printing until the quota is raised,
 * the session is ended, or everything is kept all the same. Nothing is ever dropped.
 */
export type QuotaPolicy = z.infer<typeof quotaPolicy>

/** A day of `yes` would be 10¹² bytes; a day of a busy build is well below this. */
export const SESSION_QUOTA_BYTES_DEFAULT = 1 << 30
/** All sessions of a Home together. */
export const HOME_QUOTA_BYTES_DEFAULT = 20 * 2 ** 30
