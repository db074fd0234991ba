/** The resources of a Home, and how they are called. */
export const SESSIONS_URI = 'transom://sessions'
export const SESSIONS_PAGE_URI = 'transom://sessions{?cursor}'
export const SCREEN_URI = 'transom://sessions/{session}/screen'
export const BLOCKS_URI = 'transom://sessions/{session}/blocks'
export const BLOCK_URI = 'transom://sessions/{session}/blocks/{block}'
export const BLOCK_PAGE_URI = 'transom://sessions/{session}/blocks/{block}{?cursor}'

export type ResourceRef =
  | { readonly kind: 'sessions' }
  | { readonly kind: 'screen' | 'blocks'; readonly session: string }
  | { readonly kind: 'block'; readonly session: string; readonly block: number }

/** What a URI means; null if it is none of ours, or a page of one: pages do not change. */
export function parseResourceUri(uri: string): ResourceRef | null {
  if (uri === SESSIONS_URI) return { kind: 'sessions' }
  const [, session, kind, block] =
    /^transom:\/\/sessions\/([^/?#]+)\/(screen|blocks)(?:\/(\d{1,9}))?$/.exec(uri) ?? []
  if (session === undefined) return null
  if (kind === 'screen') return block === undefined ? { kind, session } : null
  return block === undefined ? { kind: 'blocks', session } : { kind: 'block', session, block: Number(block) }
}

export function blockUri(session: string, block: number): string {
  return `${BLOCKS_URI.replace('{session}', session)}/${block}`
}
