import { z } from 'zod'
import { artifact } from './artifact.ts'
import { operation, save, sessionRef } from './operation.ts'

export const recordingFormat = z.enum(['asciicast-v2', 'asciicast-v3', 'html', 'apng', 'gif', 'webm', 'mp4'])
export type RecordingFormat = z.infer<typeof recordingFormat>

const seq = z.int().min(1).optional()
const IDLE_MS_MAX = 24 * 60 * 60 * 1000

/** What makes something to show of a session. Part of the operation table in operations.ts. */
export const RECORDING_OPERATIONS = {
  'session.export': operation({
    summary: 'Make a recording of a session: asciicast, a page that plays it, an animation or a video.',
    params: z.object({
      session: sessionRef,
      format: recordingFormat
        .optional()
        .describe(
          'asciicast-v2, asciicast-v3, html, apng, gif, webm or mp4; else as the name of the file says.',
        )
        .meta({ placeholder: 'FORMAT' }),
      out: z
        .string()
        .regex(/^\//, 'an absolute path')
        .optional()
        .describe('The file to write; without it and without --save the CLI prints the recording.')
        .meta({ placeholder: 'FILE', parse: 'path' }),
      force: z.boolean().optional().describe('Replace the file if it is there.'),
      save,
      from_seq: seq
        .describe('Begin with this record of the Event Log, with the screen as it was then.')
        .meta({ placeholder: 'N' }),
      to_seq: seq.describe('End with this record.').meta({ placeholder: 'N' }),
      speed: z
        .string()
        .regex(/^(?:max|\d{1,4}(?:\.\d{1,3})?)$/, 'a number such as 2 or 0.5, or max')
        .default('1')
        .describe('How many times faster than it happened; max leaves no pause.')
        .meta({ placeholder: 'X' }),
      idle_limit_ms: z
        .int()
        .min(1)
        .max(IDLE_MS_MAX)
        .optional()
        .describe('Cut longer pauses to this: 2s, 500ms.')
        .meta({ flag: 'idle-limit', placeholder: 'DURATION', parse: 'duration' }),
      fps: z
        .int()
        .min(1)
        .max(50)
        .default(20)
        .describe('Pictures a second at the most (apng, gif, webm, mp4).')
        .meta({ placeholder: 'N' }),
      scale: z
        .int()
        .min(1)
        .max(3)
        .default(1)
        .describe('Size of the pictures: 1, 2 or 3.')
        .meta({ placeholder: 'N' }),
      theme: z.enum(['dark', 'light']).default('dark').describe('Colours of the pictures: dark or light.'),
    }),
    result: z.object({
      session: z.string(),
      format: recordingFormat,
      path: z.string().nullable().describe('The file that was asked for.'),
      artifact: artifact.nullable().describe('With `save`: its entry in the artifact manifest.'),
      bytes: z.int(),
      from_seq: z.int(),
      last_seq: z.int(),
      duration_ms: z.number().describe('How long it plays.'),
      frames: z.int().nullable().describe('Pictures of an animation or video.'),
      width: z.int().nullable(),
      height: z.int().nullable(),
    }),
    errors: [
      'session_not_found',
      'session_ambiguous',
      'moment_not_found',
      'log_corrupt',
      'file_exists',
      'file_not_written',
      'encoder_missing',
      'artifact_damaged',
      'disk_full',
    ],
    readOnly: false,
    cli: {
      command: 'export',
      positionals: ['session'],
      examples: [
        'transom export edit --out edit.html',
        'transom export edit --out edit.gif --idle-limit 1s --speed 2',
        'transom export edit --format asciicast-v3 > edit.cast',
        'transom export edit --format html --save',
      ],
    },
  }),
} as const
