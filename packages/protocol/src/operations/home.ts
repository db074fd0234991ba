import { z } from 'zod'
import { PATH_CHARS_MAX } from '../limits.ts'
import { operation } from '../operation.ts'

/** The Homes of a machine. */
export const HOME_OPERATIONS = {
  'home.list': operation({
    summary: 'List the Homes of this machine that have an active session.',
    params: z.object({
      all: z.boolean().optional().describe('Every Home in the Home Registry.'),
    }),
    result: z.object({
      registry: z.string().describe('The file that holds the Home Registry.'),
      homes: z.array(
        z.object({
          home: z.string(),
          sessions: z.int().describe('Sessions in it, ended ones included.'),
          active_sessions: z.int(),
          registered_at: z.string().describe('ISO 8601.'),
          problem: z.string().nullable().describe('Why the Home could not be looked into.'),
        }),
      ),
    }),
    errors: [],
    readOnly: false, // entries of Homes that are gone are pruned
    access: { scope: 'admin', reach: 'home', touches: [] },
    cli: {
      command: 'home list',
      positionals: [],
      examples: ['transom home list', 'transom home list --all'],
      render: {
        table: 'homes',
        columns: {
          HOME: '{home}',
          ACTIVE: '{active_sessions}',
          SESSIONS: '{sessions}',
          SINCE: '{registered_at:time}',
          '': '{problem}',
        },
      },
    },
  }),
  'home.subscribe': operation({
    summary: 'Follow the sessions of this Home and what each is doing: one list, then every change.',
    description:
      'Sent as notifications: the active sessions first, then each one that comes, changes or ends. While it lasts, programs that are quiet are looked at, at growing intervals up to a second, to see whether they wait for input.',
    params: z.object({}),
    result: z.object({ subscription: z.int() }),
    errors: [],
    readOnly: true,
    stream: true,
    access: { scope: 'read', reach: 'home', touches: [] },
    cli: null,
  }),
  'home.forget': operation({
    summary: 'Take a Home out of the Home Registry. The Home itself stays as it is.',
    params: z.object({
      path: z
        .string()
        .min(1)
        .max(PATH_CHARS_MAX)
        .describe('The folder of the Home.')
        .meta({ placeholder: 'PATH', parse: 'path', touches: 'file' }),
    }),
    result: z.object({
      home: z.string(),
      forgotten: z.boolean().describe('False when it was not in the Home Registry.'),
    }),
    errors: [],
    readOnly: false,
    access: { scope: 'admin', reach: 'home', touches: [] },
    cli: {
      command: 'home forget',
      positionals: ['path'],
      examples: ['transom home forget ~/old-home'],
      render: { text: '{home} [{?forgotten}is no longer][{!forgotten}was not] in the Home Registry' },
    },
  }),
} as const
