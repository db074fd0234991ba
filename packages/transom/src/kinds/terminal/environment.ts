import { SESSION_VARIABLE } from '../../platform/platform.ts'

/** Variables that describe the terminal that the caller sits at, not the one that the program gets. */
const OUTER_TERMINAL = [
  'COLUMNS',
  'LINES',
  'TERMCAP',
  'TMUX',
  'TMUX_PANE',
  'STY',
  'WINDOW',
  'TERM_PROGRAM',
  'TERM_PROGRAM_VERSION',
  'TERM_SESSION_ID',
  'VTE_VERSION',
  'KITTY_WINDOW_ID',
  'WT_SESSION',
]

/** What a program needs to know of this machine and its user. Nothing here is a secret. */
const MACHINE = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TZ', 'TMPDIR', 'XDG_RUNTIME_DIR']
const LOCALE = /^LC_[A-Z]+$/

/**
 * The environment for a caller that brings none, such as one over HTTP. The rest of the host's belongs to the process
 * that happened to start it, and may hold that process's secrets.
 */
export function cleanEnvironment(own: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(own).flatMap(([name, value]) =>
      value !== undefined && (MACHINE.includes(name) || LOCALE.test(name)) ? [[name, value]] : [],
    ),
  )
}

/** The environment of a program on a pty of ours. `TRANSOM_SESSION` lets `transom` inside it mean this session. */
export function programEnvironment(options: {
  base: Readonly<Record<string, string | undefined>>
  set: Readonly<Record<string, string>>
  session: string
}): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(options.base)) if (value !== undefined) env[name] = value
  for (const name of OUTER_TERMINAL) delete env[name]
  env['TERM'] = 'xterm-256color'
  env['COLORTERM'] = 'truecolor'
  env[SESSION_VARIABLE] = options.session
  Object.assign(env, options.set)
  // Without any locale programs fall back to ASCII and print question marks.
  if (!['LC_ALL', 'LC_CTYPE', 'LANG'].some((name) => env[name])) env['LANG'] = 'C.UTF-8'
  return env
}
