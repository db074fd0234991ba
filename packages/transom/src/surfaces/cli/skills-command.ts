import { OpError } from '@transom/protocol/errors'
import { localCommand, localParam, type LocalContext } from './local-command.ts'

/** The texts in `skills/` of the package: they ship with the programs they speak of. */
const SKILLS = [
  { skill: 'shell', summary: 'How to drive a shell that stays.' },
  { skill: 'tui', summary: 'How to drive full-screen programs: vim, less, htop.' },
  { skill: 'repl', summary: 'How to drive REPLs and debuggers: python, psql, gdb.' },
  { skill: 'web', summary: 'How to read and operate web pages.' },
  {
    skill: 'setup',
    summary: 'How to set Transom up in Claude Code, Codex, Gemini CLI, VS Code and Cursor.',
  },
] as const

export const skillsListCommand = localCommand({
  command: 'skills list',
  summary: 'List what this version can teach an agent about itself.',
  seeAlso: ['skills get', 'mcp'],
  examples: ['transom skills list'],
  run: ({ answer }) => {
    answer(
      { skills: SKILLS },
      SKILLS.map(({ skill, summary }) => `${skill.padEnd(6)}  ${summary}`).join('\n'),
    )
    return 0
  },
})

export const skillsGetCommand = localCommand({
  command: 'skills get',
  summary: 'Print one of them, as Markdown.',
  seeAlso: ['skills list', 'mcp'],
  examples: ['transom skills get shell', 'transom skills get setup'],
  positionals: ['skill'],
  params: [
    localParam({
      name: 'skill',
      type: 'string',
      placeholder: 'SKILL',
      description: 'shell, tui, repl, web or setup.',
      required: true,
      values: SKILLS.map(({ skill }) => skill),
    }),
  ],
  run: getSkill,
})

function getSkill({ params, answer, shippedText }: LocalContext): number {
  const found = SKILLS.find(({ skill }) => skill === params['skill'])
  if (found === undefined) {
    const names = SKILLS.map(({ skill }) => skill).join(', ')
    const message = `no skill ${JSON.stringify(params['skill'])}; there are: ${names}`
    throw new OpError('usage', message, { skill: params['skill'] })
  }
  const text = shippedText(`../skills/${found.skill}.md`)
  answer({ ...found, text }, text)
  return 0
}
