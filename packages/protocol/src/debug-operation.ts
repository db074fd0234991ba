import { z } from 'zod'

/** `host.debug`: its entry in the operation table. */
export const hostDebug = {
  summary: 'Switch the debug log of the host of this Home on or off.',
  params: z.strictObject({
    state: z.enum(['on', 'off']).describe('on or off.').meta({ placeholder: 'STATE' }),
  }),
  result: z.object({
    enabled: z.boolean(),
    path: z.string().describe('The file that is written to while it is on.'),
  }),
  errors: ['host_unavailable', 'home_unwritable', 'disk_full'],
  readOnly: false,
  access: { scope: 'admin' },
  cli: {
    command: 'host debug',
    positionals: ['state'],
    examples: ['transom host debug on', 'transom host debug off'],
    startsHost: false,
  },
} as const
