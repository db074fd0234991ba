import { z } from 'zod'
import { hostDebug } from './debug-operation.ts'
import { STATUS_METHODS } from './operations/awi-views.ts'
import { operation } from './operation.ts'
import { sessionStatus } from './session-info.ts'

/** What concerns the host itself. */
export const HOST_OPERATIONS = {
  'host.status': operation({
    summary: 'Show the host of this Home.',
    params: z.object({}),
    result: z.object({
      home: z.string(),
      pid: z.int(),
      version: z.string(),
      protocol: z.int(),
      socket: z.string(),
      started_at: z.string(),
      sessions: z.int().describe('Active sessions.'),
      connections: z.int(),
      rss_bytes: z.int(),
      metrics: z.object({
        sessions: z
          .array(z.object({ kind: z.string(), status: sessionStatus, count: z.int() }))
          .describe('Live sessions by kind and status.'),
        events: z.int().describe('Records of Event Logs that this host has written.'),
        log_bytes: z.int().describe('Their bytes.'),
        waits: z.int().describe('Waits that are pending.'),
        subscriptions: z.int().describe('Subscriptions to screens that are open.'),
        input_queue_bytes: z.int().describe('Input that programs have not read yet.'),
        requests: z.array(
          z.object({
            operation: z.string(),
            count: z.int(),
            errors: z.int(),
            total_ms: z.number(),
            max_ms: z.number(),
          }),
        ),
      }),
    }),
    errors: ['host_unavailable'],
    readOnly: true,
    awi: STATUS_METHODS,
    cli: { command: 'host status', positionals: [], examples: ['transom host status'], startsHost: false },
  }),
  'host.stop': operation({
    summary: 'Stop the host of this Home.',
    params: z.object({
      force: z.boolean().optional().describe('Even with active sessions: they are destroyed.'),
    }),
    result: z.object({ stopped: z.literal(true), destroyed: z.int().describe('Sessions that were ended.') }),
    errors: ['host_unavailable', 'host_busy'],
    readOnly: false,
    access: { scope: 'admin' },
    cli: {
      command: 'host stop',
      positionals: [],
      examples: ['transom host stop', 'transom host stop --force'],
      startsHost: false,
    },
  }),
  'host.debug': operation(hostDebug),
} as const
