import { OpError } from '@transom/protocol/errors'
import { commandHelp, groupHelp, programHelp, transomHelp } from './help.ts'
import { localCommand, localParam, type LocalContext } from './local-command.ts'
import { meantWords } from './suggestions.ts'

export const helpCommand = localCommand({
  command: 'help',
  summary: 'Explain the program or one of its commands.',
  description: 'With --man a manual page for all commands is printed, in the form that man(1) reads.',
  examples: ['transom help', 'transom help host status', 'transom help --man >transom.1'],
  positionals: ['topic'],
  params: [
    localParam({
      name: 'topic',
      type: 'list',
      placeholder: 'COMMAND',
      description: 'The command.',
      completes: 'commands',
    }),
    localParam({ name: 'man', type: 'boolean', flag: 'man', description: 'Print the manual page.' }),
  ],
  run: help,
})

function help({ cli, params, commands, shippedText }: LocalContext): number {
  const topic = (params['topic'] as string[] | undefined)?.join(' ')
  if (params['man'] === true) cli.out(shippedText('transom.1'))
  else if (topic === undefined) cli.out(programHelp(commands, transomHelp(cli.program)))
  else {
    const command = commands.find((it) => it.command === topic)
    const group = commands.filter((it) => it.command.startsWith(`${topic} `))
    if (command === undefined && group.length > 0) {
      cli.out(groupHelp(group))
      return 0
    }
    if (command === undefined) {
      const near = meantWords(
        topic,
        commands.map((it) => it.command),
      )
      const hint =
        near.length === 0 ? '' : ` (did you mean ${near.map((it) => JSON.stringify(it)).join(' or ')}?)`
      const message = `no command ${JSON.stringify(topic)}${hint}; "${cli.program} --help" lists the commands`
      throw new OpError('usage', message, { topic })
    }
    cli.out(commandHelp(command, transomHelp(cli.program)))
  }
  return 0
}
