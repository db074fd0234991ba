import { z } from 'zod'
import { LOOKS } from '../access.ts'
import { dryRun, operation, sessionRef } from '../operation.ts'
import { PATH_CHARS_MAX } from '../limits.ts'

const eventPosition = z.object({
  seq: z.int(),
  time: z.number().describe('Milliseconds since 1970, with fractions.'),
})

/** What `log verify` finds, and what the details of its `log_corrupt` hold. */
const logReport = z.object({
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

/** The Event Log of a session as a file. */
export const LOG_OPERATIONS = {
  'log.verify': operation({
    summary: 'Check every record of a session’s Event Log, and its checkpoints against a replay.',
    params: z.object({ session: sessionRef }),
    result: logReport,
    errors: ['session_not_found', 'session_ambiguous', 'log_corrupt'],
    readOnly: true,
    access: LOOKS,
    cli: {
      command: 'log verify',
      positionals: ['session'],
      examples: ['transom log verify edit'],
      render: {
        fields: {
          types: '{types:counts}',
          first: '[seq {first.seq}, {first.time:iso}]',
          last: '[seq {last.seq}, {last.time:iso}]',
          checkpoints: '{checkpoints.equal} equal to a replay, {checkpoints.unusable} not used',
        },
      },
    },
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
    access: { scope: 'admin', reach: 'session', touches: [] },
    cli: {
      command: 'log repair',
      positionals: ['session'],
      examples: ['transom log repair edit --dry-run', 'transom log repair edit'],
      render: { code: 'repair' },
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
        .max(PATH_CHARS_MAX)
        .regex(/^\//, 'an absolute path')
        .optional()
        .describe('The file to write; without it the CLI prints the export.')
        .meta({ placeholder: 'FILE', parse: 'path', touches: 'file' }),
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
    access: { scope: 'admin', reach: 'session', touches: ['file'] },
    cli: {
      command: 'log export',
      positionals: ['session'],
      examples: [
        'transom log export edit',
        'transom log export edit --format jsonl --out edit.jsonl',
        'transom log export edit --format raw --out edit.raw --force',
      ],
      render: { text: '{path}' },
      prints: { what: 'file', unless: ['out'] },
    },
  }),
} as const
