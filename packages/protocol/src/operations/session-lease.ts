import { z } from 'zod'
import { ACTS, LOOKS } from '../access.ts'
import { leaseRole } from '../events.ts'
import { leaseState } from '../lease.ts'
import { LABEL_CHARS_MAX } from '../limits.ts'
import { actor, commandTargetErrors, lease, operation, sessionRef } from '../operation.ts'

/** A person who looks for a password in another room. */
const KEEP_MS_DEFAULT = 5 * 60_000
const KEEP_MS_MAX = 24 * 60 * 60_000

const note = z
  .string()
  .min(1)
  .max(LABEL_CHARS_MAX)
  .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, 'a note has no control characters')
  .optional()
  .meta({ placeholder: 'TEXT' })

/** Who may write to a session. */
export const SESSION_LEASE_OPERATIONS = {
  'session.lease_take': operation({
    summary: 'Take the lease of a session: from now on only its holder can type, click, run or resize.',
    description:
      'Prints the lease. Give it to further commands with --lease, or in TRANSOM_LEASE. Others still see everything; what would change the session answers held at once, and input that waited in a queue is not applied. A lease that another caller holds is not taken away unless --takeover is given. It ends when it is given back, or when its holder has not used it for the time of --keep.',
    params: z.object({
      session: sessionRef,
      takeover: z.boolean().optional().describe('Take it from the caller that holds it.'),
      as: leaseRole
        .default('agent')
        .describe('person or agent: who will write.')
        .meta({ placeholder: 'ROLE' }),
      note: note.describe('What for; others are shown it.'),
      keep_ms: z
        .int()
        .min(1000)
        .max(KEEP_MS_MAX)
        .default(KEEP_MS_DEFAULT)
        .describe('The lease ends when its holder has not used it for this long.')
        .meta({ flag: 'keep', placeholder: 'TIME', parse: 'duration' }),
      hold: z
        .boolean()
        .optional()
        .describe('It does not end while this connection is open; its time begins when that is closed.')
        .meta({ hidden: true }), // a command's connection is closed at once
      lease,
      actor,
    }),
    result: leaseState.extend({
      lease: z.string().describe('What its holder acts under. Keep it from others: who has it can write.'),
    }),
    errors: [...commandTargetErrors, 'held'],
    readOnly: false,
    access: ACTS,
    cli: {
      command: 'lease take',
      positionals: ['session'],
      examples: [
        'transom lease take work',
        "transom lease take work --takeover --as person --note 'fixing the config'",
      ],
      seeAlso: ['lease give', 'lease status', 'wait'],
      render: { text: '{lease}' },
    },
  }),
  'session.lease_give': operation({
    summary: 'Give the lease of a session back, so that others can write to it again.',
    params: z.object({
      session: sessionRef,
      lease: lease.unwrap().meta({ placeholder: 'LEASE', from: '$TRANSOM_LEASE', tool: { hidden: true } }),
      note: note.describe('What was done; others are shown it.'),
      actor,
    }),
    result: leaseState,
    errors: [...commandTargetErrors, 'lease_changed'],
    readOnly: false,
    access: ACTS,
    cli: {
      command: 'lease give',
      positionals: ['session'],
      examples: ['transom lease give work --lease LEASE'],
      seeAlso: ['lease take'],
      render: 'nothing',
    },
  }),
  'session.lease_request': operation({
    summary: 'Ask the holder of a session’s lease to give it back.',
    description:
      'The request is recorded and shown by lease status until the lease changes hands. Wait for that with wait --writable.',
    params: z.object({
      session: sessionRef,
      note: note.describe('What for; the holder is shown it.'),
      actor,
    }),
    result: leaseState,
    errors: commandTargetErrors,
    readOnly: false,
    access: ACTS,
    cli: {
      command: 'lease request',
      positionals: ['session'],
      examples: ["transom lease request work --note 'the build can go on'"],
      seeAlso: ['wait', 'lease status'],
      render: 'nothing',
    },
  }),
  'session.lease_status': operation({
    summary: 'Show who holds the lease of a session, and who asks for it.',
    params: z.object({ session: sessionRef }),
    result: leaseState,
    errors: ['session_not_found', 'session_ambiguous', 'session_ended'],
    readOnly: true,
    access: LOOKS,
    cli: {
      command: 'lease status',
      positionals: ['session'],
      examples: ['transom lease status work'],
      seeAlso: ['lease take'],
      render: {
        fields: {
          holder: '[{holder.actor} ({holder.role}), since {holder.since:iso}][: {holder.note}]',
        },
      },
    },
  }),
} as const
