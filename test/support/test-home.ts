import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@transom/client'
import { connectUnixSocket } from '@transom/client/unix-socket'
import { RESPONSE_BYTES_MAX } from '@transom/protocol'
import { HOST_LOCK_FILE } from '../../packages/transom/src/home/home-path.ts'

export const CLI = fileURLToPath(new URL('../../packages/transom/dist/cli.cjs', import.meta.url))
export const FIXTURES = fileURLToPath(new URL('../fixtures', import.meta.url))

export interface CliResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly env?: Record<string, string | undefined>
  readonly cwd?: string
  readonly program?: string
}

/** A Home of its own, with a socket folder of its own, for one test. Dispose of it with `await using` or close(). */
export class TestHome {
  readonly root: string
  readonly path: string
  readonly env: Record<string, string | undefined>

  constructor(options: { homeName?: string } = {}) {
    this.root = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-test-'))
    this.path = path.join(this.root, options.homeName ?? 'home')
    const runtime = path.join(this.root, 'run')
    fs.mkdirSync(runtime, { mode: 0o700 })
    this.env = {
      ...process.env,
      TRANSOM_HOME: this.path,
      AGENT_TTY_HOME: undefined,
      TRANSOM_SESSION: undefined,
      TRANSOM_ACTOR: undefined,
      XDG_RUNTIME_DIR: runtime,
      XDG_STATE_HOME: path.join(this.root, 'state'), // no test touches the user's Home Registry
      NODE_EXTRA_CA_CERTS: undefined, // costs every Node start 40 ms
      PS1: '$ ',
      SHELL: '/bin/sh',
    }
  }

  /** Runs the CLI to its end. */
  async run(args: readonly string[], options: RunOptions = {}): Promise<CliResult> {
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [options.program ?? CLI, ...args], {
        env: { ...this.env, ...options.env },
        cwd: options.cwd ?? this.root,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let stdout = ''
      let stderr = ''
      child.stdout.on('data', (chunk) => (stdout += String(chunk)))
      child.stderr.on('data', (chunk) => (stderr += String(chunk)))
      child.on('error', reject)
      child.on('close', (code) => resolve({ code, stdout, stderr }))
    })
  }

  /** Runs the CLI and expects it to succeed; returns what it printed, without the last line break. */
  async ok(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(args)
    if (code !== 0) throw new Error(`transom ${args.join(' ')} exited with ${code}: ${stderr}${stdout}`)
    return stdout.replace(/\n$/, '')
  }

  /** Runs the CLI with --json and returns the object it printed, whether a result or `{ error }`. */
  async json<T = Record<string, unknown>>(...args: string[]): Promise<T> {
    const at = args.indexOf('--')
    const withFlag = at < 0 ? [...args, '--json'] : [...args.slice(0, at), '--json', ...args.slice(at)]
    const { stdout } = await this.run(withFlag)
    return JSON.parse(stdout) as T
  }

  /** Starts a host without a session, by a command that makes the Home. */
  async startHost(): Promise<void> {
    await this.ok('home', 'list')
  }

  /** The address that the running host has announced. */
  host(): { socket: string; pid: number } {
    return JSON.parse(fs.readFileSync(path.join(this.path, HOST_LOCK_FILE), 'utf8')) as {
      socket: string
      pid: number
    }
  }

  /** A client on an open connection to the running host. */
  async connect(): Promise<Client> {
    return new Client(await connectUnixSocket(this.host().socket, { frameBytesMax: RESPONSE_BYTES_MAX }))
  }

  logPath(session: string): string {
    return path.join(this.path, 'sessions', session, 'events.log')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Ends the host and its sessions and removes the folder. */
  async close(): Promise<void> {
    await this.run(['host', 'stop', '--force'])
    fs.rmSync(this.root, { recursive: true, force: true })
  }
}
