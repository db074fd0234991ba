import { expect, test } from 'vitest'
import { commandTable } from '@transom/protocol'
import { LOCAL_COMMANDS } from './local-commands.ts'
import { parseArgv } from './parse-argv.ts'
import { meantWords, nearestWords } from './suggestions.ts'

const commands = [...commandTable(), ...LOCAL_COMMANDS]

function refusal(...argv: string[]): string {
  try {
    parseArgv(
      argv,
      commands,
      { env: {}, cwd: '/here', readText: () => '', public: true },
      { meant: meantWords },
    )
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

test.each([
  [['ls'], '(did you mean "transom list"?)'],
  [['kill', 'work'], '(did you mean "transom destroy" or "transom signal"?)'],
  [['send-keys', 'work', 'Up'], '(did you mean "transom keys"?)'],
  [['snapshto', 'work'], '(did you mean "transom snapshot"?)'],
  [['Snapshot', 'work'], '(did you mean "transom snapshot"?)'],
  [['wait', 'work', '--tiemout', '5s'], '(did you mean --timeout?)'],
  [['wait', 'work', '--screen-stable', '5s'], '(did you mean --screen-stable-ms?)'],
  [['snapshot', 'work', '--jsno'], '(did you mean --json?)'],
  [['--hepl'], '(did you mean --help?)'],
])('%j is refused with what was probably meant', (argv, hint) => {
  expect(refusal(...argv)).toContain(hint)
})

test('nothing is proposed for a word that is far from all', () => {
  expect(refusal('frobnicate')).toBe('unknown command "frobnicate"; "transom --help" lists the commands')
  expect(refusal('list', '--colour')).toBe(
    'unknown option --colour for "transom list"; add --help to see its options',
  )
})

test('an exchange of neighbours is one mistake, and a short word is proposed for one mistake only', () => {
  expect(nearestWords('wrok', ['work', 'walk'])).toEqual(['work'])
  expect(nearestWords('a', ['b', 'bc'])).toEqual(['b'])
  expect(nearestWords('wrok', ['other'])).toEqual([])
})

test('every command that is proposed for the word of another program exists', () => {
  const names = commands.map(({ command }) => command)
  const words = ['ls', 'new', 'kill', 'send-keys', 'send', 'info', 'cmd', 'record', 'play', 'logs', 'click']
  for (const word of [
    ...words,
    'goto',
    'expect',
    'picture',
    'bookmark',
    'prune',
    'shutdown',
    'check',
    'guide',
  ])
    expect([word, meantWords(word, names)]).not.toEqual([word, []])
})
