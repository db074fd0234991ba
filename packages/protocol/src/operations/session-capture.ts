import { z } from 'zod'
import { ACTS } from '../access.ts'
import { artifact } from '../artifact.ts'
import { moment } from '../moment.ts'
import { operation, save, sessionRef } from '../operation.ts'
import { PATH_CHARS_MAX } from '../limits.ts'
import { sought } from '../wait.ts'
import { untrusted } from '../untrusted.ts'

const cellSpan = z.string().regex(/^\d{1,5}(?:-\d{1,5})?$/, 'a number, or two with a dash between them: 0-11')

/** What a Screenshot Result says of characters that no font had. */
const missingGlyphs = z.object({
  code_points: z.array(z.string()).describe('As `U+6F22`, at most 200; drawn as empty boxes.'),
  install: z.array(z.string()).describe('npm packages that have them, as far as that is known.'),
})

const recordingFormat = z.enum(['asciicast-v2', 'asciicast-v3', 'html', 'apng', 'gif', 'webm', 'mp4'])
export type RecordingFormat = z.infer<typeof recordingFormat>

const seq = z.int().min(1).optional()
const IDLE_MS_MAX = 24 * 60 * 60 * 1000

/** Pictures and recordings of a session. */
export const SESSION_CAPTURE_OPERATIONS = {
  'session.screenshot': operation({
    summary: 'Draw what a session shows as a picture.',
    description:
      'Drawn without a browser, from glyphs that are shipped: the same screen gives the same pixels on every machine. The picture is kept among the session’s artifacts; its path is printed. Works for ended sessions and for moments of the past. Emoji in colour, and Chinese, Japanese and Korean, need optional packages: when a character is missing, the answer says which one to install.',
    params: z.object({
      session: sessionRef,
      out: z
        .string()
        .max(PATH_CHARS_MAX)
        .regex(/^\//, 'an absolute path')
        .optional()
        .describe('Write the picture to this file, too (also `-o`); `-` prints it.')
        .meta({ placeholder: 'FILE', parse: 'path', touches: 'file' }),
      force: z
        .boolean()
        .optional()
        .describe('Replace the file if it is there.')
        .meta({ tool: { hidden: true } }),
      format: z
        .enum(['png', 'svg', 'html'])
        .optional()
        .describe('png unless the file’s name says otherwise.')
        .meta({ placeholder: 'FORMAT', tool: { fixed: 'png' } }), // nothing else is a picture to a model
      inline: z
        .boolean()
        .optional()
        .describe('The picture itself in the answer, too (with --json).')
        .meta({ tool: { fixed: true } }),
      theme: z
        .enum(['dark', 'light'])
        .optional()
        .describe('The colours; dark by default.')
        .meta({ tool: { hidden: true } }),
      scheme: z
        .string()
        .max(PATH_CHARS_MAX)
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
        .meta({ placeholder: 'N', tool: { hidden: true } }),
      no_cursor: z
        .boolean()
        .optional()
        .describe('Leave the cursor out.')
        .meta({ tool: { hidden: true } }),
      window: z
        .boolean()
        .optional()
        .describe('A window around it, with the terminal’s title.')
        .meta({ tool: { hidden: true } }),
      title: z
        .string()
        .max(200)
        .optional()
        .describe('A window around it, with this title.')
        .meta({ placeholder: 'TEXT', tool: { hidden: true } }),
      crop_rows: cellSpan
        .optional()
        .describe('Only these rows, counted from 0: 2-11, or 5.')
        .meta({ placeholder: 'A-B' }),
      crop_cols: cellSpan
        .optional()
        .describe('Only these columns, counted from 0.')
        .meta({ placeholder: 'A-B' }),
      crop_text: sought
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
      text: untrusted(z.string().optional()).describe('With `inline`: the SVG or HTML.'),
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
    access: { ...ACTS, touches: ['artifacts'] },
    step: 'other',
    mcp: {
      name: 'take_screenshot',
      title: 'Draw the screen as a picture',
      destructive: false,
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
      seeAlso: ['snapshot', 'screenshot-diff', 'artifacts list'],
      render: { text: '{path}' },
      notice:
        '[no glyph for {missing_glyphs.code_points:some}: drawn as empty boxes][; "npm install -g {missing_glyphs.install}" has them]',
    },
  }),
  'session.export': operation({
    summary: 'Make a recording of a session: asciicast, a page that plays it, an animation or a video.',
    description:
      'For sessions that run and those that have ended. A page (.html) holds the player, a list of marks and blocks, and a search; nothing in it needs a network. Input is never part of a recording. Bytes that are not UTF-8 become U+FFFD in an asciicast; "transom log export --format raw" has them. With --from-seq it is drawn from the screen’s cells from there on. A video needs ffmpeg.',
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
        .max(PATH_CHARS_MAX)
        .regex(/^\//, 'an absolute path')
        .optional()
        .describe('The file to write; without it and without --save the CLI prints the recording.')
        .meta({ placeholder: 'FILE', parse: 'path', touches: 'file' }),
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
        .meta({ flag: 'idle-limit', placeholder: 'TIME', parse: 'duration' }),
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
    access: ACTS,
    cli: {
      command: 'export',
      positionals: ['session'],
      examples: [
        'transom export edit --out edit.html',
        'transom export edit --out edit.gif --idle-limit 1s --speed 2',
        'transom export edit --format asciicast-v3',
        'transom export edit --format html --save',
      ],
      seeAlso: ['replay', 'artifacts bundle', 'log export'],
      render: { text: '{path|artifact.file}' },
      prints: { what: 'file', unless: ['out', 'save'] },
    },
  }),
} as const
