/**
 * What each kind of session is created with, beside what every kind is. `session.create` takes the options of all of
 * them; which kind a request means, and that it has no options of another, is decided by the host's registry.
 */
import { z } from 'zod'

// No path separator, no control character, no leading dash.
export const plainName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'a name has 1 to 64 letters, digits, dots, dashes or underscores',
  )
export const environment = z.record(z.string().regex(/^[^=\0]+$/), z.string().regex(/^[^\0]*$/))

/** 8 bytes a cell: a hundred thousand full lines of 120 columns are 96 MB. */
const SCROLLBACK_LINES_MAX = 100_000

/** What only a session with a program on a terminal is created with. */
export const terminalOptions = z.strictObject({
  command: z
    .array(z.string().regex(/^[^\0]*$/))
    .min(1)
    .optional()
    .describe("Program and arguments; the caller's $SHELL when left out."),
  env: environment
    .optional()
    .describe('Variables to set on top of the inherited ones.')
    .meta({ placeholder: 'K=V', parse: 'assignments' }),
  isolated: z
    .boolean()
    .optional()
    .describe(
      'Run the program by bubblewrap: it sees the system’s programs and its working folder, no other files, and no network.',
    ),
  login: z.boolean().optional().describe('Start a shell as a login shell.'),
  norc: z.boolean().optional().describe('Start a shell without the user’s own files.'),
  no_integration: z
    .boolean()
    .optional()
    .describe('Leave a shell as it is: it has no blocks then, and `run` refuses it.'),
  scrollback: z
    .int()
    .min(0)
    .max(SCROLLBACK_LINES_MAX)
    .optional()
    .describe(
      'Lines that a snapshot can show above the screen, 1000 unless given; the Event Log has them all.',
    )
    .meta({ placeholder: 'N' }),
})
export type TerminalOptions = z.infer<typeof terminalOptions>

/** What only a session with a web page is created with. */
export const webOptions = z.strictObject({
  url: z
    .string()
    .min(1)
    .optional()
    .describe('The web page to open, instead of a program.')
    .meta({ flag: 'web', placeholder: 'URL' }),
  allow_hosts: z
    .array(z.string().min(1))
    .optional()
    .describe('A host or range of this machine’s own networks that a page may reach (repeatable).')
    .meta({ flag: 'allow-host', placeholder: 'HOST', touches: 'network' }),
  only_hosts: z
    .array(z.string().min(1))
    .optional()
    .describe('Pages may be opened from these hosts alone (repeatable).')
    .meta({ flag: 'only-host', placeholder: 'HOST' }),
  zoom: z.int().optional().describe('Size of a page in percent, 25 to 500.').meta({ placeholder: 'N' }),
  profile: plainName
    .optional()
    .describe('Keep cookies and logins in a browser profile of this name.')
    .meta({ placeholder: 'N' }),
  profile_folder: z
    .string()
    .regex(/^\//, 'an absolute path')
    .optional()
    .describe('Keep cookies and logins in this folder.')
    .meta({ placeholder: 'D', parse: 'path', touches: 'file' }),
})
export type WebOptions = z.infer<typeof webOptions>
