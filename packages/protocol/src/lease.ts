import { z } from 'zod'
import { leaseRole, type Actor } from './events.ts'
import { untrusted } from './untrusted.ts'

/**
 * Who may write to a session. `open`: everyone, until a caller takes the lease. `lease_required`: its holder alone.
 * `people_first`: as open, and a person takes it from an agent without asking.
 */
export const leasePolicy = z.enum(['open', 'lease_required', 'people_first'])
export type LeasePolicy = z.infer<typeof leasePolicy>

/** What callers chose to say of themselves: their names and notes. */
const said = { actor: z.string(), actor_label: z.string().optional(), note: z.string().nullable() }

export const leaseState = z.object({
  session: z.string(),
  policy: leasePolicy,
  epoch: z.int().describe('Counts the changes of hands.'),
  holder: untrusted(
    z
      .object({
        ...said,
        role: leaseRole,
        since: z.number().describe('Milliseconds since 1970.'),
        keep_ms: z.int().describe('The lease ends when it has not been used for this long.'),
      })
      .nullable(),
  ),
  requests: untrusted(z.array(z.object({ ...said, since: z.number() }))).describe('Who asks for the lease.'),
})
export type LeaseState = z.infer<typeof leaseState>

/** By which right a caller writes: what it presented, and the epoch in which it was admitted. */
export interface WriteRight {
  readonly handle: string | null
  readonly epoch: number
}

/** Who writes to a session: what the log records of it, and its right. Null is the session itself, as at its creation. */
export interface Writer {
  readonly actor: Actor
  readonly right: WriteRight | null
}
