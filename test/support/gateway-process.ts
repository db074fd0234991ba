import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import * as http from 'node:http'
import { WebSocket } from 'ws'
import { CLI, type TestHome } from './test-home.ts'

export interface Reply {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
}

export interface Asked {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
  /** null for none. */
  readonly token?: string | null
}

/** A `transom serve` of a test's own. */
export class GatewayProcess {
  readonly url: string
  /** What the first start printed; empty when it was not the first. */
  readonly token: string
  readonly #child: ChildProcess
  #stderr = ''

  private constructor(child: ChildProcess, { url, token = '' }: { url: string; token?: string }) {
    this.#child = child
    this.url = url
    this.token = token
    child.stderr?.on('data', (chunk) => (this.#stderr += String(chunk)))
  }

  static async start(home: TestHome, ...args: string[]): Promise<GatewayProcess> {
    return GatewayProcess.run(home, CLI, ...args)
  }

  /** Of another build of the program. */
  static async run(home: TestHome, program: string, ...args: string[]): Promise<GatewayProcess> {
    const listen = args.some((arg) => arg === '--listen' || arg === '--unix')
      ? []
      : ['--listen', '127.0.0.1:0']
    const child = spawn(process.execPath, [program, 'serve', '--json', ...listen, ...args], {
      env: home.env,
      cwd: home.root,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const said = JSON.parse(String(line)) as { url: string; token?: string; error?: { message: string } }
    if (said.error !== undefined) throw new Error(said.error.message)
    return new GatewayProcess(child, said)
  }

  get stderr(): string {
    return this.#stderr
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get port(): number {
    return Number(new URL(this.url).port)
  }

  /** Any request at all: also what no proper client would send. */
  async ask(
    path: string,
    { method = 'GET', headers = {}, body, token = this.token }: Asked = {},
  ): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const request = http.request(
        {
          host: '127.0.0.1',
          port: this.port,
          path,
          method,
          agent: false,
          headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
        },
        (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => (text += chunk))
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
          )
          response.on('error', reject)
        },
      )
      request.on('error', reject)
      request.end(body)
    })
  }

  /** Calls an operation; returns the status and the parsed answer. */
  async call<T = Record<string, unknown>>(
    operation: string,
    params: object = {},
    token = this.token,
  ): Promise<{ status: number; body: T & { error?: { code: string; message: string } } }> {
    const { status, text } = await this.ask(`/v1/${operation}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(params),
      token,
    })
    return { status, body: JSON.parse(text) as T & { error?: { code: string; message: string } } }
  }

  /** One figure of /metrics. */
  async metric(name: string): Promise<number> {
    const { text } = await this.ask('/metrics')
    const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `))
    return Number(line?.slice(name.length + 1))
  }

  webSocket(token: string | null = this.token, headers: Record<string, string> = {}): WebSocket {
    return new WebSocket(`ws://127.0.0.1:${this.port}/v1/stream`, {
      headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
    })
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.kill('SIGTERM')
    await once(this.#child, 'exit')
  }
}

/** The HTTP status with which an upgrade was refused; 101 when it was not. */
export async function upgradeStatus(webSocket: WebSocket): Promise<number> {
  return new Promise((resolve, reject) => {
    webSocket.on('unexpected-response', (_request, response) => {
      resolve(response.statusCode ?? 0)
      response.destroy()
    })
    webSocket.on('open', () => {
      resolve(101)
      webSocket.terminate()
    })
    webSocket.on('error', reject)
  })
}
