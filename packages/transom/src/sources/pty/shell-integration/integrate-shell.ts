import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileError } from '../../../lib/system-error.ts'
import { BASH_EDITED_LINE, BASH_LEAN_LINE, bashBegin, bashScript } from './bash-integration.ts'
import { quoteForShell, type ShellScriptOptions } from './shell-script.ts'

export type ShellName = 'bash'

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

/** How to start a shell with integration, and how to have it run a block. */
export interface ShellIntegration {
  readonly shell: ShellName
  readonly nonce: string
  readonly folder: string
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** What is typed to have the shell run what is in the file of the next block. */
  readonly trigger: string
  /** How many cells the line has that the shell shows when it is told so. */
  readonly lineCells: number
  /** The content of that file: shows the command, prints a begin mark, goes to the folder, and runs it. */
  blockText(block: BlockText): string
}

export interface BlockText {
  /** The number that the begin mark shall have. */
  readonly request: number
  readonly command: string
  readonly cwd: string | null
  /** Printed before the block begins. Printable characters and escape sequences, no quotes or backslashes. */
  readonly display: string
}

/** The key that the line editors are bound to: no keyboard sends it. */
export const BLOCK_KEY = '\x1b[77;17~'
const NEXT_BLOCK = 'next'

/**
 * Prepares a shell to tell where its commands begin and end. Null when the program is no shell that can, or was
 * started to do something else than to read commands from its terminal: then nothing of it is touched.
 */
export function integrateShell(request: IntegrationRequest): ShellIntegration | null {
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

/** Puts the text of the next block where the shell reads it. */
export function writeBlockText(folder: string, text: string): void {
  const file = path.join(folder, NEXT_BLOCK)
  try {
    fs.writeFileSync(file, text, { mode: 0o600 })
  } catch (error) {
    throw fileError(error, `write the command to ${file}`, { file })
  }
}

/** Takes it away: a shell that is told once too often finds nothing. */
export function removeBlockText(folder: string): void {
  fs.rmSync(path.join(folder, NEXT_BLOCK), { force: true })
}

/** The text that a shell takes for a command: one word is the text itself, several are a program and its arguments. */
export function joinCommand(_shell: ShellName, words: readonly string[]): string {
  const [only = ''] = words
  if (words.length === 1) return only
  return words.map((word) => (PLAIN_WORD.test(word) ? word : quoteForShell(word))).join(' ')
}

const PLAIN_WORD = /^[\w./:=@%+,-]+$/

interface Plan extends Omit<ShellIntegration, 'folder'> {
  readonly files: Readonly<Record<string, string>>
}

const PREPARATIONS: Readonly<Record<string, (request: IntegrationRequest) => Plan | null>> = {
  bash: prepareBash,
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
    files: { rc: script },
    env: request.env,
    argv: [...(isLean ? ['--noediting'] : []), '--noprofile', '--rcfile', scriptPath, '-i'],
    trigger: isLean ? BASH_LEAN_LINE : `${BLOCK_KEY}\r`,
    lineCells: (isLean ? BASH_LEAN_LINE.trimEnd() : BASH_EDITED_LINE).length,
    blockText: ({ request: number, command, cwd, display }) =>
      `${bashBegin(number, display)}${cwd === null ? '' : `builtin cd -- ${quoteForShell(cwd)}\n`}${command}`,
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
  // Digits only: a program may leave the terminal translating letters (`stty olcuc`).
  const nonce = BigInt(`0x${randomBytes(16).toString('hex')}`)
    .toString()
    .padStart(39, '0')
  const nonceHalves = [nonce.slice(0, 20), nonce.slice(20)] as const
  return { nonce, options: { scriptPath, folder, nonceHalves, lean, login, norc, rcFile: null } }
}
