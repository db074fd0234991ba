import { describe, expect, test } from 'vitest'
import { commandTable } from '@transom/protocol'
import { propose } from './completion.ts'
import { LOCAL_COMMANDS } from './local-commands.ts'

const commands = [...commandTable(), ...LOCAL_COMMANDS.filter(({ hidden }) => !hidden)]

/** What is proposed for a line as it is typed up to the cursor: words, or the kind of what is looked up. */
function proposed(line: string): readonly string[] | string {
  const proposal = propose(line.split(' '), commands)
  return proposal.kind === 'words' ? proposal.words.map(({ word }) => word) : proposal.kind
}

test('every command and every option is proposed', () => {
  const firsts = proposed('')
  for (const { command, params } of commands) {
    const [first = '', ...rest] = command.split(' ')
    expect(firsts).toContain(first)
    if (rest.length > 0) expect(proposed(`${first} `)).toContain(rest.join(' '))
    for (const { flag } of params) if (flag !== null) expect(proposed(`${command} --`)).toContain(`--${flag}`)
  }
})

describe('what is proposed', () => {
  test.each([
    ['a value of a list', 'mouse work cl', ['click']],
    ['the value of an option', 'mouse work click --button ', ['left', 'middle', 'right']],
    ['the value of an option, joined to it', 'mouse work click --button=m', ['middle']],
    ['nothing for a number', 'create --cols ', []],
    ['nothing for an argument too many', 'snapshot work ', []],
    ['nothing for an unknown command', 'snapshoot ', []],
    ['a session', 'snapshot ', 'sessions'],
    ['a session after options and their values', '--json wait --timeout 5 ', 'sessions'],
    ['a session for a conversation', 'block ', 'sessions'],
    ['a folder', 'create --cwd ', 'folders'],
    ['the folder of a Home', '--home ', 'folders'],
    ['a file to write', 'screenshot work -o ', 'files'],
    ['a file to read', 'paste work --file ', 'files'],
    ['a program', 'create ', 'programs'],
    ['a program after the dashes', 'create --name n -- ', 'programs'],
    ['a file for the program, and no options', 'create vim --', 'files'],
    ['a command to explain', 'help des', ['destroy']],
  ])('%s', (_what, line, expected) => {
    expect(proposed(line)).toEqual(expected)
  })

  test('the sessions of the Home that the line names', () => {
    expect(propose(['--home', '~/other', 'type', 'wo'], commands)).toEqual({
      kind: 'sessions',
      begin: 'wo',
      home: '~/other',
      ended: false,
    })
    expect(propose(['snapshot', ''], commands)).toMatchObject({ kind: 'sessions', ended: true })
  })

  test('a joined value keeps the option before it', () => {
    expect(propose(['mouse', 'work', 'click', '--button=l'], commands)).toMatchObject({ before: '--button=' })
  })

  test('a first word is described by its command, or by those of its group', () => {
    expect(propose(['snapsh'], commands)).toMatchObject({
      words: [{ word: 'snapshot', description: 'Print what a session shows.' }],
    })
    const groups = propose(['hos'], commands)
    expect(groups).toMatchObject({ words: [{ word: 'host', description: 'status, stop, debug.' }] })
  })
})
