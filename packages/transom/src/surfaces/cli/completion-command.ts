import { OpError } from '@transom/protocol/errors'
import { connectToHost } from './host-connection.ts'
import { localCommand, localParam, type LocalContext } from './local-command.ts'

const SHELLS = ['bash', 'zsh', 'fish']
const ANSWER_TIMEOUT_MS = 2000 // a person waits at the Tab key

export const completionCommand = localCommand({
  command: 'completion',
  summary: 'Print a script that completes commands, options and sessions in your shell.',
  description:
    'Load it from the shell’s start-up file: "source <(transom completion bash)" in ~/.bashrc, "source <(transom completion zsh)" in ~/.zshrc after compinit, "transom completion fish | source" in ~/.config/fish/config.fish. Sessions are asked for when the Tab key is pressed; no host is started for that.',
  examples: ['transom completion bash', 'transom completion zsh', 'transom completion fish'],
  positionals: ['shell'],
  params: [
    localParam({
      name: 'shell',
      type: 'string',
      placeholder: 'SHELL',
      description: 'bash, zsh or fish.',
      required: true,
      values: SHELLS,
    }),
  ],
  run: ({ params, shippedText, cli }) => {
    const shell = String(params['shell'])
    if (!SHELLS.includes(shell)) {
      const message = `no completion for ${JSON.stringify(shell)}; there is: ${SHELLS.join(', ')}`
      throw new OpError('usage', message, { shell })
    }
    cli.out(shippedText(`completion.${shell}`))
    return 0
  },
})

/** What the scripts ask for: names and ids of the active sessions, each with a description behind a tab. */
export const completeCommand = localCommand({
  command: '__complete',
  summary: 'Print what can be completed, for the scripts of "completion".',
  examples: ['transom __complete sessions'],
  hidden: true,
  positionals: ['what'],
  params: [
    localParam({
      name: 'what',
      type: 'string',
      placeholder: 'WHAT',
      description: 'sessions.',
      required: true,
      values: ['sessions'],
    }),
  ],
  run: complete,
})

async function complete({ cli, host }: LocalContext): Promise<number> {
  const client = await connectToHost(host())
  if (client === null) return 0 // without a host no session is active, and none is started for a Tab
  const signal = AbortSignal.any([cli.signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)])
  try {
    const { sessions } = await client.call('session.list', {}, { signal })
    const named = sessions.filter(({ name }) => name !== null)
    const lines = [
      ...named.map(({ name, command }) => `${name}\t${oneLine(command)}`),
      ...sessions.map(({ session, name, command }) => `${session}\t${name ?? oneLine(command)}`),
    ]
    if (lines.length > 0) cli.out(lines.join('\n'))
    return 0
  } finally {
    client.close()
  }
}

const DESCRIPTION_CHARS_MAX = 60

function oneLine(command: readonly string[]): string {
  return command
    .join(' ')
    .replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
    .slice(0, DESCRIPTION_CHARS_MAX)
}
