import { z } from 'zod'
import { inputReason } from './needs-input.ts'
import { sessionInfo } from './session-info.ts'
import { untrusted } from './untrusted.ts'

/**
 * What a session is doing, for those who watch several. `working`: something runs or loads. `idle`: a shell is at its
 * prompt, or a page has loaded. `needs_input`: it waits for an answer. `held`: a person has taken it over.
 */
export const activityState = z.enum(['working', 'idle', 'needs_input', 'held', 'ended'])
export type ActivityState = z.infer<typeof activityState>

export const activity = z.object({
  state: activityState,
  since: z.number().describe('Milliseconds since 1970.'),
  reason: z
    .enum([...inputReason.options, 'dialog'])
    .nullable()
    .describe('Of `needs_input`: what it waits for.'),
  prompt: untrusted(z.string()).describe('Of `needs_input`: the question, as far as it is seen.'),
  evidence: untrusted(z.string()).describe('What this rests on.'),
})
export type Activity = z.infer<typeof activity>

export const watchedSession = sessionInfo.extend({
  activity: activity.nullable().describe('What it is doing; null for a session of another host.'),
})
export type WatchedSession = z.infer<typeof watchedSession>
