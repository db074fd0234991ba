import { describe, expect, test } from 'vitest'
import { commandTable } from '@transom/protocol'
import { readValue } from './argument-values.ts'
import { parseBatch } from './batch-script.ts'
import { commandHelp, programHelp, transomHelp } from './help.ts'
import { LOCAL_COMMANDS } from './local-commands.ts'
import { parseArgv } from './parse-argv.ts'

const commands = [...commandTable(), ...LOCAL_COMMANDS]
const parse = (argv: string[], env: Record<string, string> = {}) =>
  parseArgv(argv, commands, { env, cwd: '/here', readText: (file) => `content of ${file}`, public: true })

describe('a command line', () => {
  test('becomes the parameters of its operation', () => {
    const argv = [
      'create',
      '--name',
      'n',
      '--cols=100',
      '--rows',
      '30',
      '--env',
      'A=1',
      '--env',
      'B=x=y',
      '--',
      'vim',
      '--json',
    ]
    const { command, params, flags } = parse(argv, { PATH: '/bin' })
    expect(command?.operation).toBe('session.create')
    expect(flags.json).toBe(false)
    expect(params).toEqual({
      name: 'n',
      cols: 100,
      rows: 30,
      env: { A: '1', B: 'x=y' },
      command: ['vim', '--json'],
      cwd: '/here',
      base_env: { PATH: '/bin' },
    })
  })

  test('leaves the program its own options, with or without --', () => {
    expect(parse(['create', 'ls', '-l', '--json']).params).toMatchObject({ command: ['ls', '-l', '--json'] })
  })

  test('takes -o for --out, as other programs do', () => {
    expect(parse(['screenshot', 's', '-o', 'a.png']).params).toMatchObject({ session: 's', out: 'a.png' })
    expect(parse(['log', 'export', 's', '-o', 'a.txt']).params).toMatchObject({ session: 's', out: 'a.txt' })
    expect(() => parse(['list', '-o', 'x'])).toThrow('unknown option --out for "transom list"')
  })

  test('hints at -- where an option may belong to the command that is to be run', () => {
    expect(() => parse(['run', 's', 'ls', '-d', '/'])).toThrow('put "--" before the command')
    expect(parse(['run', 's', '--', 'ls', '-d', '/']).params).toMatchObject({ command: ['ls', '-d', '/'] })
  })

  test('refuses a session that does not exist in exec, and takes the last block for granted in wait', () => {
    expect(parse(['exec', 's', 'cat']).params).toMatchObject({ must_exist: true })
    expect(parse(['wait', 's', '--block-end']).params).toMatchObject({ block_end: 'last' })
    expect(parse(['wait', 's', '--block-end', '7', '--any']).params).toMatchObject({
      block_end: 7,
      any: true,
    })
  })

  test('takes global flags before and after the command', () => {
    expect(parse(['--home', '/h', 'list', '--all', '--json'])).toMatchObject({
      flags: { home: '/h', json: true },
      params: { all: true },
    })
  })

  test('takes a list as the last positional, negative-looking text after --, and ROW,COL', () => {
    expect(parse(['keys', 's', 'Down', 'Down', 'Enter']).params).toEqual({
      session: 's',
      keys: ['Down', 'Down', 'Enter'],
    })
    expect(parse(['type', 's', '--', '--help']).params).toEqual({ session: 's', text: '--help' })
    expect(parse(['wait', 's', '--cursor', '3,14', '--timeout', '5']).params).toEqual({
      session: 's',
      cursor: { row: 3, col: 14 },
      timeout_ms: 5,
    })
  })

  test('takes a text from a file or from standard input', () => {
    expect(parse(['paste', 's', '--file', 'f.txt']).params).toEqual({
      session: 's',
      text: 'content of f.txt',
    })
    expect(parse(['type', 's', '-']).params).toEqual({ session: 's', text: 'content of -' })
    expect(parse(['paste', '--file', 'f'], { TRANSOM_SESSION: 'mine' }).params).toEqual({
      session: 'mine',
      text: 'content of f',
    })
  })

  test('takes the session from TRANSOM_SESSION when it is left out', () => {
    const env = { TRANSOM_SESSION: 'mine' }
    expect(parse(['type', 'text'], env).params).toEqual({ session: 'mine', text: 'text' })
    expect(parse(['type', 'other', 'text'], env).params).toEqual({ session: 'other', text: 'text' })
    expect(parse(['keys', '--', 'Up', 'Up'], env).params).toEqual({ session: 'mine', keys: ['Up', 'Up'] })
    expect(parse(['snapshot'], env).params).toEqual({ session: 'mine' })
  })

  test.each([
    [['frobnicate'], 'unknown command "frobnicate"'],
    [['host'], 'host status, host stop'],
    [['list', '--al'], 'unknown option --al'],
    [['snapshot'], 'needs SESSION (or set TRANSOM_SESSION)'],
    [['type', 's', 'two', 'words'], 'does not take "words"'],
    [['create', '--cols', 'wide'], '--cols needs a whole number (got "wide")'],
    [['create', '--cols'], '--cols needs a value'],
    [['create', '--env', 'NOVALUE'], '--env needs NAME=VALUE (got "NOVALUE")'],
    [['wait', 's', '--cursor', '3'], '--cursor needs ROW,COL'],
    [['wait', 's', '--timeout', 'soon'], '--timeout needs a duration such as 500ms'],
    [['gc', '--older-than', '7'], '--older-than needs a duration with its unit'],
    [['list', '--all=yes'], '--all takes no value'],
    [['--frob'], 'unknown option --frob'],
    [['--home'], '--home needs a folder'],
  ])('%j is refused with a reason', (argv, reason) => {
    expect(() => parse(argv)).toThrowError(
      expect.objectContaining({ code: 'usage', message: expect.stringContaining(reason) }),
    )
  })
})

test.each([
  ['500ms', 500],
  ['1s', 1000],
  ['2m', 120_000],
  ['750', 750],
])('every option that takes a time takes %s', (text, ms) => {
  const timed = commands.flatMap(({ command, params }) =>
    params
      .filter(({ name, flag }) => flag !== null && name.endsWith('_ms'))
      .map((param) => ({ command, param })),
  )
  expect(timed.map(({ param }) => param.name)).toEqual(expect.arrayContaining(['timeout_ms', 'settle_ms']))
  for (const { command, param } of timed) {
    expect([command, param.name, param.type]).toEqual([
      command,
      param.name,
      expect.stringMatching(/^(duration|age)$/),
    ])
    if (param.type === 'duration') expect(readValue(param, `--${param.flag}`, text, undefined)).toBe(ms)
  }
})

describe('help', () => {
  test('shows examples first, and every option of every command', () => {
    for (const command of commands) {
      const help = commandHelp(command, transomHelp('agent-tty'))
      expect(help.indexOf('Examples:')).toBeLessThan(help.indexOf('Usage:'))
      expect(help).toContain(`agent-tty ${command.command}`)
      for (const { flag } of command.params) if (flag !== null) expect(help).toContain(`--${flag}`)
    }
  })

  test('lists exit statuses, environment variables and related commands', () => {
    const wait = commands.find(({ command }) => command === 'wait')
    const help = wait === undefined ? '' : commandHelp(wait, transomHelp('transom'))
    expect(help).toMatch(/Exit status:\n {2}0 +Done\.\n/)
    expect(help).toContain('  75   The condition did not come true in time.')
    expect(help).toMatch(/Environment:\n {2}TRANSOM_SESSION/)
    expect(help).toContain('See also: transom watch, transom snapshot')
  })

  test('tells the limits of numbers and times', () => {
    const helpOf = (name: string) => {
      const command = commands.find((it) => it.command === name)
      return command === undefined ? '' : commandHelp(command, transomHelp('transom'))
    }
    expect(helpOf('resize')).toMatch(/--cols C .* From 2 to 1000\.\n/)
    expect(helpOf('wait')).toMatch(/--timeout TIME .* From 0 to 1d\. Default: 30s\.\n/)
  })

  test('points only to commands that there are', () => {
    const names = commands.map(({ command }) => command)
    expect(commands.flatMap(({ seeAlso }) => seeAlso).filter((name) => !names.includes(name))).toEqual([])
  })

  test('of the program names every command', () => {
    const help = programHelp(commands, transomHelp('transom'))
    for (const { command } of commands.filter((it) => !it.command.startsWith('__')))
      expect(help).toContain(`  ${command} `)
  })

  test('shows examples that can be parsed', () => {
    for (const { command, examples } of commands) {
      for (const example of examples) {
        const words = example.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? []
        expect(parse(words.slice(1)).command?.command).toBe(command)
      }
    }
  })
})

describe('a secret', () => {
  test('is left to be read, whatever else names it', () => {
    for (const words of [['work'], ['work', '-'], ['-', 'work']])
      expect(parse(['type', ...words, '--secret', '--enter']).params).toEqual({
        session: 'work',
        secret: true,
        enter: true,
      })
    expect(parse(['type', '--secret'], { TRANSOM_SESSION: 'own' }).params).toMatchObject({ session: 'own' })
    expect(parse(['type', 'work', '--secret', '--file', 'key']).params).toMatchObject({
      text: 'content of key',
    })
  })

  test('is refused among the words, and not repeated', () => {
    const attempt = () => parse(['type', 'work', 'hunter2', '--secret'])
    expect(attempt).toThrow(/other users can see/)
    expect(attempt).not.toThrow(/hunter2/)
  })

  test('may stand in a script, which is a file', () => {
    const context = { env: {}, cwd: '/', readText: () => '', public: false }
    const steps = parseBatch('type hunter2 --secret --enter', 'file', commands, context)
    expect(steps).toEqual([
      {
        step: { step: 'type', text: 'hunter2', secret: true, enter: true },
        line: 1,
        source: 'type --secret …',
      },
    ])
    const json = parseBatch('[{"step":"type","text":"hunter2","secret":true}]', 'file', commands, context)
    expect(json[0]?.source).toBe('{"step":"type","text":"…","secret":true}')
    for (const wrong of ['type --secret hunter2 more', '{"text":"hunter2","secret":true}']) {
      const attempt = () => parseBatch(wrong, 'file', commands, context)
      expect(attempt).toThrow(/file:1/)
      expect(attempt).not.toThrow(/hunter2/)
    }
  })
})
