import { z } from 'zod'

const SIGNALS = [
  'INT',
  'TERM',
  'HUP',
  'QUIT',
  'KILL',
  'STOP',
  'CONT',
  'TSTP',
  'USR1',
  'USR2',
  'WINCH',
] as const

const SIGNAL_CHARS_MAX = 16 // twice the longest

/** The numbers that POSIX fixes (kill(1)). The others differ between Linux and macOS. */
const NUMBERED: Readonly<Record<string, string>> = { 1: 'HUP', 2: 'INT', 3: 'QUIT', 9: 'KILL', 15: 'TERM' }

export const signalName = z
  .string()
  .max(SIGNAL_CHARS_MAX)
  .transform((text) => NUMBERED[text] ?? text.toUpperCase().replace(/^SIG(?=.)/, ''))
  .pipe(z.enum(SIGNALS))
  .describe(
    `The signal: ${SIGNALS.join(', ')}; with or without SIG, in any case, or 1, 2, 3, 9 and 15 by number.`,
  )
  .meta({ placeholder: 'SIGNAL', completes: SIGNALS })
