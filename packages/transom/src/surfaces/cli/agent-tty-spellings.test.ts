import { expect, test } from 'vitest'
import { commandTable } from '@transom/protocol'
import { fromAgentTty } from './agent-tty-spellings.ts'
import { LOCAL_COMMANDS } from './local-commands.ts'
import { parseArgv } from './parse-argv.ts'

const commands = [...commandTable(), ...LOCAL_COMMANDS]
const context = { env: {}, cwd: '/here', readText: () => '', public: true }

/** Command lines of the README and docs/USAGE.md of coder/agent-tty, and the command and parameters that they are here. */
test.each([
  ['doctor --json', 'doctor', {}],
  ['--home /tmp/h create --json -- /bin/bash', 'create', { command: ['/bin/bash'] }],
  ['list --json', 'list', {}],
  ['inspect S --json', 'inspect', { session: 'S' }],
  ['run S ls --timeout 60000 --json', 'run', { session: 'S', command: ['ls'], timeout_ms: 60_000 }],
  ['run S vim --no-wait --json', 'run', { no_wait: true }],
  ['type S text --json', 'type', { text: 'text' }],
  ['paste S text --json', 'paste', { text: 'text' }],
  ['send-keys S Enter Ctrl+C --json', 'keys', { session: 'S', keys: ['Enter', 'Ctrl+C'] }],
  ['--home /tmp/h send-keys S Down Down Enter', 'keys', { keys: ['Down', 'Down', 'Enter'] }],
  ['resize S --cols 100 --rows 30 --json', 'resize', { cols: 100, rows: 30 }],
  ['signal S SIGTERM --json', 'signal', { signal: 'SIGTERM' }],
  ['wait S --text ready --json', 'wait', { text: ['ready'] }],
  ['wait S --regex READY|DONE --json', 'wait', { regex: ['READY|DONE'] }],
  ['wait S --screen-stable-ms 1000 --json', 'wait', { screen_stable_ms: 1000 }],
  ['wait S --idle-ms 500 --json', 'wait', { idle_ms: 500 }],
  ['wait S --exit --json', 'wait', { exit: true }],
  ['snapshot S --format text --json', 'snapshot', { session: 'S' }],
  ['snapshot S --format=text', 'snapshot', { session: 'S' }],
  ['snapshot S --format structured', 'snapshot', { cells: true }],
  ['screenshot S --json', 'screenshot', { session: 'S' }],
  ['screenshot S --profile reference-dark --json', 'screenshot', { theme: 'dark' }],
  ['screenshot S --show-cursor --json', 'screenshot', { session: 'S' }],
  ['record export S --format webm --json', 'export', { format: 'webm', save: true }],
  [
    'record export S --format asciicast --out ./s.cast',
    'export',
    { format: 'asciicast-v2', out: './s.cast' },
  ],
  ['record export S --format webm --timing accelerated --out s.webm', 'export', { idle_limit_ms: 400 }],
  ['record export S --format webm --timing max-speed --out s.webm', 'export', { speed: 'max' }],
  ['destroy S --json', 'destroy', { session: 'S' }],
  ['gc --json', 'gc', {}],
  ['skills list', 'skills list', {}],
  ['skills get agent-tty', 'skills get', { skill: 'transom' }],
  ['version --json', 'version', {}],
])('agent-tty %s', (line, command, params) => {
  const parsed = parseArgv(fromAgentTty(line.split(' ')), commands, context)
  expect([parsed.command?.command, parsed.params]).toEqual([command, expect.objectContaining(params)])
})

test('what follows "--" is not translated, and an option without a counterpart is refused', () => {
  const line = ['run', 'S', '--', 'send-keys', '--format', 'text']
  expect(fromAgentTty(line)).toEqual(line)
  expect(() => parseArgv(fromAgentTty(['snapshot', 'S', '--format', 'svg']), commands, context)).toThrow(
    'unknown option --format',
  )
})
