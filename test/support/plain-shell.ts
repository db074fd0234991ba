import * as fs from 'node:fs'
import * as path from 'node:path'
import type { Shells, Shell } from './shells.ts'
import { loggedOutput } from './log-contents.ts'

/** What a command printed, and its exit status; null for one that ended the shell by a signal. */
export interface TypedCommand {
  readonly output: string
  readonly code: number | null
}

/** No line editor and no user files: what is typed is echoed by the terminal, and nothing else is printed. */
const PLAIN: Readonly<Record<string, { argv: readonly string[]; prompt: string }>> = {
  bash: { argv: ['bash', '--norc', '--noprofile', '--noediting', '+H', '-i'], prompt: '=$?=READY' },
  zsh: {
    argv: ['zsh', '-f', '-i', '-o', 'no_zle', '-o', 'no_prompt_sp', '-o', 'no_bang_hist'],
    prompt: '=%?=READY',
  },
  dash: { argv: ['dash', '-i'], prompt: '=$?=READY' },
}
const PROMPT = /=(\d+)=READY/

/** What commands print that are typed, one after another, to a shell without integration: each is one line. */
export async function typeToPlainShell(
  shells: Shells,
  name: Shell,
  commands: readonly string[],
): Promise<TypedCommand[]> {
  const { argv, prompt } = PLAIN[name.replace(/-lean$/, '')] ?? { argv: [], prompt: '' }
  const cwd = fs.mkdtempSync(path.join(shells.home.root, 'plain-'))
  const env = { HOME: cwd, LC_ALL: 'C.UTF-8', PS1: prompt, PS2: '' }
  const params = { command: [...argv], cwd, env, no_integration: true }
  const { session } = await shells.client.call('session.create', params)
  let reached = await promptOrEnd(shells, session, 0)
  for (const command of commands) {
    if (reached.cursor === null) break
    await shells.client.call('session.type', { session, text: `${command}\n` })
    reached = await promptOrEnd(shells, session, reached.cursor)
  }
  if (reached.cursor !== null) await shells.client.call('session.destroy', { session })
  const printed = (await loggedOutput(shells.home.logPath(session))).toString('latin1')
  return readTranscript(printed, commands, reached.code)
}

/** The cursor behind the next prompt, or how the shell has ended. */
async function promptOrEnd(
  { client }: Shells,
  session: string,
  from_cursor: number,
): Promise<{ cursor: number | null; code: number | null }> {
  const params = { conversation_id: session, match: 'READY', from_cursor }
  const { matched, cursor, exit } = await client.call('pty.wait_for', params)
  return { cursor: matched ? cursor : null, code: exit?.code ?? null }
}

/** Splits what a plain shell printed into echo, output and prompt of each command. */
function readTranscript(
  printed: string,
  commands: readonly string[],
  exitCode: number | null,
): TypedCommand[] {
  const [, ...parts] = printed.split(PROMPT)
  return commands.map((command, index) => {
    const echo = `${Buffer.from(command).toString('latin1')}\r\n`
    const part = parts[index * 2 + 1] ?? ''
    if (!part.startsWith(echo)) throw new Error(`no echo of ${command} in ${JSON.stringify(printed)}`)
    const code = parts[index * 2 + 2]
    return { output: part.slice(echo.length), code: code === undefined ? exitCode : Number(code) }
  })
}
