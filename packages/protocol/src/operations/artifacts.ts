import { z } from 'zod'
import { ACTS, LOOKS } from '../access.ts'
import { artifact } from '../artifact.ts'
import { operation, sessionRef } from '../operation.ts'
import { PATH_CHARS_MAX } from '../limits.ts'
import { untrusted } from '../untrusted.ts'

const PIECE_BYTES_MAX = 1 << 20 // in base64 an answer of 1.4 MB, which is below what a WebSocket message may have
const sessionErrors = ['session_not_found', 'session_ambiguous'] as const

const pinParams = z.object({
  session: sessionRef,
  artifact: z
    .int()
    .min(1)
    .optional()
    .describe('The number of the artifact; all of them when left out.')
    .meta({ flag: 'id', placeholder: 'N' }),
})

const artifactsResult = z.object({
  session: z.string(),
  folder: z.string().describe('Where the files are.'),
  artifacts: z.array(artifact),
})

const artifactTable = {
  table: 'artifacts',
  columns: {
    ID: '{id}',
    KIND: '{kind}',
    FORMAT: '{format}',
    SEQ: '[{from_seq}–]{seq}',
    BYTES: '{bytes}',
    TIME: '{time:time}',
    '': '[{?pinned}pinned]',
    FILE: '{file}',
  },
} as const

/** What `artifacts verify` finds wrong. */
const artifactProblem = z.object({
  file: z.string(),
  problem: z.enum(['missing', 'changed', 'not_listed']),
})

/** What was captured of a session and kept beside its Event Log. */
export const ARTIFACTS_OPERATIONS = {
  'artifacts.list': operation({
    summary: 'List what was captured of a session and kept: snapshots, pictures, recordings.',
    params: z.object({ session: sessionRef }),
    result: artifactsResult,
    errors: [...sessionErrors, 'artifact_damaged'],
    readOnly: true,
    access: LOOKS,
    cli: {
      command: 'artifacts list',
      positionals: ['session'],
      examples: ['transom artifacts list edit'],
      render: artifactTable,
    },
  }),
  'artifacts.verify': operation({
    summary: 'Check that every artifact of a session is there, unchanged.',
    params: z.object({ session: sessionRef }),
    result: z.object({
      session: z.string(),
      folder: z.string(),
      artifacts: z.int().describe('Entries of the manifest.'),
      bytes: z.int(),
      problems: z.array(artifactProblem).describe('Files that nothing in the manifest speaks of.'),
    }),
    errors: [...sessionErrors, 'artifact_damaged'],
    readOnly: true,
    access: LOOKS,
    cli: {
      command: 'artifacts verify',
      positionals: ['session'],
      examples: ['transom artifacts verify edit'],
      render: [
        { text: '{artifacts:n_artifact}, {bytes:n_byte}: all as they were captured' },
        { lines: 'problems', each: '{file} is not in the manifest' },
      ],
    },
  }),
  'artifacts.read': operation({
    summary: 'Read the bytes of one artifact, a piece at a time.',
    description:
      'For callers on another machine: `save` makes an artifact of a recording or a snapshot, and this fetches it without a file outside the Home.',
    params: z.object({
      session: sessionRef,
      artifact: z.int().min(1).describe('The number of the artifact.').meta({ placeholder: 'N' }),
      from_byte: z.int().min(0).default(0).describe('Where the piece begins.').meta({ placeholder: 'N' }),
      max_bytes: z
        .int()
        .min(1)
        .max(PIECE_BYTES_MAX)
        .default(PIECE_BYTES_MAX)
        .describe('How long it may be.')
        .meta({ placeholder: 'N' }),
    }),
    result: z.object({
      session: z.string(),
      artifact,
      data_b64: untrusted(z.string()),
      next_byte: z.int().nullable().describe('Where the next piece begins; null after the last one.'),
    }),
    errors: [...sessionErrors, 'artifact_not_found', 'artifact_damaged', 'file_not_read'],
    readOnly: true,
    access: LOOKS,
    cli: null, // a user of this machine has the file
  }),
  'artifacts.bundle': operation({
    summary: 'Make one folder or zip of a session to hand to a reviewer.',
    description:
      'In it: index.html with the last screen, the pictures and links, a page that plays the recording, the asciicast, the transcript, every artifact, and SHA256SUMS for "sha256sum -c". An artifact that is not what was captured is refused.',
    params: z.object({
      session: sessionRef,
      out: z
        .string()
        .max(PATH_CHARS_MAX)
        .regex(/^\//, 'an absolute path')
        .describe('The folder to make, or a file that ends in .zip.')
        .meta({ placeholder: 'PATH', parse: 'path', touches: 'file' }),
      force: z.boolean().optional().describe('Replace the zip if it is there.'),
    }),
    result: z.object({
      session: z.string(),
      path: z.string(),
      files: z.int(),
      bytes: z.int().describe('The sum of the files, unpacked.'),
      last_seq: z.int(),
    }),
    errors: [
      ...sessionErrors,
      'log_corrupt',
      'artifact_damaged',
      'file_exists',
      'file_not_written',
      'disk_full',
    ],
    readOnly: false,
    access: { scope: 'admin', reach: 'session', touches: ['file'] },
    cli: {
      command: 'artifacts bundle',
      positionals: ['session'],
      examples: [
        'transom artifacts bundle edit --out review',
        'transom artifacts bundle edit --out review.zip',
      ],
      seeAlso: ['export', 'artifacts verify'],
      render: { text: '{path}' },
    },
  }),
  'artifacts.pin': operation({
    summary: 'Keep a session from garbage collection for the sake of its artifacts.',
    description:
      'A pin is in the artifact manifest. "transom gc" keeps sessions with a pinned artifact, unless it is forced.',
    params: pinParams,
    result: artifactsResult,
    errors: [...sessionErrors, 'artifact_not_found', 'artifact_damaged', 'disk_full'],
    readOnly: false,
    access: { ...ACTS, touches: ['artifacts'] },
    cli: {
      command: 'artifacts pin',
      positionals: ['session'],
      examples: ['transom artifacts pin edit', 'transom artifacts pin edit --id 3'],
      seeAlso: ['artifacts list', 'gc'],
      render: artifactTable,
    },
  }),
  'artifacts.unpin': operation({
    summary: 'Take the pin off artifacts again.',
    params: pinParams,
    result: artifactsResult,
    errors: [...sessionErrors, 'artifact_not_found', 'artifact_damaged', 'disk_full'],
    readOnly: false,
    access: { ...ACTS, touches: ['artifacts'] },
    cli: {
      command: 'artifacts unpin',
      positionals: ['session'],
      examples: ['transom artifacts unpin edit'],
      render: artifactTable,
    },
  }),
} as const
