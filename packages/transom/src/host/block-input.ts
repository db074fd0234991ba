import type { NeedsInput } from '@transom/protocol'
import { InputSampler, type SampledSession } from '../session/needs-input.ts'

/** The end mark of a block that has ended is read within this time, also on a busy machine. */
const END_MARK_MS_MAX = 500

/** A session in whose shell a block runs. */
export interface BlockSession extends SampledSession {
  /** Whether the shell itself has the terminal, and no program that it started. */
  shellIsInFront(): boolean
}

/**
 * Asks whether a block that runs waits for input. A shell that edits a line is at its prompt, and the end mark of the
 * block is on its way; or the block itself has it read a line (`read -e`, `vared`, any `read` of fish). If no mark comes, it
 * is the latter.
 */
export function blockInput(session: BlockSession): () => NeedsInput | number {
  let editsSinceMs: number | null = null
  const sampler = new InputSampler({
    recency: session.recency,
    now: () => session.now(),
    needsInput: () => {
      const found = session.needsInput()
      if (found.reason !== 'shell_prompt' || !session.shellIsInFront()) {
        editsSinceMs = null
        return found
      }
      editsSinceMs ??= session.now()
      if (session.now() - editsSinceMs < END_MARK_MS_MAX) return { ...found, verdict: 'busy' }
      const note = `${found.evidence.program} edits a line that the command reads`
      return { ...found, reason: 'read', evidence: { ...found.evidence, note } }
    },
  })
  return () => sampler.sample()
}
