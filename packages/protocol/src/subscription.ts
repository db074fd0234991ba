import { z } from 'zod'
import { watchedSession } from './activity.ts'
import { block } from './block.ts'
import { eventRecord } from './events.ts'
import { pageView } from './page-view.ts'
import { cursorState, screenLine, snapshot } from './snapshot.ts'

/** What arrives under SUBSCRIPTION_METHOD, by `type`. */
export const subscriptionMessage = z.discriminatedUnion('type', [
  /** First, and again whenever the subscriber was too slow to be sent every change. */
  z.object({ subscription: z.int(), type: z.literal('screen'), snapshot }),
  z.object({
    subscription: z.int(),
    type: z.literal('rows'),
    seq: z.int(),
    rows: z.array(z.object({ row: z.int(), line: screenLine })).describe('Only the rows that changed.'),
    cursor: cursorState,
    title: z.string(),
    bells: z.int().describe('How often the program has rung the bell, ever.'),
    page: pageView.optional().describe('Of a web page, if something of it has changed.'),
    screen_hash: z.string(),
  }),
  /** The state of an `events` or `blocks` subscription: what comes after `seq` follows. */
  z.object({ subscription: z.int(), type: z.literal('position'), seq: z.int() }),
  z.object({ subscription: z.int(), type: z.literal('records'), records: z.array(eventRecord) }),
  /** The blocks of an integrated shell: first the one that runs, if any, and then what happens. */
  z.object({ subscription: z.int(), type: z.literal('agent_block_begin'), log_seq: z.int(), block }),
  z.object({
    subscription: z.int(),
    type: z.literal('agent_block_delta'),
    log_seq: z.int(),
    block_id: z.string(),
    cursor: z.int().describe('Of the first of these bytes.'),
    data_b64: z.string().describe('What the block printed, byte for byte.'),
  }),
  z.object({ subscription: z.int(), type: z.literal('agent_block_end'), log_seq: z.int(), block }),
  /** The active sessions of a `home.subscribe`: first, and again whenever the subscriber was too slow. */
  z.object({ subscription: z.int(), type: z.literal('sessions'), sessions: z.array(watchedSession) }),
  /** One that has come, changed or ended. */
  z.object({ subscription: z.int(), type: z.literal('session'), session: watchedSession }),
  /** The stream cannot go on (a damaged log), and nothing more will come. */
  z.object({
    subscription: z.int(),
    type: z.literal('error'),
    error: z.object({
      code: z.string(),
      message: z.string(),
      retryable: z.boolean(),
      details: z.record(z.string(), z.unknown()),
    }),
  }),
  /** The session has ended and nothing more will come. */
  z.object({ subscription: z.int(), type: z.literal('end'), seq: z.int() }),
])
export type SubscriptionMessage = z.infer<typeof subscriptionMessage>
