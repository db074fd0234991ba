import { z } from 'zod'
import { ACTS, LOOKS } from '../access.ts'
import { watchedSession } from '../activity.ts'
import { leasePolicy } from '../lease.ts'
import { cols, dryRun, lease, leaseErrors, operation, rows, sessionRef } from '../operation.ts'
import { quotaPolicy, sessionInfo, sessionKind, sessionStatus } from '../session-info.ts'
import { environment, plainName, terminalOptions, webOptions } from '../session-kinds.ts'
import { PATH_CHARS_MAX } from '../limits.ts'

const IDLE_TIMEOUT_MS_MAX = 2 ** 31 - 1 // what a timer takes: 24 days
const AGE_MS_MAX = 100 * 365 * 24 * 60 * 60 * 1000 // a century: past it a date has no year of four digits left to go
const QUOTA_POLICY_WORDS = 'At the quota: pause the program, end the session, or drop_nothing and go on.'
const quotaBytes = z.int().min(1).describe('How large the Event Log may grow.').meta({ placeholder: 'N' })

/** From the creation of a session to the removal of what it left. */
export const SESSION_OPERATIONS = {
  'session.create': operation({
    summary:
      'Start a program on a terminal of its own, or a web page in a browser, and print the session id.',
    description:
      'The program runs in the background on a pseudoterminal of its own until it ends or is destroyed; this command returns at once. It gets the caller’s environment and working folder, TERM=xterm-256color, and TRANSOM_SESSION, by which commands inside it mean this session. The first create of a Home starts its host. With --web a page is opened in a browser of its own instead, and the command returns when it has loaded; addresses of this machine and its networks are refused unless --allow-host names them. Whoever may type into a session acts as the user of its program and can read what that user can, the Home with its tokens included. With --isolated the program sees none of that: only the system’s programs, its working folder (which it may change) and an empty home folder, with no network, no other process and a clean environment. It needs bubblewrap (Linux).',
    params: z.object({
      command: terminalOptions.shape.command,
      name: plainName
        .optional()
        .describe('A name to address the session by; unique among active sessions.')
        .meta({ placeholder: 'N' }),
      kind: sessionKind
        .optional()
        .describe('What the session is: terminal or web; a web page when it has a url.')
        .meta({ placeholder: 'KIND', tool: { hidden: true } }),
      ...webOptions.shape,
      cols: cols.optional().describe('Width in cells; the Home’s config.json says, else 80; 140 for a page.'),
      rows: rows.optional().describe('Height in cells; the Home’s config.json says, else 24; 45 for a page.'),
      cwd: z
        .string()
        .min(1)
        .max(PATH_CHARS_MAX)
        .optional()
        .describe('Working folder.')
        .meta({ placeholder: 'D', parse: 'path', from: 'cwd', touches: 'machine' }),
      env: terminalOptions.shape.env,
      idle_timeout_ms: z
        .int()
        .min(1)
        .max(IDLE_TIMEOUT_MS_MAX)
        .optional()
        .describe('End the session when nothing has been typed or printed for this long.')
        .meta({ flag: 'idle-timeout', placeholder: 'TIME', parse: 'duration', tool: { hidden: true } }),
      dedicated: z
        .boolean()
        .optional()
        .describe('Give the session a host process of its own, which ends with it.')
        .meta({ tool: { hidden: true } }),
      isolated: terminalOptions.shape.isolated,
      login: terminalOptions.shape.login,
      norc: terminalOptions.shape.norc,
      no_integration: terminalOptions.shape.no_integration,
      scrollback: terminalOptions.shape.scrollback,
      quota_bytes: quotaBytes.optional().meta({ tool: { hidden: true } }),
      quota_policy: quotaPolicy
        .optional()
        .describe(QUOTA_POLICY_WORDS)
        .meta({ placeholder: 'POLICY', tool: { hidden: true } }),
      lease_policy: leasePolicy
        .optional()
        .describe('Who may write to it: open, lease_required, or people_first.')
        .meta({ placeholder: 'POLICY', tool: { hidden: true } }),
      base_env: environment
        .optional()
        .describe(
          'The environment to start from; when left out only what describes the machine and its user: PATH, HOME, LANG and the like.',
        )
        .meta({ from: 'environment', hidden: true }),
    }),
    result: sessionInfo,
    errors: [
      'program_not_found',
      'cwd_not_found',
      'name_taken',
      'spawn_failed',
      'isolation_unavailable',
      'disk_full',
      'host_stopping',
      'invalid_url',
      'url_refused',
      'invalid_viewport',
      'browser_not_found',
      'browser_failed',
      'navigation_failed',
      'profile_in_use',
    ],
    readOnly: false,
    access: { scope: 'operate', reach: 'home', touches: ['machine'] },
    mcp: {
      name: 'create_session',
      title: 'Start a program on a terminal, or open a web page',
      description:
        'Starts a program (a shell, a REPL, an editor, any command) on a terminal of its own, which keeps running between calls. Answers at once with the session id; wait_for or read_screen shows what it printed. Without a command it is the user’s shell; with a url in its place, a web page in a browser of its own.',
    },
    cli: {
      command: 'create',
      positionals: [],
      rest: 'command',
      examples: [
        'transom create -- bash',
        'transom create --name edit --cols 100 --rows 30 -- vim notes.txt',
        'transom create --name guest --isolated --cwd ./project -- bash',
        'transom create --name news --web https://example.org',
      ],
      seeAlso: ['wait', 'snapshot', 'destroy'],
      render: { text: '{session}' },
      notice:
        '[the browser runs without a sandbox ({unsandboxed}): a page that breaks out of it acts as this user]',
    },
  }),
  'session.list': operation({
    summary: 'List the sessions of this Home.',
    description:
      'Active sessions only, unless --all is given. Ended sessions keep their Event Log and can still be inspected and shown.',
    params: z.object({ all: z.boolean().optional().describe('Ended sessions too.') }),
    result: z.object({ sessions: z.array(watchedSession) }),
    errors: [],
    readOnly: true,
    access: { scope: 'read', reach: 'listed', touches: [] },
    mcp: {
      name: 'list_sessions',
      title: 'List sessions',
      openWorld: false,
      paged: 'sessions',
      description:
        'Lists the sessions of this machine’s Transom with id, name, status and command. Look here before you start another one.',
    },
    cli: {
      command: 'list',
      positionals: [],
      examples: ['transom list', 'transom list --all --json'],
      seeAlso: ['inspect', 'create'],
      render: {
        table: 'sessions',
        columns: {
          ID: '{session}',
          NAME: '{name}',
          STATUS: '{status}',
          ACTIVITY: '[{activity.state}][ ({activity.reason})]',
          KIND: '{kind}',
          SIZE: '{cols}x{rows}',
          CREATED: '{created_at:time}',
          COMMAND: '{url|command}',
        },
      },
    },
  }),
  'session.inspect': operation({
    summary: 'Show what is known of one session, and where its Event Log is.',
    description:
      'Works for ended sessions too: how the program ended, and the path of the Event Log that holds everything it printed.',
    params: z.object({ session: sessionRef }),
    result: watchedSession.extend({
      seq: z.int().describe('The last record of the Event Log.'),
      log: z.object({ path: z.string(), bytes: z.int().describe('What it takes on disk.') }),
      engine: z
        .object({
          live: z.string().nullable().describe('The one that showed it; null for a log that does not say.'),
          replay: z.string().describe('The one that shows its log now.'),
          same: z.boolean(),
          note: z.string().nullable().describe('What it means if they are not the same.'),
        })
        .nullable()
        .describe('The terminal engine, for a session with a terminal.'),
    }),
    errors: ['session_not_found', 'session_ambiguous', 'log_corrupt'],
    readOnly: true,
    access: LOOKS,
    cli: {
      command: 'inspect',
      positionals: ['session'],
      examples: ['transom inspect edit'],
      seeAlso: ['list', 'snapshot'],
      render: {
        fields: {
          activity: '[{activity.state}][ ({activity.reason})][: {activity.prompt}]',
          exit: '{exit.signal|exit.code}',
          engine: '[{engine.replay}][; {engine.note}]',
          log: '{log.path}',
          log_bytes: '{log.bytes}',
        },
      },
    },
  }),
  'session.quota': operation({
    summary:
      'Change how large a session’s Event Log may grow; a program that was paused goes on when there is room.',
    description:
      'A program whose Event Log has reached its quota is paused or ended, as the quota’s policy says; nothing that it printed is dropped.',
    params: z.object({
      session: sessionRef,
      bytes: quotaBytes.optional(),
      policy: quotaPolicy.optional().describe(QUOTA_POLICY_WORDS).meta({ placeholder: 'POLICY' }),
    }),
    result: z.object({ session: z.string(), bytes: z.int(), policy: quotaPolicy, used_bytes: z.int() }),
    errors: ['session_not_found', 'session_ambiguous', 'session_ended'],
    readOnly: false,
    access: ACTS,
    cli: {
      command: 'quota',
      positionals: ['session'],
      examples: [
        'transom quota work',
        'transom quota work --bytes 5000000000',
        'transom quota work --policy end',
      ],
      seeAlso: ['create', 'inspect'],
    },
  }),
  'session.destroy': operation({
    summary: 'End a session and every process it started. Its Event Log stays.',
    description:
      'Every process of the session is asked to end and, after a moment, killed: also one that has left the terminal. The session can still be listed with --all and shown.',
    params: z.object({ session: sessionRef, lease }),
    result: sessionInfo,
    errors: ['session_not_found', 'session_ambiguous', ...leaseErrors],
    readOnly: false,
    access: ACTS,
    mcp: {
      name: 'destroy_session',
      title: 'End a session',
      description:
        'Ends a session and every process that it started. What it printed can still be read. Nothing else ends a session’s program: cancelled and timed-out calls leave it running.',
      openWorld: false,
      idempotent: true,
    },
    cli: {
      command: 'destroy',
      positionals: ['session'],
      examples: ['transom destroy edit'],
      seeAlso: ['signal', 'list'],
      render: 'nothing',
    },
  }),
  'session.gc': operation({
    summary: 'Remove the folders of sessions that have ended: their Event Logs and all that belongs to them.',
    params: z.object({
      older_than_ms: z
        .int()
        .min(0)
        .max(AGE_MS_MAX)
        .optional()
        .describe('Only those that ended at least this long ago: 7d, 12h, 30m, 90s, 500ms.')
        .meta({ flag: 'older-than', placeholder: 'DURATION', parse: 'age' }),
      force: z.boolean().optional().describe('Also those with pinned artifacts.'),
      dry_run: dryRun,
    }),
    result: z.object({
      dry_run: z.boolean(),
      sessions: z.array(
        z.object({
          session: z.string(),
          name: z.string().nullable(),
          status: sessionStatus
            .nullable()
            .describe('null for what a session that never came to be has left behind.'),
          ended_at: z.string().nullable(),
          bytes: z.int(),
          outcome: z.enum(['removed', 'would_remove', 'failed']),
          problem: z.string().nullable().describe('Why it could not be removed.'),
        }),
      ),
      bytes: z.int().describe('The sum of what was, or would be, removed.'),
      kept: z.array(z.string()).describe('Sessions that stay because an artifact of theirs is pinned.'),
    }),
    errors: [],
    readOnly: false,
    access: { scope: 'admin', reach: 'home', touches: [] },
    cli: {
      command: 'gc',
      positionals: [],
      examples: ['transom gc --dry-run', 'transom gc --older-than 7d'],
      render: { code: 'collection' },
    },
  }),
} as const
