import type { NeedsInput } from '@transom/protocol'

/**
 * A program that has just been given something has not read it yet, and one that prints may not be done: only after
 * so long without either is it worth asking what it waits for.
 */
export const QUIET_MS = 50
/** A second look follows after this time: what was printed just before the first may not have been read then. */
export const CONFIRM_MS = 10

/** For what has no terminal, or none any more. */
export function unknownInput(note: string): NeedsInput {
  const nothing = { program: null, pid: null, waits_in: null, fd: null, echo: null, canonical: null }
  return { verdict: 'unknown', reason: null, prompt: '', evidence: { ...nothing, quiet_ms: 0, note } }
}
