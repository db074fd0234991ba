export function blockId(session: string, ordinal: number): string {
  return `${session}-${ordinal}`
}

/** The id of the interactive session that a block is. */
export function interactiveId(blockId: string): string {
  return `int-${blockId}`
}

/** Whether this is the id of a block of a session, or of an interactive session in it. */
export function isOfSession(id: string, session: string): boolean {
  return interactiveBlock(id).startsWith(`${session}-`)
}

/** The block of an interactive session. An id of another form belongs to no block. */
export function interactiveBlock(sessionId: string): string {
  return sessionId.replace(/^int-/, '')
}
