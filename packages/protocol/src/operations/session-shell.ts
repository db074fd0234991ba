import { z } from 'zod'
import { ACTS } from '../access.ts'
import { acting, actingErrors, operation, sessionRef } from '../operation.ts'
import { notAList } from '../word-list.ts'
import { blockOutput, budget, commandText, queue, shellFolder } from '../shell-params.ts'
import { ARGUMENTS_MAX } from '../limits.ts'
import { untrusted } from '../untrusted.ts'

/** Long enough for a shell at the other end of a slow line. */
const INTEGRATION_TIMEOUT_MS_DEFAULT = 10_000
/** Longer than most builds; a caller that waits for more says so. */
const RUN_TIMEOUT_MS_DEFAULT = 600_000

/** As long as a command may be: more belongs in a file. */
const STDIN_CHARS_MAX = 1 << 20

/** The shell of a session. */
export const SESSION_SHELL_OPERATIONS = {
  'session.run': operation({
    summary:
      'Run a command in a session’s shell, wait for its end, print its output, exit with its exit code.',
    description:
      'For a session whose program is an interactive bash, zsh, fish or sh, which "transom create" integrates: the shell itself says where the command begins and ends, so that the output is exact and no prompt is guessed. The command runs in the shell, so that cd and variables stay. It is printed as plain text, with --raw as the exact bytes. With --json the status is 0 once the command has ended, and its exit code is in the result. A command that waits for input (a password, an editor, a pager, a prompt of its own) ends the wait with status 80, the reason and the prompt: answer it with type or keys, and wait for the end of its block. Neither that nor a time-out ends the command. Standard input is left alone, so that run can be used in a loop that reads it: --stdin - passes it on to the command.',
    params: z.object({
      session: sessionRef,
      command: z
        .array(commandText, { error: notAList((line) => [line]) })
        .min(1)
        .max(ARGUMENTS_MAX)
        .describe('One word is a text for the shell; several are a program and its arguments.')
        .meta({ placeholder: 'COMMAND' }),
      stdin: z
        .string()
        .max(STDIN_CHARS_MAX)
        .optional()
        .describe('What it reads from its standard input, in place of the terminal.')
        .meta({ placeholder: 'TEXT', readable: true }),
      cwd: shellFolder,
      queue: queue,
      no_wait: z.boolean().optional().describe('Do not wait for its end.'),
      timeout_ms: z
        .int()
        .min(0)
        .max(2 ** 31 - 1)
        .default(RUN_TIMEOUT_MS_DEFAULT)
        .describe('Wait no longer than this; the command runs on.')
        .meta({ flag: 'timeout', placeholder: 'TIME', parse: 'duration' }),
      no_early: z.boolean().optional().describe('Go on waiting while the program waits for input.'),
      ...budget,
      raw: budget.raw.meta({ tool: { hidden: true } }),
      max_bytes: budget.max_bytes.meta({ tool: { hidden: true } }), // a model counts tokens
      ...acting,
    }),
    result: blockOutput.extend({
      ended: z
        .enum(['session', 'shell'])
        .nullable()
        .describe(
          'What the command ended (`exit`, `exec`, a failure under `set -e`): the session, or a shell inside it that was integrated.',
        ),
    }),
    errors: [
      ...actingErrors,
      'shell_not_integrated',
      'shell_busy',
      'shell_interactive',
      'cwd_not_found',
      'input_queue_full',
      'block_running',
      'block_not_started',
      'needs_input',
    ],
    readOnly: false,
    access: ACTS,
    needs: 'blocks',
    step: 'input',
    mcp: {
      name: 'run_command',
      title: 'Run a command in a shell',
      description:
        'Runs a command in the shell of a session and answers with its exit code and exactly what it printed. A list: ["cd src && make | tail"] is a line for the shell (pipes, cd and variables work, and last), ["ls", "-l"] a program and its arguments. A session whose program is no shell refuses it: use interact. A command that waits for input is reported at once (needs_input) and runs on: answer with type_text or press_keys. After the time limit it runs on, too: `resume` waits for its end, read_block reads its output.',
    },
    cli: {
      command: 'run',
      positionals: ['session', 'command'],
      examples: [
        'transom run work -- make test',
        "transom run work -- 'cd src && ls | wc -l'",
        "transom run work --timeout 60000 --json -- 'npm ci'",
        'transom run work --stdin - -- patch -p1 < fix.patch',
      ],
      seeAlso: ['blocks', 'block', 'exec', 'shell-init', 'wait'],
      prints: { what: 'block' },
    },
  }),
  'session.shell_init': operation({
    summary:
      'Integrate a shell inside the session’s program: a nested one, or one behind ssh, sudo or docker.',
    description:
      'A shell that is started inside a session, by hand or through ssh, sudo or docker exec, has no blocks until it is integrated. Evaluate what this prints in it, once, on the terminal of the session: eval "$(transom shell-init bash)", in fish eval (transom shell-init fish); or let --type do so where transom is not at hand. The shell then asks for a script, which is typed to it without echo. From then on run, blocks and exec mean this shell, until it ends. Give the session first when it is not the one that the command is run in.',
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
        .meta({ flag: 'timeout', placeholder: 'TIME', parse: 'duration' }),
      ...acting,
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
      cwd: untrusted(z.string().nullable()).describe('The folder of the shell, when it is integrated.'),
    }),
    errors: [
      ...actingErrors,
      'conversation_not_found',
      'shell_not_integrated',
      'shell_busy',
      'input_queue_full',
    ],
    readOnly: false,
    access: ACTS,
    needs: 'blocks',
    cli: {
      command: 'shell-init',
      positionals: ['session', 'shell'],
      examples: ['transom shell-init work bash --type', 'transom shell-init work zsh'],
      seeAlso: ['run', 'blocks', 'type', 'wait'],
      render: { text: '[{?integrated}{shell} is integrated][{!integrated}{snippet:plain}]' },
    },
  }),
} as const
