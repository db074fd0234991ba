/** Tools over linked in-memory transports: an MCP client, the server, and a host of which only some handlers are there. */
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { expect } from 'vitest'
import { Client, linkedTransports } from '@transom/client'
import { OPERATIONS, type Snapshot, type ToolSet } from '@transom/protocol'
import { Home } from '../../packages/transom/src/home/home.ts'
import type { Handlers } from '../../packages/transom/src/host/dispatch.ts'
import { RpcConnection } from '../../packages/transom/src/host/rpc-connection.ts'
import { CallMetrics } from '../../packages/transom/src/surfaces/host-calls/call-metrics.ts'
import { HostCalls } from '../../packages/transom/src/surfaces/host-calls/host-calls.ts'
import { ownPrincipal } from '../../packages/transom/src/surfaces/host-calls/own-principal.ts'
import { SessionListWatch } from '../../packages/transom/src/surfaces/host-calls/session-list-watch.ts'
import { createServer } from '../../packages/transom/src/surfaces/mcp/mcp-server.ts'
import { toolsOf } from '../../packages/transom/src/surfaces/mcp/tool-table.ts'

export interface Answer {
  readonly isError?: boolean
  readonly content: { type: string; text: string; data?: string }[]
  readonly structuredContent: Record<string, unknown>
}

export interface Reply<T> {
  readonly result?: T
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

type Transport = Parameters<ReturnType<typeof createServer>['connect']>[0]
type Message = Parameters<Transport['send']>[0]

const peer = { kind: 'local', uid: 1000, pid: 812, user: 'ada' } as const

export class LinkedMcp implements Disposable {
  /** What the host was asked, after the table has checked it. */
  readonly asked: [operation: string, params: unknown][] = []
  /** What it answers, by operation: a value, or an error to throw. */
  answers: Record<string, unknown> = {}
  /** What the client was sent beside its answers. */
  readonly notices: Message[] = []
  readonly #folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-mcp-'))
  readonly #calls: HostCalls
  readonly #link: () => [Transport, Transport]

  /** `link` makes the two ends of an in-memory connection, as the library of the protocol has one. */
  constructor(link: () => [Transport, Transport]) {
    this.#link = link
    const serve = (operation: string) => (params: unknown) => {
      this.asked.push([operation, params])
      if (this.answers[operation] instanceof Error) throw this.answers[operation]
      return this.answers[operation]
    }
    const handlers = Object.fromEntries(
      Object.keys(OPERATIONS).map((name) => [name, serve(name)]),
    ) as unknown as Handlers
    const findTarget = async () => ({}) as never // of a session that can do everything
    const connect = async () => {
      const [client, host] = linkedTransports()
      new RpcConnection(host, { peer, operations: { handlers, findTarget }, closed: () => {} })
      return new Client(client)
    }
    this.#calls = new HostCalls({ connect, follow: () => expect.unreachable() }, new CallMetrics())
  }

  [Symbol.dispose](): void {
    this.#calls.close()
    fs.rmSync(this.#folder, { recursive: true })
  }

  async reply<T>(method: string, params: object, set: ToolSet = 'transom'): Promise<Reply<T>> {
    const sessions = new SessionListWatch(Home.open(this.#folder))
    const defaults = { cwd: '/work', environment: { A: '1' }, $TRANSOM_ACTOR: 'tester' }
    const options = { calls: this.#calls, set, defaults, sessions }
    const server = createServer(toolsOf(set), ownPrincipal(), options)
    const [client, end] = this.#link()
    await server.connect(end)
    const answered = new Map<unknown, (message: Message) => void>()
    Object.assign(client, {
      onmessage: (message: Message) => {
        if ('id' in message) answered.get(message.id)?.(message)
        else this.notices.push(message)
      },
    })
    const ask = async (id: number, asking: string, given: object) => {
      const answer = new Promise<Message>((resolve) => answered.set(id, resolve))
      await client.send({ jsonrpc: '2.0', id, method: asking, params: { ...given } })
      return answer
    }
    const clientInfo = { name: 'test', version: '1' }
    await ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
    const answer = await ask(2, method, params)
    await server.close()
    return answer as Reply<T>
  }

  async request<T>(method: string, params: object, set?: ToolSet): Promise<T> {
    const { result } = await this.reply<T>(method, params, set)
    return result as T // a test that expects an error asks for the reply
  }

  async tool(name: string, given: object, set?: ToolSet): Promise<Answer> {
    return this.request('tools/call', { name, arguments: given }, set)
  }
}

export function screen(lines: readonly string[], more: Partial<Snapshot> = {}): Snapshot {
  return {
    session: 's1',
    seq: 7,
    cols: 80,
    rows: lines.length,
    cursor: { row: 0, col: 2, visible: true, shape: 'block', blink: false },
    title: '',
    bells: 0,
    lines: lines.map((text) => ({ text, wrapped: false })),
    screen_hash: 'abc',
    ...more,
  }
}

/** What stands outside the marks is ours: nothing that a program or a page chose may be there. */
export function outsideFences(text: string): string {
  return text.replaceAll(/<untrusted-output id="([0-9a-f]+)">[^]*?<\/untrusted-output id="\1">/g, '')
}

/** Structured content without the values of keys `untrusted_output`. */
export function outsideMarks(content: unknown): string {
  return JSON.stringify(content, (key, value: unknown) => (key === 'untrusted_output' ? null : value))
}
