import { z } from 'zod'
import { operation, sessionRef } from './operation.ts'
import { moment } from './view-operations.ts'

const cellSpan = z.string().regex(/^\d{1,5}(?:-\d{1,5})?$/, 'a number, or two with a dash between them: 0-11')

/** What a Screenshot Result says of characters that no font had. */
export const missingGlyphs = z.object({
  code_points: z.array(z.string()).describe('As `U+6F22`, at most 200; drawn as empty boxes.'),
  install: z.array(z.string()).describe('npm packages that have them, as far as that is known.'),
})
export type MissingGlyphs = z.infer<typeof missingGlyphs>

/** Pictures of sessions. */
export const PICTURE_OPERATIONS = {
  'session.screenshot': operation({
    summary: 'Draw what a session shows as a picture.',
    params: z.object({
      session: sessionRef,
      out: z
        .string()
        .regex(/^\//, 'an absolute path')
        .optional()
        .describe('Write the picture to this file, too (also `-o`); `-` prints it.')
        .meta({ placeholder: 'FILE', parse: 'path', touches: 'file' }),
      force: z.boolean().optional().describe('Replace the file if it is there.'),
      format: z
        .enum(['png', 'svg', 'html'])
        .optional()
        .describe('png unless the file’s name says otherwise.')
        .meta({ placeholder: 'FORMAT' }),
      inline: z.boolean().optional().describe('The picture itself in the answer, too (with --json).'),
      theme: z.enum(['dark', 'light']).optional().describe('The colours: dark unless told.'),
      scheme: z
        .string()
        .regex(/^\//, 'an absolute path')
        .optional()
        .describe('A file with 16 colours: Windows Terminal’s JSON, base16 or iTerm2.')
        .meta({ placeholder: 'FILE', parse: 'path', touches: 'file' }),
      scale: z
        .int()
        .min(1)
        .max(3)
        .default(1)
        .describe('1 is 9 × 18 pixels a cell.')
        .meta({ placeholder: 'N' }),
      padding: z
        .int()
        .min(0)
        .max(200)
        .default(8)
        .describe('Empty pixels around the cells, at scale 1.')
        .meta({ placeholder: 'N' }),
      no_cursor: z.boolean().optional().describe('Leave the cursor out.'),
      window: z.boolean().optional().describe('A window around it, with the terminal’s title.'),
      title: z
        .string()
        .max(200)
        .optional()
        .describe('A window around it, with this title.')
        .meta({ placeholder: 'TEXT' }),
      crop_rows: cellSpan
        .optional()
        .describe('Only these rows, counted from 0: 2-11, or 5.')
        .meta({ placeholder: 'A-B' }),
      crop_cols: cellSpan
        .optional()
        .describe('Only these columns, counted from 0.')
        .meta({ placeholder: 'A-B' }),
      crop_text: z
        .string()
        .min(1)
        .optional()
        .describe('Only the lines from the first to the last that show this text.')
        .meta({ placeholder: 'TEXT' }),
      ...moment,
    }),
    result: z.object({
      session: z.string(),
      seq: z.int().describe('The last record of the Event Log that the picture shows.'),
      format: z.enum(['png', 'svg', 'html']),
      path: z.string().describe('The file that was asked for, else the artifact’s.'),
      artifact: z.int().describe('Its number among the session’s artifacts.'),
      bytes: z.int(),
      sha256: z.string(),
      width: z.int().nullable().describe('In pixels; null for HTML.'),
      height: z.int().nullable(),
      cols: z.int().describe('Cells shown.'),
      rows: z.int(),
      scale: z.int(),
      theme: z.string().describe('`dark`, `light`, or the name of the scheme.'),
      screen_hash: z.string(),
      missing_glyphs: missingGlyphs.nullable(),
      png_b64: z.string().optional().describe('With `inline`: the PNG.'),
      text: z.string().optional().describe('With `inline`: the SVG or HTML.'),
    }),
    errors: [
      'session_not_found',
      'session_ambiguous',
      'moment_not_found',
      'text_not_found',
      'log_corrupt',
      'scheme_invalid',
      'file_not_read',
      'file_exists',
      'file_not_written',
      'artifact_damaged',
      'disk_full',
      'too_many_requests',
    ],
    readOnly: false,
    mcp: {
      name: 'take_screenshot',
      title: 'Draw the screen as a picture',
      description:
        'Draws what a session shows as a PNG: colours, boxes and pictures made of characters. For text, read_screen says the same for far fewer tokens.',
    },
    cli: {
      command: 'screenshot',
      positionals: ['session'],
      examples: [
        'transom screenshot edit -o edit.png',
        'transom screenshot edit -o edit.png --theme light --scale 2 --window',
        "transom screenshot edit -o before.svg --at-mark 'before the upgrade'",
        'transom screenshot build -o failed.png --crop-text FAILED --padding 0',
      ],
    },
  }),
} as const
