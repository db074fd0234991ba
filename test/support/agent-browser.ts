import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as net from 'node:net'
import * as path from 'node:path'
import { CLI, TestHome } from './test-home.ts'
import { until } from './until.ts'

export const AWI = path.join(path.dirname(CLI), 'awi-tty.cjs')

export interface Answer {
  readonly id: number | null
  readonly result?: Record<string, unknown>
  readonly error?: { code: number; message: string; data?: { code: string } }
}

/** `awi-tty open --agent-socket` as a process of its own, and what it takes to talk to it. */
export class AgentBrowser {
  readonly folder: string
  readonly socketPath: string
  /** The Home that its session is in. */
  readonly home = new TestHome()
  readonly process: ChildProcess
  #stderr = ''
  #stdout = ''

  static async open(url: string, ...options: string[]): Promise<AgentBrowser> {
    const browser = new AgentBrowser(url, options)
    await until('the agent socket is there', () => {
      if (browser.process.exitCode !== null) throw new Error(browser.stdout + browser.stderr)
      return fs.existsSync(browser.socketPath)
    })
    return browser
  }

  private constructor(url: string, options: readonly string[]) {
    this.folder = this.home.root
    this.socketPath = path.join(this.folder, 'a.sock')
    const allowed = new URL(url).host
    const args = ['open', url, '--agent-socket', this.socketPath, '--allow-host', allowed, ...options]
    const { env } = this.home
    this.process = spawn(process.execPath, [AWI, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.process.stdout?.on('data', (chunk) => (this.#stdout += String(chunk)))
    this.process.stderr?.on('data', (chunk) => (this.#stderr += String(chunk)))
  }

  get stderr(): string {
    return this.#stderr
  }

  get stdout(): string {
    return this.#stdout
  }

  /** Sends lines on a connection of their own and resolves with as many answers, by their ids. */
  async ask(...requests: object[]): Promise<Answer[]> {
    const socket = net.connect(this.socketPath)
    socket.end(requests.map((request) => `${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`).join(''))
    let text = ''
    for await (const chunk of socket) text += String(chunk)
    const answers = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Answer)
    return answers.toSorted((a, b) => (a.id ?? -1) - (b.id ?? -1))
  }

  async call(method: string, params: object = {}): Promise<Record<string, unknown>> {
    const [answer] = await this.ask({ id: 1, method, params })
    if (answer?.result === undefined) throw new Error(`${method}: ${JSON.stringify(answer?.error)}`)
    return answer.result
  }

  async fails(method: string, params: object = {}): Promise<{ code: number; name: string | undefined }> {
    const [answer] = await this.ask({ id: 1, method, params })
    return { code: answer?.error?.code ?? 0, name: answer?.error?.data?.code }
  }

  async lines(): Promise<string[]> {
    return (await this.call('snapshot', { trim: true }))['lines'] as string[]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      this.process.kill('SIGTERM')
      await once(this.process, 'exit')
    }
    await this.home.close()
  }
}
