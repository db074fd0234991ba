import { OpError } from '@transom/protocol/errors'
import { localCommand, localParam, type LocalContext } from './local-command.ts'

/** The texts in `skills/` of the package: they ship with the programs they speak of. */
const SKILLS = [
  {
    skill: 'transom',
    summary: 'Everything for an agent with a shell: commands, interactive programs, web pages, proof.',
  },
  { skill: 'mcp', summary: 'The same for an agent that calls the MCP tools.' },
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
      SKILLS.map(({ skill, summary }) => `${skill.padEnd(7)}  ${summary}`).join('\n'),
    )
    return 0
  },
})

export const skillsGetCommand = localCommand({
  command: 'skills get',
  summary: 'Print a skill: what an agent should know before it uses this program.',
  seeAlso: ['skills list', 'mcp'],
  examples: ['transom skills get transom', 'transom skills get setup'],
  positionals: ['skill'],
  params: [
    localParam({
      name: 'skill',
      type: 'string',
      placeholder: 'SKILL',
      description: 'transom, mcp or setup.',
      default: 'transom',
      values: SKILLS.map(({ skill }) => skill),
    }),
  ],
  run: getSkill,
})

function getSkill({ params, answer, shippedText }: LocalContext): number {
  const asked = params['skill'] ?? 'transom'
  const found = SKILLS.find(({ skill }) => skill === asked)
  if (found === undefined) {
    const names = SKILLS.map(({ skill }) => skill).join(', ')
    const message = `no skill ${JSON.stringify(asked)}; there are: ${names}`
    throw new OpError('usage', message, { skill: asked })
  }
  const text = shippedText(`../skills/${found.skill}.md`)
  answer({ ...found, text }, text)
  return 0
}
