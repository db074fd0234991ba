import type { ServerContext } from '@modelcontextprotocol/server'

/** How often a client that asked for progress gets some. */
const PROGRESS_EVERY_MS = 2000

/** Reports progress on a call until the function that it returns is called. `totalMs` is null where there is no limit. */
export function reportProgress(
  mcpReq: ServerContext['mcpReq'],
  tool: string,
  totalMs: number | null,
): () => void {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return () => {}
  const startMs = performance.now()
  const total = totalMs === null ? {} : { total: totalMs }
  const tell = () => {
    const progress = Math.round(performance.now() - startMs)
    const params = { progressToken, progress, ...total, message: `${tool} goes on` }
    // Sending fails if the client has left; its request ends by itself.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => clearInterval(timer))
  }
  const timer = setInterval(tell, PROGRESS_EVERY_MS)
  tell()
  return () => clearInterval(timer)
}
