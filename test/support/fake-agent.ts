import { once } from 'node:events'
import * as fs from 'node:fs'
import * as net from 'node:net'
import * as os from 'node:os'
import * as path from 'node:path'

export interface AgentRequest {
  readonly id: number
  readonly method: string
  readonly params: Record<string, unknown>
}

/** What to answer: a result, an error as another server of the specification may send it, or raw text. */
export type AgentAnswer =
  | { readonly result: unknown }
  | { readonly error: { code: number; message: string; data?: unknown } }
  | { readonly raw: string }
  | 'nothing'
  | 'hang up'

/**
 * A server with another's manners: answers as the specification's examples do, with numbers alone for errors, or not
 * at all. For what our own browser never does.
 */
export class FakeAgent {
  readonly folder: string
  readonly socket: string
  readonly requests: AgentRequest[] = []
  readonly #server: net.Server
  readonly #sockets = new Set<net.Socket>()

  static async open(answer: (request: AgentRequest) => AgentAnswer): Promise<FakeAgent> {
    const agent = new FakeAgent(answer)
    agent.#server.listen(agent.socket)
    await once(agent.#server, 'listening')
    return agent
  }

  private constructor(answer: (request: AgentRequest) => AgentAnswer) {
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-agent-'))
    this.socket = path.join(this.folder, 'agent.sock')
    this.#server = net.createServer((socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      let text = ''
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        const lines = `${text}${chunk}`.split('\n')
        text = lines.pop() ?? ''
        for (const line of lines) this.#answer(socket, JSON.parse(line) as AgentRequest, answer)
      })
    })
  }

  notify(method: string, params: unknown): void {
    for (const socket of this.#sockets)
      socket.write(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`)
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
    fs.rmSync(this.folder, { recursive: true })
  }

  #answer(socket: net.Socket, request: AgentRequest, answer: (request: AgentRequest) => AgentAnswer): void {
    this.requests.push(request)
    const said = answer(request)
    if (said === 'nothing') return
    if (said === 'hang up') socket.destroy()
    else if ('raw' in said) socket.write(said.raw)
    else socket.write(`${JSON.stringify({ id: request.id, jsonrpc: '2.0', ...said })}\n`)
  }
}
