import type { JSONRPCMessage, McpServer, MessageExtraInfo, Transport } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { OpError } from '@transom/protocol/errors'
import { REQUEST_BYTES_MAX, rpcFailure } from '@transom/protocol/jsonrpc'
import { ownPrincipal } from '../host-calls/own-principal.ts'
import { CountedInput } from './counted-input.ts'
import { followListen, isListen } from './listen.ts'
import { createServer, type McpOptions } from './mcp-server.ts'
import { ResourceWatch } from './resource-watch.ts'
import { toolsOf } from './tool-table.ts'

/** Speaks MCP on standard input and output: the user who started this program may do everything. */
export function serveOnStdio(
  options: McpOptions,
  onerror: (error: Error) => void,
): { close(): Promise<void> } {
  const tools = toolsOf(options.set)
  const principal = ownPrincipal()
  const watch = new ResourceWatch({
    calls: options.calls,
    principal,
    sessions: options.sessions,
    isBusy: () => process.stdout.writableNeedDrain,
  })
  let server: McpServer | null = null
  const told = (sending: Promise<void> | undefined) => void sending?.catch(onerror)
  watch.deliverTo({
    updated: (uri) => told(server?.server.sendResourceUpdated({ uri })),
    listChanged: () => told(server?.server.sendResourceListChanged()),
  })
  const serving = serveStdio(
    ({ era }) => {
      server = createServer(tools, principal, { ...options, subscriptions: { era, watch } })
      return server
    },
    { onerror, transport: new ListeningTransport(watch) },
  )
  return {
    close: async () => {
      watch.close()
      await serving.close()
    },
  }
}

/** What is parsed at once: the longest message, and what of the next has come with it. */
const BUFFER_BYTES_MAX = 2 * REQUEST_BYTES_MAX

/** Standard input and output, noting the changes that the client asks to follow, which the library does not expose. */
class ListeningTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void
  readonly #input = new CountedInput((error) => this.#refuse(error))
  readonly #wire = new StdioServerTransport(this.#input, process.stdout, { maxBufferSize: BUFFER_BYTES_MAX })
  readonly #watch: ResourceWatch
  /** What each listen request follows, by its id. */
  readonly #listens = new Map<string | number, { readonly uris: readonly string[]; readonly list: boolean }>()
  #inbound = Promise.resolve()

  constructor(watch: ResourceWatch) {
    this.#watch = watch
  }

  async start(): Promise<void> {
    Object.assign(this.#wire, {
      onclose: () => {
        this.#watch.close()
        this.onclose?.()
      },
      onerror: (error: Error) => this.onerror?.(error),
      onmessage: (message: JSONRPCMessage) => {
        // One after the other: what follows a request must not overtake it.
        this.#inbound = this.#inbound.then(async () => this.onmessage?.(await this.#seen(message)))
      },
    })
    await this.#wire.start()
    process.stdin.pipe(this.#input)
    process.stdin.once('error', (error) => this.#input.destroy(error))
  }

  async send(message: JSONRPCMessage): Promise<void> {
    return this.#wire.send(message)
  }

  async close(): Promise<void> {
    process.stdin.unpipe(this.#input)
    process.stdin.pause()
    return this.#wire.close()
  }

  /** A message that is not parsed has no id that an answer could bear. */
  #refuse(error: OpError): void {
    process.stdout.write(`${JSON.stringify(rpcFailure(null, error))}\n`)
    this.onerror?.(error)
  }

  async #seen(message: JSONRPCMessage): Promise<JSONRPCMessage> {
    if (isListen(message)) {
      const followed = await followListen(this.#watch, message)
      const { resourceSubscriptions: uris = [], resourcesListChanged } = followed.params.notifications
      this.#listens.set(message.id, { uris, list: resourcesListChanged === true })
      return followed as unknown as JSONRPCMessage // the same request with fewer URIs in it
    }
    if ('method' in message && message.method === 'notifications/cancelled')
      await this.#cancelled(message.params?.['requestId'])
    return message
  }

  async #cancelled(id: unknown): Promise<void> {
    const ended = typeof id === 'string' || typeof id === 'number' ? this.#listens.get(id) : undefined
    if (ended === undefined) return
    this.#listens.delete(id as string | number)
    const rest = [...this.#listens.values()]
    if (!rest.some(({ list }) => list)) this.#watch.unfollowList()
    for (const uri of ended.uris) {
      if (!rest.some(({ uris }) => uris.includes(uri))) await this.#watch.unfollow(uri)
    }
  }
}
