import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import * as readline from 'node:readline'
import { CLI, type TestHome } from './test-home.ts'

/** What each request of the 2026 protocol says of its sender. */
export const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

export interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: { properties: Record<string, { maximum?: number }> }
  readonly annotations: { readOnlyHint: boolean; destructiveHint: boolean }
}

export interface ToolAnswer {
  readonly isError?: boolean
  readonly content: { type: string; text: string }[]
  readonly structuredContent?: Record<string, unknown>
}

export interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: Record<string, unknown>
  readonly error?: { code: number; message: string }
}

/** A client on the standard input and output of `transom mcp`, of the 2025 protocol. */
export class StdioClient {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #received: Message[] = []
  #wake = () => {}
  #lastId = 0

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child
    readline.createInterface({ input: child.stdout }).on('line', (line) => {
      this.#received.push(JSON.parse(line) as Message)
      this.#wake()
    })
  }

  static async start(home: TestHome, ...args: string[]): Promise<StdioClient> {
    const client = StdioClient.open(home, ...args)
    await client.initialize()
    return client
  }

  /** Without a handshake, as the protocol of 2026 has none: each request has the ENVELOPE. */
  static open(home: TestHome, ...args: string[]): StdioClient {
    return StdioClient.run(home, process.execPath, [CLI, 'mcp', ...args])
  }

  /** Any server that a command starts. */
  static run(home: TestHome, command: string, args: readonly string[], env = home.env): StdioClient {
    return new StdioClient(spawn(command, args, { env, cwd: home.root }))
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  async initialize(): Promise<Record<string, unknown>> {
    const clientInfo = { name: 'test', version: '1' }
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    const result = await this.request('initialize', params)
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    return result
  }

  /** What has come and nobody has asked for yet. */
  get received(): readonly Message[] {
    return this.#received
  }

  /** The same, and forgets it. */
  takeReceived(): Message[] {
    return this.#received.splice(0)
  }

  send(message: object): void {
    this.sendLine(JSON.stringify(message))
  }

  /** Also what is no message. */
  sendLine(line: string): void {
    this.#child.stdin.write(`${line}\n`)
  }

  start(method: string, params: object): number {
    const id = ++this.#lastId
    this.send({ jsonrpc: '2.0', id, method, params })
    return id
  }

  async next(matches: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const at = this.#received.findIndex(matches)
      const [found] = at < 0 ? [] : this.#received.splice(at, 1)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  async request(method: string, params: object = {}): Promise<Record<string, unknown>> {
    const id = this.start(method, params)
    const answer = await this.next((message) => message.id === id)
    if (answer.result === undefined) throw new Error(JSON.stringify(answer.error))
    return answer.result
  }

  async tool(name: string, given: object): Promise<ToolAnswer> {
    return (await this.request('tools/call', { name, arguments: given })) as unknown as ToolAnswer
  }

  /** Closes standard input, as a client does that leaves; resolves when the server has ended. */
  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return
    this.#child.stdin.end()
    await once(this.#child, 'exit')
  }
}
