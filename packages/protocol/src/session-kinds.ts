/**
 * What each kind of session is created with, beside what every kind is. `session.create` takes the options of all of
 * them; which kind a request means, and that it has no options of another, is decided by the host's registry.
 */
import { z } from 'zod'
import {
  ARGUMENTS_MAX,
  ARGUMENT_CHARS_MAX,
  ENVIRONMENT_CHARS_MAX,
  HOSTS_MAX,
  HOST_CHARS_MAX,
  PATH_CHARS_MAX,
  URL_CHARS_MAX,
  VARIABLES_MAX,
} from './limits.ts'
import { notAList } from './word-list.ts'

// No path separator, no control character, no leading dash.
export const plainName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'a name has 1 to 64 letters, digits, dots, dashes or underscores',
  )
const argument = z
  .string()
  .max(ARGUMENT_CHARS_MAX)
  .regex(/^[^\0]*$/)
export const environment = z
  .record(z.string().regex(/^[^=\0]+$/), argument)
  .refine((variables) => Object.keys(variables).length <= VARIABLES_MAX, `at most ${VARIABLES_MAX} variables`)
  .refine(
    (variables) => charsOf(Object.entries(variables).flat()) <= ENVIRONMENT_CHARS_MAX,
    `at most ${ENVIRONMENT_CHARS_MAX} characters in all variables together`,
  )
  .meta({ maxProperties: VARIABLES_MAX })

/** The list that a text for a program and its arguments means: only a shell can read quotes and the like. */
function programWords(line: string): string[] {
  return /^[\w@%+=:,./ -]+$/.test(line) ? line.trim().split(/ +/) : ['sh', '-c', line]
}

/** 8 bytes a cell: a hundred thousand full lines of 120 columns are 96 MB. */
export const SCROLLBACK_LINES_MAX = 100_000

/** What only a session with a program on a terminal is created with. */
export const terminalOptions = z.strictObject({
  command: z
    .array(argument, { error: notAList(programWords) })
    .min(1)
    .max(ARGUMENTS_MAX)
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
    )
    .meta({ tool: { hidden: true } }), // for those who give out tokens
  login: z
    .boolean()
    .optional()
    .describe('Start a shell as a login shell.')
    .meta({ tool: { hidden: true } }),
  norc: z
    .boolean()
    .optional()
    .describe('Start a shell without the user’s own files.')
    .meta({ tool: { hidden: true } }),
  no_integration: z
    .boolean()
    .optional()
    .describe('Leave a shell as it is: it has no blocks then, and `run` refuses it.')
    .meta({ tool: { hidden: true } }),
  scrollback: z
    .int()
    .min(0)
    .max(SCROLLBACK_LINES_MAX)
    .optional()
    .describe(
      'Lines that a snapshot can show above the screen, 1000 unless given; the Event Log has them all.',
    )
    .meta({ placeholder: 'N', tool: { hidden: true } }),
})
export type TerminalOptions = z.infer<typeof terminalOptions>

/** What only a session with a web page is created with. */
export const webOptions = z.strictObject({
  url: z
    .string()
    .min(1)
    .max(URL_CHARS_MAX)
    .optional()
    .describe('The web page to open, instead of a program.')
    .meta({ flag: 'web', placeholder: 'URL' }),
  allow_hosts: z
    .array(z.string().min(1).max(HOST_CHARS_MAX))
    .max(HOSTS_MAX)
    .optional()
    .describe('A host or range of this machine’s own networks that a page may reach (repeatable).')
    .meta({ flag: 'allow-host', placeholder: 'HOST', touches: 'network' }),
  only_hosts: z
    .array(z.string().min(1).max(HOST_CHARS_MAX))
    .max(HOSTS_MAX)
    .optional()
    .describe('Pages may be opened from these hosts alone.')
    .meta({ flag: 'only-host', placeholder: 'HOST' }),
  zoom: z
    .int()
    .optional()
    .describe('Size of a page in percent, 25 to 500.')
    .meta({ placeholder: 'N', tool: { hidden: true } }),
  profile: plainName
    .optional()
    .describe('Keep cookies and logins in a browser profile of this name.')
    .meta({ placeholder: 'N' }),
  profile_folder: z
    .string()
    .max(PATH_CHARS_MAX)
    .regex(/^\//, 'an absolute path')
    .optional()
    .describe('Keep cookies and logins in this folder.')
    .meta({ placeholder: 'D', parse: 'path', touches: 'file' }),
})
export type WebOptions = z.infer<typeof webOptions>

function charsOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0)
}
