import blocks from './blocks.bash'
import canNest from './can-nest.bash'
import leavePosix from './leave-posix.bash'
import lean from './lean.bash'
import lineEdited from './line-edited.bash'
import {
  assignments,
  nonceValues,
  quoteForShell,
  unlessRefused,
  type BlockText,
  type NonceHalves,
  type ShellScriptOptions,
} from './shell-script.ts'
import start from './start.bash'
import textFromFile from './text-from-file.bash'
import textFromTerminal from './text-from-terminal.bash'
import userFiles from './user-files.bash'
import { isWholeCommand } from './whole-command.ts'

/** What bash reads in place of ~/.bashrc. It reads the user's own files before it adds to their hooks. */
export function bashScript(options: ShellScriptOptions): string {
  const values = assignments({
    ...nonceValues(options.nonceHalves),
    folder: options.folder,
    edited_line: BASH_EDITED_LINE,
    user_files: whichUserFiles(options),
    rc_file: options.rcFile,
  })
  const mode = options.lean ? lean : `${lineEdited}${textFromFile}`
  return `command rm -f -- ${quoteForShell(options.scriptPath)}\n${values}${blocks}${mode}${userFiles}${start}`
}

function whichUserFiles({ lean, login, norc, rcFile }: ShellScriptOptions): 'none' | 'rc' | 'login' | 'file' {
  if (lean || norc) return 'none'
  if (rcFile !== null) return 'file'
  return login ? 'login' : 'rc'
}

/** Makes a bash that was started as a POSIX shell, to have it read $ENV, the ordinary one that was asked for. */
export function bashOutOfPosix({ ENV, HISTFILE }: Readonly<Record<string, string>>): string {
  return `${assignments({ env: ENV ?? null, histfile: HISTFILE ?? null })}${leavePosix}`
}

/** What a bash evaluates that runs already, within another program. Its texts are typed to it. */
export function bashNestedScript(nonce: NonceHalves): string {
  const values = assignments({ ...nonceValues(nonce), edited_line: BASH_EDITED_LINE })
  return unlessRefused(canNest, `${values}${blocks}${lineEdited}${textFromTerminal}${start}`)
}

/** What the line editor shows when a block is run: the alias that holds its text. */
export const BASH_EDITED_LINE = ' __transom_block'

/** What is typed to run the next block, where there is no line editor to bind a key in. Its text is in a file (F). */
export const BASH_LEAN_LINE = ' __transom_run F "$__transom_arg"&&__transom_go\n'

/** A terminal takes lines of 4095 characters, and what is longer would not be faster than a file. */
const SHORT_LINE_CHARS_MAX = 1000

/** The same with a short text in it, which spares two processes a file. */
export function bashShortLine(text: string): string | null {
  if (text.length > SHORT_LINE_CHARS_MAX) return null
  const headEnd = text.indexOf('\n')
  const [way, request, command] = [text.slice(0, 1), text.slice(1, headEnd), text.slice(headEnd + 1)]
  const line = ` __transom_run ${way} ${request} ${ansiQuoted(command)} "$__transom_arg"&&__transom_go\n`
  return line.length > SHORT_LINE_CHARS_MAX ? null : line
}

/** A word of bash in printable ASCII, without what a terminal or the history would take for a command. */
function ansiQuoted(text: string): string {
  return `$'${text.replaceAll(/[^ -~]|['\\!]/gu, (character) => SHORT_ESCAPES[character] ?? hexEscapes(character))}'`
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  "'": String.raw`\'`,
  '\\': String.raw`\\`,
  '\n': String.raw`\n`,
  '\x1b': String.raw`\e`,
}

function hexEscapes(character: string): string {
  return [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
}

/** A first line that says how to run it, and under which number; then the text itself. */
export function bashBlockText({ request, command, cwd }: BlockText): string {
  const folder = cwd === null ? '' : `builtin cd -- ${quoteForShell(cwd)}\n`
  return `${wayToRun(command)}${request}\n${folder}${command}`
}

/** Where aliases may be listed, our own must be gone: what begins the block within its text takes them away. */
const ASKS_OF_SHELL = /alias|source|eval|compgen|PIPESTATUS|(^|[^\w-])\.(\s|$)/i
/** Commands after which bash may read the next line in another way: then it must not have read it yet. */
const CHANGES_READING = /(^|[^\w-])(alias|unalias|shopt|source|eval|\.)(\s|$)|\bset\s+[-+]\w*[ovk]/
const TURNS_TRACE_ON = /\bset\s+-\w*x/

/** As blocks.bash has it. L is D for a text that neither lists aliases nor asks for PIPESTATUS: lean.bash is fast then. */
function wayToRun(command: string): 'L' | 'D' | 'X' | 'E' {
  const way = wayToRead(command)
  return way === 'D' && !ASKS_OF_SHELL.test(command) ? 'L' : way
}

function wayToRead(command: string): 'D' | 'X' | 'E' {
  if (!isWholeCommand(command)) return 'E'
  if (!command.trim().includes('\n')) return 'D'
  if (CHANGES_READING.test(command)) return 'E'
  return TURNS_TRACE_ON.test(command) ? 'D' : 'X'
}
