import { OpError } from '@transom/protocol/errors'
import { commandHelp, programHelp } from './help.ts'
import { localCommand, localParam, type LocalContext } from './local-command.ts'

export const helpCommand = localCommand({
  command: 'help',
  summary: 'Explain the program or one of its commands.',
  description: 'With --man a manual page for all commands is printed, in the form that man(1) reads.',
  examples: ['transom help', 'transom help host status', 'transom help --man >transom.1'],
  positionals: ['topic'],
  params: [
    localParam({ name: 'topic', type: 'list', placeholder: 'COMMAND', description: 'The command.' }),
    localParam({ name: 'man', type: 'boolean', flag: 'man', description: 'Print the manual page.' }),
  ],
  run: help,
})

function help({ cli, params, commands, shippedText }: LocalContext): number {
  const topic = (params['topic'] as string[] | undefined)?.join(' ')
  if (params['man'] === true) cli.out(shippedText('transom.1'))
  else if (topic === undefined) cli.out(programHelp(commands, cli.program))
  else {
    const command = commands.find((it) => it.command === topic)
    if (command === undefined) {
      const names = commands.map((it) => it.command).join(', ')
      throw new OpError('usage', `no command ${JSON.stringify(topic)}; there are: ${names}`, { topic })
    }
    cli.out(commandHelp(command, cli.program))
  }
  return 0
}
