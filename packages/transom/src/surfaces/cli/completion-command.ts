import { OpError } from '@transom/protocol/errors'
import { homePath } from '../../home/home-path.ts'
import { propose, type Described, type Proposal } from './completion.ts'
import { connectToHost } from './host-connection.ts'
import { localCommand, localParam, type LocalContext } from './local-command.ts'

const SHELLS = ['bash', 'zsh', 'fish']
const ANSWER_TIMEOUT_MS = 2000 // a person waits at the Tab key
const DESCRIPTION_CHARS_MAX = 60

export const completionCommand = localCommand({
  command: 'completion',
  summary: 'Print a script that completes commands, options and sessions in your shell.',
  description:
    'Load it from the shell’s start-up file: "source <(transom completion bash)" in ~/.bashrc, "source <(transom completion zsh)" in ~/.zshrc after compinit, "transom completion fish | source" in ~/.config/fish/config.fish. The script asks this program when the Tab key is pressed; no host is started for that.',
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
    cli.out(shippedText(`completion.${knownShell(params['shell'])}`))
    return 0
  },
})

/**
 * What the scripts of `completion` ask: `__complete SHELL WORD…`, with the words after the program up to the one at
 * the cursor. Answers a proposal a line, in the form that the shell takes, or what the shell is to look up itself:
 * `@files`, `@folders` or `@programs`.
 */
export const completeCommand = localCommand({
  command: '__complete',
  summary: 'Print what can stand at the cursor, for the scripts of "completion".',
  examples: ["transom __complete bash snapshot ''"],
  hidden: true,
  rest: 'words',
  params: [localParam({ name: 'words', type: 'list', description: 'The shell, and the words.' })],
  run: complete,
})

async function complete(context: LocalContext): Promise<number> {
  const [given, ...typed] = (context.params['words'] ?? []) as string[] // a list, by its type
  const shell = knownShell(given)
  const proposal = propose(shell === 'bash' ? joinOptions(typed) : typed, context.commands)
  const lines = await linesOf(proposal, shell, context)
  if (lines.length > 0) context.cli.out(lines.join('\n'))
  return 0
}

function knownShell(shell: unknown): string {
  if (typeof shell === 'string' && SHELLS.includes(shell)) return shell
  const message = `no completion for ${JSON.stringify(shell)}; there is: ${SHELLS.join(', ')}`
  throw new OpError('usage', message, { shell })
}

/** bash takes `--option=value` for three words. */
function joinOptions(words: readonly string[]): string[] {
  const joined: string[] = []
  let isValue = false
  for (const word of words) {
    if (isValue || (word === '=' && joined.at(-1)?.startsWith('--'))) joined.push(`${joined.pop()}${word}`)
    else joined.push(word)
    isValue = word === '=' && !isValue
  }
  return joined
}

async function linesOf(proposal: Proposal, shell: string, context: LocalContext): Promise<string[]> {
  switch (proposal.kind) {
    case 'words':
      return proposal.words.map((it) => spelled(it, shell, proposal.before))
    case 'sessions': {
      const sessions = await knownSessions(context, proposal)
      return sessions
        .filter(({ word }) => word.startsWith(proposal.begin))
        .map((it) => spelled(it, shell, ''))
    }
    case 'files':
    case 'folders':
    case 'programs':
      return [`@${proposal.kind}`]
    default:
      return proposal satisfies never
  }
}

/** bash shows no descriptions; fish takes the whole word, the others what stands after its `=`. */
function spelled({ word, description }: Described, shell: string, before: string): string {
  if (shell === 'bash') return word
  if (shell === 'fish') return `${before}${word}\t${description}`
  const escaped = word.replaceAll(':', '\\:')
  return description === '' ? escaped : `${escaped}:${description}`
}

/** Names and ids. No host is started for a Tab: without one nothing is proposed. */
async function knownSessions(
  { cli, host }: LocalContext,
  { home, ended }: Extract<Proposal, { kind: 'sessions' }>,
): Promise<Described[]> {
  const typed = home === undefined ? {} : { home: homePath(unquoted(home, cli.env['HOME'] ?? ''), cli.env) }
  const client = await connectToHost({ ...host(), ...typed })
  if (client === null) return []
  const signal = AbortSignal.any([cli.signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)])
  try {
    const { sessions } = await client.call('session.list', { all: ended }, { signal })
    const described = sessions.map(({ session, name, command, status }) => {
      const state = status === 'running' ? '' : `${status}: `
      return { session, name, description: state + oneLine(command) }
    })
    const named = described.flatMap(({ name, description }) =>
      name === null ? [] : [{ word: name, description }],
    )
    return [
      // Several ended sessions may have had one name: it means the last of them.
      ...new Map(named.map((it) => [it.word, it])).values(),
      ...described.map(({ session, name, description }) => ({
        word: session,
        description: name ?? description,
      })),
    ]
  } finally {
    client.close()
  }
}

/** A word as the shell would read it: the scripts pass it as it was typed. */
function unquoted(word: string, userHome: string): string {
  return word.replace(/^~(?=\/|$)/, userHome).replaceAll(/\\(.)|["']/g, '$1')
}

function oneLine(command: readonly string[]): string {
  return command
    .join(' ')
    .replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
    .slice(0, DESCRIPTION_CHARS_MAX)
}
