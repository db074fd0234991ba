/** Every command is one block, with its exact output, status and folder, in every integrated shell. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { beforeAll, expect } from 'vitest'
import type { ShellUnderTest } from './support/shell-under-test.ts'
import { SHELLS, inShells, useShells } from './support/shells.ts'

const shells = useShells()

interface Case {
  readonly title: string
  readonly command: string
  /** Only for shells that can do this. */
  readonly notIn?: readonly string[]
}

/** Compared byte for byte with what the same shell prints for `-c` on a terminal. */
const SAME_AS_DIRECT: readonly Case[] = [
  { title: 'a simple command', command: 'echo hello' },
  { title: 'no output', command: ':' },
  { title: 'a failure', command: 'false' },
  { title: 'a status', command: '(exit 42)', notIn: ['fish'] },
  { title: 'several lines', command: 'echo one\necho two\necho three' },
  { title: 'a compound command', command: 'echo a; echo b && echo c || echo d | cat' },
  { title: 'a loop over lines', command: 'for i in 1 2 3\ndo\n  echo "n $i"\ndone', notIn: ['fish'] },
  { title: 'a heredoc', command: 'cat <<EOF\nline one\n  $((1+1))\nEOF', notIn: ['fish'] },
  { title: 'a heredoc and more', command: "cat <<'EOF'; echo after\n$x `y`\nEOF\necho end", notIn: ['fish'] },
  { title: 'an exclamation mark', command: 'echo "hello!" \'!!\' ! $!', notIn: ['fish'] },
  { title: 'a negation', command: '! true', notIn: [] },
  { title: 'quotes of every kind', command: `echo "a'b" 'c"d' $'e\\tf' \\g`, notIn: ['fish', 'dash'] },
  { title: 'a comment at the end', command: 'echo hi # a comment' },
  { title: 'blank lines around it', command: '\n\necho hi\n\n' },
  { title: 'a subshell and a pipeline', command: '(echo a; echo b) | sort -r | tr a-z A-Z', notIn: ['fish'] },
  { title: 'error output', command: 'ls /nowhere-at-all; echo "rc $?"', notIn: ['fish'] },
  { title: 'no line break at the end', command: 'printf "no newline"' },
  { title: 'colours', command: String.raw`printf '\033[31mred\033[0m\n'` },
  { title: 'every byte', command: 'cat bytes' },
  { title: 'random bytes', command: 'head -c 70000 seed' },
  { title: 'wide characters', command: "echo 'größe 漢字 😀 e\u0301'" },
  { title: 'a large output', command: 'yes 0123456789012345678901234567890 | head -n 20000' },
]

inShells(...SHELLS)('$name', ({ name, test }) => {
  const program = name.replace(/-lean$/, '')
  let shell: ShellUnderTest

  beforeAll(async () => {
    shell = await shells.start(name)
    fs.writeFileSync(
      path.join(shell.folder, 'bytes'),
      Uint8Array.from({ length: 256 }, (_, byte) => byte),
    )
    const seed = Buffer.alloc(70_000)
    for (let index = 0; index < seed.length; index++) seed[index] = (index * 2_654_435_761) >>> 13
    fs.writeFileSync(path.join(shell.folder, 'seed'), seed)
  })

  const same = SAME_AS_DIRECT.filter(({ notIn = [] }) => !notIn.includes(program))
  test.each(same)('$title is one block like the shell prints it', async ({ command }) => {
    const before = (await shell.blocks()).length
    const ran = await shell.run(command)
    const direct = await shells.runDirectly([program, '-c', command], shell.folder)
    expect({ output: ran.output, code: ran.code }).toEqual(direct)
    expect(ran.block).toMatchObject({ command, state: 'ended', ended_by: 'shell', cwd: shell.folder })
    expect((await shell.blocks()).length).toBe(before + 1)
  })

  test('what a block sets is there for the next one', async () => {
    if (program === 'fish') {
      await shell.run('set -g kept one; function hello; echo hi $argv; end')
      expect((await shell.run('hello $kept')).output).toBe('hi one\r\n')
      return
    }
    const declare = program === 'dash' ? '' : 'declare -i number=6*7; '
    await shell.run(`kept='a  b'; ${declare}hello() { echo "hi $1"; }; alias shout='echo SHOUT'`)
    expect((await shell.run('echo "$kept"; hello you')).output).toBe('a  b\r\nhi you\r\n')
    expect((await shell.run('shout it')).output).toBe('SHOUT it\r\n')
    if (declare !== '') expect((await shell.run('echo $number')).output).toBe('42\r\n')
  })

  test('the status of a block is there for the next one', async () => {
    const status = program === 'fish' ? '$status' : '$?'
    await shell.run(program === 'fish' ? "sh -c 'exit 7'" : '(exit 7)')
    expect((await shell.run(`echo ${status}`)).output).toBe('7\r\n')
    expect((await shell.run(`echo ${status}`)).output).toBe('0\r\n')
  })

  test('a syntax error is one block that fails', async () => {
    for (const command of [
      'echo )',
      "echo 'unbalanced",
      program === 'fish' ? 'if true; echo' : 'if true; then',
    ]) {
      const before = (await shell.blocks()).length
      const ran = await shell.run(command)
      expect(ran.code, command).not.toBe(0)
      expect(ran.output.length, command).toBeGreaterThan(0)
      expect((await shell.blocks()).length).toBe(before + 1)
    }
    expect((await shell.run('echo fine')).output).toBe('fine\r\n')
  })

  test('a command that does not exist says so', async () => {
    const ran = await shell.run('no-such-command-here')
    expect([ran.code, ran.output]).toEqual([127, expect.stringContaining('no-such-command-here')])
  })

  const ODD_NAMES = [
    'a b',
    "it's",
    'semi;colon',
    '$(x)`y`',
    'größe 漢字',
    'a\\b',
    '*?[',
    ' lead',
    '-dash',
    '"q"',
  ]
  // A POSIX shell cannot print a name with control characters so that it fits into a mark.
  const ODDER_NAMES =
    program === 'dash' ? [] : ['new\nline', 'tab\tstop', 'bell\x07', 'esc\x1b]7717;1', '\\', "'"]
  test('folders with odd names are told exactly', async () => {
    for (const name of [...ODD_NAMES, ...ODDER_NAMES]) {
      const folder = path.join(shell.folder, name)
      fs.mkdirSync(folder)
      const params = { session: shell.session, command: ['pwd'], cwd: folder, queue: true }
      const { block } = await shells.client.call('session.run', params)
      expect({ after: block.cwd_after, code: block.exit_code }, name).toEqual({ after: folder, code: 0 })
    }
    const back = await shells.client.call('session.run', {
      session: shell.session,
      command: [':'],
      cwd: shell.folder,
    })
    expect(back.block.cwd_after).toBe(shell.folder)
  })

  test('the screen shows the command, and nothing of how it is run, behind an unended line, too', async () => {
    await shell.run(`printf 'no line break'`)
    await shell.run('echo next')
    const { lines } = await shells.client.call('session.snapshot', { session: shell.session })
    const text = lines.map((line) => line.text).join('\n')
    expect(text).toMatch(/ echo next\nnext\n/)
    expect(text).not.toContain('__transom')
  })

  test('a wait for a text is not satisfied by the command that is to print it', async () => {
    const { session } = shell
    const before = await shells.client.call('pty.status', { conversation_id: session })
    const running = shell.run(`sh -c 'echo ready; read -r line; echo a word'`)
    await shell.prints('ready\r\n', before.cursor)
    const wait = { session, text: 'a word', after_seq: before.log_seq }
    await expect(shells.client.call('session.wait', { ...wait, timeout_ms: 0 })).rejects.toMatchObject({
      code: 'wait_timeout',
    })
    const waitFor = { conversation_id: session, match: 'a word', from_cursor: before.cursor }
    expect(await shells.client.call('pty.wait_for', { ...waitFor, timeout_ms: 0 })).toMatchObject({
      matched: false,
    })
    await shell.type('\n')
    expect((await shells.client.call('session.wait', wait)).match).toMatchObject({ line: 'a word' })
    expect(await shells.client.call('pty.wait_for', waitFor)).toMatchObject({ matched: true })
    await running
  })

  test('^C ends a block with its status', async () => {
    const { cursor } = await shells.client.call('pty.status', { conversation_id: shell.session })
    // One program: between `echo started` and `sleep 1000` a shell would lose the interrupt by itself.
    const running = shell.run(`sh -c 'echo started; exec sleep 1000'; echo not this`)
    await shell.prints('started\r\n', cursor)
    await shells.client.call('pty.ctrl_c', { conversation_id: shell.session })
    const ran = await running
    expect(ran.code).toBe(130)
    expect(ran.output).toMatch(/^started\r\n/)
    expect(ran.output).not.toContain('not this')
    expect((await shell.run('echo next')).output).toBe('next\r\n')
  })
})
