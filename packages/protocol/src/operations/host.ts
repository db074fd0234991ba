import { z } from 'zod'
import { STATUS_METHODS } from './awi-views.ts'
import { operation } from '../operation.ts'
import { sessionStatus } from '../session-info.ts'

/** What concerns the host itself. */
export const HOST_OPERATIONS = {
  'host.status': operation({
    summary: 'Show the host of this Home.',
    description:
      'The host is the background process that owns the live sessions of a Home. It is started by the first command that needs it, and never by this one.',
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
    access: { scope: 'read', reach: 'home', touches: [] },
    awi: STATUS_METHODS,
    cli: {
      command: 'host status',
      positionals: [],
      examples: ['transom host status'],
      startsHost: false,
      seeAlso: ['host stop', 'doctor'],
      render: {
        fields: {
          events: '{metrics.events}',
          log_bytes: '{metrics.log_bytes}',
          waits: '{metrics.waits}',
          subscriptions: '{metrics.subscriptions}',
          input_queue_bytes: '{metrics.input_queue_bytes}',
          requests: '{metrics.requests:total}',
        },
        omit: ['metrics'],
      },
    },
  }),
  'host.stop': operation({
    summary: 'Stop the host of this Home.',
    description:
      'Refused while sessions are active, unless --force is given. An idle host leaves by itself after a minute.',
    params: z.object({
      force: z.boolean().optional().describe('Even with active sessions: they are destroyed.'),
    }),
    result: z.object({ stopped: z.literal(true), destroyed: z.int().describe('Sessions that were ended.') }),
    errors: ['host_unavailable', 'host_busy'],
    readOnly: false,
    endsHost: true,
    access: { scope: 'admin', reach: 'home', touches: [] },
    cli: {
      command: 'host stop',
      positionals: [],
      examples: ['transom host stop', 'transom host stop --force'],
      startsHost: false,
      seeAlso: ['host status'],
      render: 'nothing',
    },
  }),
  'host.debug': operation({
    summary: 'Switch the debug log of the host of this Home on or off.',
    description:
      'The log is host-debug.log in the Home: connections, and for each request its operation, session, sizes, duration and error code, never what was typed or an environment. At 10 MB it is moved to host-debug.log.1. A host that is started with TRANSOM_DEBUG=1 or by a command with --debug has it on from the start.',
    params: z.object({
      state: z.enum(['on', 'off']).describe('on or off.').meta({ placeholder: 'STATE' }),
    }),
    result: z.object({
      enabled: z.boolean(),
      path: z.string().describe('The file that is written to while it is on.'),
    }),
    errors: ['host_unavailable', 'home_unwritable', 'home_untrusted', 'disk_full'],
    readOnly: false,
    access: { scope: 'admin', reach: 'home', touches: [] },
    cli: {
      command: 'host debug',
      positionals: ['state'],
      examples: ['transom host debug on', 'transom host debug off'],
      startsHost: false,
      seeAlso: ['host status', 'doctor'],
      render: { text: '[{?enabled}{path}]' },
    },
  }),
} as const
