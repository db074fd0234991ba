import { z } from 'zod'
import { actor, commandTargetErrors, operation, sessionRef } from './operation.ts'

/** Long enough for a shell at the other end of a slow line. */
const INTEGRATION_TIMEOUT_MS_DEFAULT = 10_000

/** Integrating a shell that runs already. */
export const SHELL_INIT_OPERATIONS = {
  'session.shell_init': operation({
    summary:
      'Integrate a shell inside the session’s program: a nested one, or one behind ssh, sudo or docker.',
    params: z.object({
      session: sessionRef,
      shell: z
        .enum(['bash', 'zsh', 'fish'])
        .describe('Which shell it is.')
        .meta({ placeholder: 'bash|zsh|fish' }),
      type: z
        .boolean()
        .optional()
        .describe('Type it to the program in front, and wait until the shell is integrated.'),
      timeout_ms: z
        .int()
        .min(0)
        .max(600_000)
        .default(INTEGRATION_TIMEOUT_MS_DEFAULT)
        .describe('With `type`: give up waiting after this long.')
        .meta({ flag: 'timeout', placeholder: 'MS' }),
      actor,
    }),
    result: z.object({
      ok: z.literal(true),
      session: z.string(),
      shell: z.string(),
      snippet: z
        .string()
        .describe(
          'What the shell has to evaluate, once, on the terminal of this session. It holds no secret.',
        ),
      integrated: z.boolean().describe('Whether it has: only known with `type`.'),
      cwd: z.string().nullable().describe('The folder of the shell, when it is integrated.'),
    }),
    errors: [
      ...commandTargetErrors,
      'conversation_not_found',
      'shell_not_integrated',
      'shell_busy',
      'input_queue_full',
    ],
    readOnly: false,
    cli: {
      command: 'shell-init',
      positionals: ['session', 'shell'],
      examples: ['transom shell-init work bash --type', 'transom shell-init work zsh'],
    },
  }),
} as const
