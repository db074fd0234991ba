import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { commandTable } from '@transom/protocol'
import { LOCAL_COMMANDS } from '../packages/transom/src/surfaces/cli/local-commands.ts'
import { needs } from './support/needs.ts'
import { CLI, TestHome } from './support/test-home.ts'

let home: TestHome
let env: Record<string, string | undefined>

beforeEach(() => {
  home = new TestHome()
  const bin = path.join(home.root, 'bin')
  fs.mkdirSync(bin)
  fs.symlinkSync(CLI, path.join(bin, 'transom'))
  env = { ...home.env, HOME: home.root, PATH: `${bin}:${process.env['PATH']}`, LANG: 'C.UTF-8' }
})

afterEach(async () => {
  await home.close()
})

const commands = [...commandTable(), ...LOCAL_COMMANDS.filter(({ hidden }) => !hidden)]
const firstWords = [...new Set(commands.map(({ command }) => command.split(' ')[0] ?? ''))]

/** A line as it is typed up to the cursor, and what must be proposed. `work` is an active session. */
const CASES: [line: string, candidates: readonly string[]][] = [
  ['transom ', firstWords],
  ['transom sn', ['snapshot']],
  ['transom host ', ['status', 'stop', 'debug']],
  ['transom host de', ['debug']],
  ['transom host debug ', ['on', 'off']],
  ['transom mouse work d', ['double_click', 'drag', 'down']],
  ['transom mouse work click --button ', ['left', 'middle', 'right']],
  ['transom signal --to ', ['foreground', 'leader']],
  ['transom type --ac', ['--actor']],
  ['transom snapshot wo', ['work']],
  ['transom --json wait --timeout 5 wo', ['work']],
  ['transom --home ~/home type wo', ['work']],
  ['transom watch work --on exit --on b', ['bell']],
  ['transom completion ', ['bash', 'zsh', 'fish']],
  ['transom help des', ['destroy']],
  ['transom list --al', ['--all']],
  ['transom create --cwd run/t', ['run/transom']],
]

/** Asks bash's own completion function for a line, as readline would. */
function bashCandidates(line: string): string[] {
  const script = `
    source <(transom completion bash)
    read -r -a COMP_WORDS <<<"$1"
    [[ $1 == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    _transom
    printf '%s\\n' "\${COMPREPLY[@]}"`
  return run('bash', ['--norc', '-c', script, 'bash', line])
}

function fishCandidates(line: string): string[] {
  const script = 'transom completion fish | source; complete -C $argv[1]'
  return run('fish', ['--no-config', '--private', '-c', script, line]).map((row) => row.split('\t')[0] ?? '')
}

function run(program: string, args: string[]): string[] {
  const { stdout, stderr } = spawnSync(program, args, { env, cwd: home.root, encoding: 'utf8' })
  if (stderr !== '') throw new Error(`${program}: ${stderr}`)
  return stdout.split('\n').filter(Boolean)
}

const sorted = (words: readonly string[]) => words.map((word) => word.replace(/\/$/, '')).toSorted()

test('bash proposes commands, options, values and sessions', { timeout: 60_000 }, async () => {
  await home.ok('create', '--name', 'work', '--', 'cat')
  for (const [line, candidates] of CASES)
    expect([line, sorted(bashCandidates(line))]).toEqual([line, sorted(candidates)])
  // As bash cuts --option=value into words.
  expect(bashCandidates('transom mouse work click --button = l')).toEqual(['left'])
})

needs('fish')('fish proposes commands, options, values and sessions', async () => {
  await home.ok('create', '--name', 'work', '--', 'cat')
  for (const [line, candidates] of CASES)
    expect([line, sorted(fishCandidates(line))]).toEqual([line, sorted(candidates)])
  expect(fishCandidates('transom mouse work click --button=l')).toEqual(['--button=left'])
})

describe('at the Tab key of a real shell', () => {
  let shell: string

  async function start(...command: string[]): Promise<void> {
    const settings = ['HOME', 'PATH', 'LANG'].flatMap((name) => ['--env', `${name}=${env[name]}`])
    const size = ['--cols', '100', '--cwd', home.root]
    shell = await home.ok('create', '--name', 'shell', ...size, ...settings, '--', ...command)
    await home.ok('wait', shell, '--text', '$')
  }

  async function enter(line: string): Promise<void> {
    await home.ok('type', shell, `${line}; echo "do""ne"`, '--enter')
    await home.ok('wait', shell, '--text', 'done', '--after-input')
  }

  /** The line after the Tab key, once the shell has written what `expected` says. */
  async function tab(typed: string, expected: string): Promise<string> {
    await home.ok('keys', shell, 'Ctrl+U', 'Ctrl+L')
    await home.ok('type', shell, typed)
    await home.ok('keys', shell, 'Tab')
    return home.ok('wait', shell, '--text', expected, '--timeout', '10000')
  }

  test('bash completes a command, an option and a session', async () => {
    await home.ok('create', '--name', 'work', '--', 'cat')
    await start('bash', '--norc', '--noprofile', '-i')
    await enter('source <(transom completion bash)')
    for (const [typed, expected] of [
      ['transom sna', '$ transom snapshot'],
      ['transom snapshot wo', '$ transom snapshot work'],
      ['transom create --co', '$ transom create --cols'],
      ['transom mouse work click --button=m', '--button=middle'],
    ] as const)
      expect(await tab(typed, expected)).toContain(expected)
  })

  needs('zsh')('zsh completes and describes commands, options, values and sessions', async () => {
    await home.ok('create', '--name', 'work', '--', 'cat')
    await start('zsh', '-f', '-i')
    await enter('PS1="$ "; autoload -U compinit; compinit -D -u; source <(transom completion zsh)')
    for (const [typed, expected] of [
      ['transom sna', '$ transom snapshot'],
      ['transom snapshot wo', '$ transom snapshot work'],
      ['transom --home ~/home type wo', 'type work'],
      ['transom create --co', '$ transom create --cols'],
      ['transom mouse work click --button=m', '--button=middle'],
      ['transom signal work --to ', 'foreground  leader'],
      ['transom host ', 'debug   status  stop'],
      ['transom s', '-- Print what a session shows.'],
      ['transom completion z', '$ transom completion zsh'],
      ['transom create --cwd ru', '--cwd run/'],
    ] as const)
      expect(await tab(typed, expected)).toContain(expected)
  })
})

test('sessions are asked for without starting a host', async () => {
  expect(await home.run(['__complete', 'bash', 'snapshot', ''])).toEqual({ code: 0, stdout: '', stderr: '' })
  expect(fs.existsSync(home.path)).toBe(false)
  const id = await home.ok('create', '--name', 'work', '--', 'sh', '-c', 'cat # tab\there')
  expect(await home.ok('__complete', 'bash', 'snapshot', '')).toBe(`work\n${id}`)
  expect(await home.ok('__complete', 'fish', 'snapshot', '')).toBe(`work\tsh -c cat # tab here\n${id}\twork`)
  await home.ok('destroy', 'work')
  expect(await home.ok('__complete', 'bash', 'type', '')).toBe('')
  expect(await home.ok('__complete', 'fish', 'replay', '')).toBe(
    `work\tdestroyed: sh -c cat # tab here\n${id}\twork`,
  )
  expect((await home.run(['completion', 'csh'])).code).toBe(64)
})
