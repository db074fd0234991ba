import { z } from 'zod'
import { operation, sessionRef } from './operation.ts'
import { sessionStatus } from './session-info.ts'

const AGE_MS_MAX = 100 * 365 * 24 * 60 * 60 * 1000 // a century: past it a date has no year of four digits left to go

const dryRun = z.boolean().optional().describe('Say what would be done and do nothing.')

const eventPosition = z.object({
  seq: z.int(),
  time: z.number().describe('Milliseconds since 1970, with fractions.'),
})

/** What `log verify` finds, and what the details of its `log_corrupt` hold. */
export const logReport = z.object({
  session: z.string(),
  path: z.string().describe('The first file of the log that is torn or damaged, else its first file.'),
  segments: z.int().describe('The files of the log.'),
  bytes: z.int().describe('The size of these files before compression.'),
  stored_bytes: z.int().describe('What the log takes on disk, with its indexes and checkpoints.'),
  records: z.int().describe('Records that can be read, also those after damage.'),
  types: z.record(z.string(), z.int()).describe('Readable records by event type.'),
  first: eventPosition.nullable(),
  last: eventPosition.nullable(),
  missing: z.int().describe('Seqs before the last that no record has.'),
  tail: z
    .enum(['none', 'torn', 'damaged'])
    .describe('torn: the writer died in its last record. damaged: bytes have changed or are lost.'),
  offset: z
    .int()
    .nullable()
    .describe('The byte of `path`, before compression, where the torn or damaged part begins.'),
  unreadable_bytes: z.int(),
  checkpoints: z
    .object({
      equal: z.int().describe('Those that equal a replay of the records before them.'),
      different: z.array(z.int()).describe('The seqs of those that do not.'),
      unusable: z.int().describe('Those of another version or another log: they are not used.'),
    })
    .describe('The saved states from which a replay may begin. Not checked where the log is damaged.'),
})
export type LogReport = z.infer<typeof logReport>

/** What keeps a Home in order. Part of the operation table in operations.ts. */
export const HOUSEKEEPING_OPERATIONS = {
  'session.gc': operation({
    summary: 'Remove the folders of sessions that have ended: their Event Logs and all that belongs to them.',
    params: z.object({
      older_than_ms: z
        .int()
        .min(0)
        .max(AGE_MS_MAX)
        .optional()
        .describe('Only those that ended at least this long ago: 7d, 12h, 30m, 90s, 500ms.')
        .meta({ flag: 'older-than', placeholder: 'DURATION', parse: 'duration' }),
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
    access: { scope: 'admin' },
    cli: {
      command: 'gc',
      positionals: [],
      examples: ['transom gc --dry-run', 'transom gc --older-than 7d'],
    },
  }),
  'home.list': operation({
    summary: 'List the Homes of this machine that have an active session.',
    params: z.object({
      all: z.boolean().optional().describe('Every Home in the Home Registry.'),
    }),
    result: z.object({
      registry: z.string().describe('The file that holds the Home Registry.'),
      homes: z.array(
        z.object({
          home: z.string(),
          sessions: z.int().describe('Sessions in it, ended ones included.'),
          active_sessions: z.int(),
          registered_at: z.string().describe('ISO 8601.'),
          problem: z.string().nullable().describe('Why the Home could not be looked into.'),
        }),
      ),
    }),
    errors: [],
    readOnly: false, // entries of Homes that are gone are pruned
    access: { scope: 'admin' },
    cli: {
      command: 'home list',
      positionals: [],
      examples: ['transom home list', 'transom home list --all'],
    },
  }),
  'home.forget': operation({
    summary: 'Take a Home out of the Home Registry. The Home itself stays as it is.',
    params: z.object({
      path: z
        .string()
        .min(1)
        .describe('The folder of the Home.')
        .meta({ placeholder: 'PATH', parse: 'path' }),
    }),
    result: z.object({
      home: z.string(),
      forgotten: z.boolean().describe('False when it was not in the Home Registry.'),
    }),
    errors: [],
    readOnly: false,
    access: { scope: 'admin' },
    cli: { command: 'home forget', positionals: ['path'], examples: ['transom home forget ~/old-home'] },
  }),
  'log.verify': operation({
    summary: 'Check every record of a session’s Event Log, and its checkpoints against a replay.',
    params: z.object({ session: sessionRef }),
    result: logReport,
    errors: ['session_not_found', 'session_ambiguous', 'log_corrupt'],
    readOnly: true,
    cli: { command: 'log verify', positionals: ['session'], examples: ['transom log verify edit'] },
  }),
  'log.repair': operation({
    summary:
      'Make the Event Log of an ended session whole again: cut a torn tail, leave out what is damaged.',
    params: z.object({ session: sessionRef, dry_run: dryRun }),
    result: z.object({
      session: z.string(),
      path: z.string(),
      dry_run: z.boolean(),
      tail: logReport.shape.tail.describe('What was found.'),
      records: z.int().describe('Records that the log has afterwards.'),
      removed_bytes: z.int(),
      damaged_copy: z.string().nullable().describe('Where the first damaged file is kept.'),
      damaged_copies: z.array(z.string()).describe('Where all damaged files are kept.'),
    }),
    errors: ['session_not_found', 'session_ambiguous', 'log_corrupt', 'log_in_use', 'disk_full'],
    readOnly: false,
    access: { scope: 'admin' },
    cli: {
      command: 'log repair',
      positionals: ['session'],
      examples: ['transom log repair edit --dry-run', 'transom log repair edit'],
    },
  }),
  'log.export': operation({
    summary: 'Write a session’s Event Log to a file or to standard output.',
    params: z.object({
      session: sessionRef,
      format: z
        .enum(['raw', 'jsonl', 'text'])
        .default('text')
        .describe('raw: the exact bytes of the program. jsonl: an event a line. text: all lines it showed.')
        .meta({ placeholder: 'FORMAT' }),
      out: z
        .string()
        .regex(/^\//, 'an absolute path')
        .optional()
        .describe('The file to write; without it the CLI prints the export.')
        .meta({ placeholder: 'FILE', parse: 'path' }),
      force: z.boolean().optional().describe('Replace the file if it is there.'),
    }),
    result: z.object({
      session: z.string(),
      format: z.string(),
      path: z.string(),
      bytes: z.int(),
      records: z.int().describe('Records that were read for it.'),
      last_seq: z.int(),
    }),
    errors: [
      'session_not_found',
      'session_ambiguous',
      'log_corrupt',
      'file_exists',
      'file_not_written',
      'disk_full',
    ],
    readOnly: false,
    access: { scope: 'admin' },
    cli: {
      command: 'log export',
      positionals: ['session'],
      examples: [
        'transom log export edit',
        'transom log export edit --format jsonl --out edit.jsonl',
        'transom log export edit --format raw --out edit.raw --force',
      ],
    },
  }),
} as const
