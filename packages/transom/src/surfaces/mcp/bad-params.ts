import type { JSONRPCMessage, McpServer, Transport } from '@modelcontextprotocol/server'

const INTERNAL_ERROR = -32603
const INVALID_PARAMS = -32602

/**
 * The library answers a request whose parameters do not fit its schema with "internal error" and a list of issues as
 * JSON. It is the client's mistake: the answer becomes "invalid params", with the first issue in words.
 */
export function reportBadParams(server: McpServer): void {
  const connect = server.connect.bind(server)
  server.connect = async (transport: Transport) => {
    const send = transport.send.bind(transport)
    transport.send = async (message, options) => send(reworded(message), options)
    return connect(transport)
  }
}

function reworded(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message) || message.error.code !== INTERNAL_ERROR) return message
  const issue = firstIssue(message.error.message)
  if (issue === null) return message
  const text = `invalid parameters: ${issue.path.join('.')}: ${issue.message}`
  return { ...message, error: { code: INVALID_PARAMS, message: text } }
}

function firstIssue(text: string): { path: (string | number)[]; message: string } | null {
  if (!text.startsWith('[')) return null
  try {
    const [issue] = JSON.parse(text) as { path?: (string | number)[]; message?: string }[]
    return issue?.path === undefined || issue.message === undefined
      ? null
      : { path: issue.path, message: issue.message }
  } catch {
    return null // a message of another kind
  }
}
