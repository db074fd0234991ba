import type { TokenPrincipal } from '@transom/protocol'

/** MCP over Streamable HTTP, as a server of HTTP offers it. */
export interface McpEndpoint {
  /** Whether a request is answered by a stream that stays open. */
  opensStream(body: unknown): boolean
  fetch(request: McpRequest): Promise<Response>
  close(): Promise<void>
}

export interface McpRequest {
  readonly request: Request
  /** Who calls; its token has been checked. */
  readonly grant: TokenPrincipal
  /** Parsed already; undefined where there is none. */
  readonly body: unknown
  /** Whether the caller has not read what it was sent. */
  readonly isBusy: () => boolean
}
