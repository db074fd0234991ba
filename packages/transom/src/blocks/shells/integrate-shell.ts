import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileError } from '../../lib/system-error.ts'
import {
  BASH_EDITED_LINE,
  BASH_LEAN_LINE,
  bashBlockText,
  bashOutOfPosix,
  bashScript,
  bashShortLine,
} from './bash-integration.ts'
import { FISH_LINE, fishBlockText, fishScript, quoteForFish } from './fish-integration.ts'
import { SH_LINE, shBlockText, shScript } from './sh-integration.ts'
import {
  createNonce,
  halvesOf,
  inDoubleQuotes,
  quoteForShell,
  type BlockText,
  type ShellScriptOptions,
} from './shell-script.ts'
import { unquoteShellWord } from './unquote.ts'
import { ZSH_LINE, zshBlockText, zshScripts } from './zsh-integration.ts'

export type ShellName = 'bash' | 'zsh' | 'fish' | 'sh'

export interface IntegrationRequest {
  readonly program: string
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** A folder of the session's own, to be made. */
  readonly folder: string
  readonly lean: boolean
  readonly login: boolean
  readonly norc: boolean
}

/** How to make a shell run a block, and how to recognize its marks. */
export interface ShellIntegration {
  readonly shell: ShellName
  readonly nonce: string
  /** Where it finds the texts of blocks; null if they are typed to it. */
  readonly folder: string | null
  /** What is typed to have the shell run the next block. */
  readonly trigger: string
  /** What is typed before that to take away a half-typed line; empty where the line editor does so. */
  readonly clearLine: string
  /** The key that puts it back after the block; empty where the shell does so itself, null if it is to be typed again. */
  readonly restoreKey: string | null
  /** The line that its line editor shows on request; null if it has none. */
  readonly editedLine: string | null
  /** Whether it shows a prompt. */
  readonly prompts: boolean
  /** What is typed instead to have it run a short text, which needs no file then; null where that cannot be. */
  shortLine(text: string): string | null
  /** Undoes the quoting of names in marks. */
  unquote(quoted: Buffer): Buffer
  /** What the shell evaluates: prints a begin mark, goes to the folder, and runs the command. */
  blockText(block: BlockText): string
}

/** A shell that can be started with integration. */
export interface PreparedShell extends ShellIntegration {
  readonly folder: string
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** The key that the line editors are bound to: no keyboard sends it. */
export const BLOCK_KEY = '\x1b[77;17~'

/** The key that puts a half-typed line back. */
export const RESTORE_KEY = '\x1b[77;20~'
const KILL_LINE = '\x15' // VKILL (Ctrl+U) of a terminal that collects lines

/**
 * Prepares a shell to report where its commands begin and end. Null if the program is not a supported shell, or was
 * not started to read commands from its terminal: then nothing is changed.
 */
export function integrateShell(request: IntegrationRequest): PreparedShell | null {
  const prepare = PREPARATIONS[path.basename(request.program)]
  const plan = prepare?.(request)
  if (plan === undefined || plan === null) return null
  try {
    fs.mkdirSync(request.folder, { mode: 0o700 })
    for (const [file, content] of Object.entries(plan.files)) {
      fs.writeFileSync(path.join(request.folder, file), content, { mode: 0o600 })
    }
  } catch (error) {
    throw fileError(error, `write the shell integration in ${request.folder}`, { folder: request.folder })
  }
  return { ...plan, folder: request.folder }
}

/** The text that a shell takes for a command: one word is the text itself, several are a program and its arguments. */
export function joinCommand(shell: ShellName, words: readonly string[]): string {
  const [only = ''] = words
  if (words.length === 1) return only
  const quote = shell === 'fish' ? quoteForFish : quoteForShell
  return words.map((word) => (PLAIN_WORD.test(word) ? word : quote(word))).join(' ')
}

/** A command that reads its standard input from a file. It is not run in a subshell: `cd` and variables stay. */
export function commandReading(shell: ShellName, command: string, file: string): string {
  return shell === 'fish'
    ? `begin\n${command}\nend <${quoteForFish(file)}`
    : `{\n${command}\n} <${quoteForShell(file)}`
}

const PLAIN_WORD = /^[\w./:=@%+,-]+$/

interface Plan extends Omit<PreparedShell, 'folder'> {
  readonly files: Readonly<Record<string, string>>
}

const PREPARATIONS: Readonly<Record<string, (request: IntegrationRequest) => Plan | null>> = {
  bash: prepareBash,
  zsh: prepareZsh,
  fish: prepareFish,
  sh: prepareSh,
  dash: prepareSh,
}

function prepareBash(request: IntegrationRequest): Plan | null {
  const given = readBashArguments(request.argv)
  if (given === null) return null
  const scriptPath = path.join(request.folder, 'rc')
  const { nonce, options } = scriptOptions(request, scriptPath)
  const isLean = request.lean
  const login = request.login || given.login
  const norc = request.norc || given.norc
  const script = bashScript({ ...options, login, norc, rcFile: given.rcFile })
  return {
    shell: 'bash',
    nonce,
    files: { rc: norc ? `${bashOutOfPosix(request.env)}${script}` : script },
    env: norc ? { ...request.env, ENV: inDoubleQuotes(scriptPath) } : request.env,
    // A bash that gets an rc file reads the system's own first, where it has one (Debian's sets PS1). Without rc files
    // it takes ours the one other way there is: as a POSIX shell, which it then ceases to be.
    argv: [
      ...(isLean ? ['--noediting'] : []),
      ...(norc ? ['--noprofile', '--posix'] : ['--noprofile', '--rcfile', scriptPath]),
      '-i',
    ],
    trigger: isLean ? BASH_LEAN_LINE : `${BLOCK_KEY}\r`,
    clearLine: isLean ? KILL_LINE : '',
    restoreKey: isLean ? null : RESTORE_KEY,
    unquote: unquoteShellWord,
    editedLine: isLean ? null : BASH_EDITED_LINE,
    prompts: !isLean,
    shortLine: isLean ? bashShortLine : noShortLine,
    blockText: bashBlockText,
  }
}

function prepareZsh(request: IntegrationRequest): Plan | null {
  const given = readArguments(request.argv, { login: ['-l', '--login'], norc: ['-f', '--no-rcs'] })
  if (given === null) return null
  const { nonce, options } = scriptOptions(request, path.join(request.folder, '.zshrc'))
  const userFolder = request.env['ZDOTDIR'] ?? null
  const login = request.login || given.login
  return {
    shell: 'zsh',
    nonce,
    files: zshScripts({ ...options, norc: request.norc || given.norc, userFolder }),
    env: { ...request.env, ZDOTDIR: request.folder },
    argv: [...(login ? ['-l'] : []), '-i'],
    trigger: BLOCK_KEY,
    clearLine: '',
    restoreKey: '',
    editedLine: ZSH_LINE,
    prompts: true,
    unquote: unquoteShellWord,
    shortLine: noShortLine,
    blockText: zshBlockText,
  }
}

function prepareFish(request: IntegrationRequest): Plan | null {
  const given = readArguments(request.argv, { login: ['-l', '--login'], norc: ['-N', '--no-config'] })
  if (given === null) return null
  const scriptPath = path.join(request.folder, 'init.fish')
  const { nonce, options } = scriptOptions(request, scriptPath)
  const login = request.login || given.login
  const norc = request.norc || given.norc
  return {
    shell: 'fish',
    nonce,
    files: { 'init.fish': fishScript(options) },
    env: request.env,
    argv: [
      ...(login ? ['-l'] : []),
      ...(norc ? ['--no-config'] : []),
      '-i',
      '-C',
      `source ${quoteForFish(scriptPath)}`,
    ],
    trigger: BLOCK_KEY,
    clearLine: '',
    restoreKey: RESTORE_KEY,
    editedLine: FISH_LINE,
    prompts: true,
    unquote: unquoteShellWord,
    shortLine: noShortLine,
    blockText: fishBlockText,
  }
}

function prepareSh(request: IntegrationRequest): Plan | null {
  const given = readArguments(request.argv, { login: ['-l'], norc: [] })
  if (given === null) return null
  const scriptPath = path.join(request.folder, 'env.sh')
  const { nonce, options } = scriptOptions(request, scriptPath)
  const login = request.login || given.login
  const { PS1: prompt = null, ENV: userEnv = null, ...env } = request.env
  return {
    shell: 'sh',
    nonce,
    files: { 'env.sh': shScript({ ...options, userEnv, prompt }) },
    env: { ...env, ENV: scriptPath },
    argv: [...(login ? ['-l'] : []), '-i'],
    trigger: SH_LINE,
    clearLine: KILL_LINE,
    restoreKey: null,
    editedLine: null,
    prompts: true,
    unquote: (text) => text, // it has no quoting of its own to print names with
    shortLine: noShortLine,
    blockText: shBlockText,
  }
}

/** For a shell with a line editor, which draws what is typed more than once, or one that has no quoting for it. */
export function noShortLine(): null {
  return null
}

/** How a shell is started to read commands from its terminal; null if it is not. */
function readArguments(
  argv: readonly string[],
  words: { login: readonly string[]; norc: readonly string[] },
): { login: boolean; norc: boolean } | null {
  const known = ['-i', '--interactive', ...words.login, ...words.norc]
  if (argv.some((word) => !known.includes(word))) return null
  return {
    login: argv.some((word) => words.login.includes(word)),
    norc: argv.some((word) => words.norc.includes(word)),
  }
}

/** What an interactive bash may be started with; null for a script, a command, or an option that is not known here. */
function readBashArguments(
  argv: readonly string[],
): { login: boolean; norc: boolean; rcFile: string | null } | null {
  const given = { login: false, norc: false, rcFile: null as string | null }
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at]
    if (word === '-l' || word === '--login') given.login = true
    else if (word === '--norc') given.norc = true
    else if ((word === '--rcfile' || word === '--init-file') && argv[at + 1] !== undefined)
      given.rcFile = argv[++at] ?? null
    else if (word !== '-i' && word !== '--noprofile') return null
  }
  return given
}

function scriptOptions(
  { lean, folder, login, norc }: IntegrationRequest,
  scriptPath: string,
): { nonce: string; options: ShellScriptOptions } {
  const nonce = createNonce()
  const nonceHalves = halvesOf(nonce)
  return { nonce, options: { scriptPath, folder, nonceHalves, lean, login, norc, rcFile: null } }
}
