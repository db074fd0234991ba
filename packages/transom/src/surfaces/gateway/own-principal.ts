import type { LocalPrincipal } from '@transom/protocol'

/** This process itself, for what it asks on its own account. The host knows its user better. */
export function ownPrincipal(): LocalPrincipal {
  return { kind: 'local', uid: process.getuid?.() ?? -1, pid: process.pid, user: null }
}
