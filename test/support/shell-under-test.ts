import * as fs from 'node:fs'
import * as path from 'node:path'
import type { Client } from '@transom/client'
import type { Block } from '@transom/protocol'
import { loggedOutput } from './log-contents.ts'
import type { TestHome } from './test-home.ts'

export interface RanBlock {
  readonly block: Block
  /** The exact bytes, as Latin-1: one character for each. */
  readonly output: string
  readonly code: number | null
  readonly cwd: string | null
}

export interface ShellOptions {
  readonly command?: readonly string[]
  readonly env?: Record<string, string>
  /** Files of the shell's home folder. */
  readonly files?: Record<string, string>
  readonly cols?: number
  readonly rows?: number
}

/** A shell on a terminal of its own, with integration, whose home folder is empty but for what a test puts there. */
export class ShellUnderTest {
  readonly session: string
  readonly folder: string
  readonly client: Client

  private constructor(client: Client, session: string, folder: string) {
    this.client = client
    this.session = session
    this.folder = folder
  }

  static async start(
    home: TestHome,
    client: Client,
    { command = ['bash'], env = {}, files = {}, ...size }: ShellOptions,
  ): Promise<ShellUnderTest> {
    const folder = fs.mkdtempSync(path.join(home.root, 'user-'))
    for (const [name, content] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
      fs.writeFileSync(path.join(folder, name), content)
    }
    const { session } = await client.call('session.create', {
      command: [...command],
      cwd: folder,
      env: { HOME: folder, LC_ALL: 'C.UTF-8', ...env },
      ...size,
    })
    return new ShellUnderTest(client, session, folder)
  }

  /** A conversation's own shell. */
  static async conversation(home: TestHome, client: Client, id: string): Promise<ShellUnderTest> {
    const { session } = await client.call('pty.exec_block', { conversation_id: id, command: ':' })
    const shell = new ShellUnderTest(client, session, fs.mkdtempSync(path.join(home.root, 'user-')))
    await shell.run(`cd ${shell.folder}`)
    return shell
  }

  async run(command: string, options: { timeout_ms?: number; queue?: boolean } = {}): Promise<RanBlock> {
    const wait = {
      queue: true, // the prompt may be a moment away
      no_early: true, // a test types to the program while this waits
    }
    const params = { session: this.session, command: [command], raw: true, ...wait, ...options }
    const { block } = await this.client.call('session.run', params)
    return { block, output: await this.read(block), code: block.exit_code, cwd: block.cwd_after }
  }

  async read(block: Block): Promise<string> {
    const range = { conversation_id: this.session, block: block.seq, raw: true }
    const { data_b64 = '' } = await this.client.call('pty.read', range)
    return Buffer.from(data_b64, 'base64').toString('latin1')
  }

  async blocks(): Promise<Block[]> {
    return (await this.client.call('pty.blocks', { conversation_id: this.session, limit: 10_000 })).blocks
  }

  async type(text: string): Promise<void> {
    await this.client.call('session.type', { session: this.session, text })
  }

  /** Resolves with the cursor behind it when the shell, or what runs in it, has printed this. */
  async prints(match: string, from_cursor: number): Promise<number> {
    const params = { conversation_id: this.session, match, from_cursor }
    return (await this.client.call('pty.wait_for', params)).cursor
  }

  async cursor(): Promise<number> {
    return (await this.client.call('pty.status', { conversation_id: this.session })).cursor
  }
}

/** What a shell prints for a command on a terminal, and its exit status, without any integration. */
export async function runDirectly(
  home: TestHome,
  client: Client,
  { argv, cwd, env = {} }: { argv: readonly string[]; cwd: string; env?: Record<string, string> },
): Promise<{ output: string; code: number | null }> {
  const { session } = await client.call('session.create', {
    command: [...argv],
    cwd,
    env: { HOME: cwd, LC_ALL: 'C.UTF-8', ...env },
    no_integration: true,
  })
  const { exit } = await client.call('session.wait', { session, exit: true })
  const output = await loggedOutput(home.logPath(session))
  return { output: output.toString('latin1'), code: exit?.code ?? null }
}
