/** A shell inside a session's program is told from an integrated one, and can be made one while it runs. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { needs, needsThat } from './support/needs.ts'
import type { ShellUnderTest } from './support/shell-under-test.ts'
import { inShells, needsShells, useShells } from './support/shells.ts'
import { CLI } from './support/test-home.ts'

const shells = useShells()

type Nested = 'bash' | 'zsh' | 'fish'

/** What is printed is not what is typed: a wait for it must not find the echo. */
const PROMPT = 'nested> '
/** Another one: inside a nested bash its own prompt must not be taken for that of a fish that starts. */
const FISH_PROMPT = 'fishy> '
const START: Readonly<Record<Nested | 'sh', string>> = {
  bash: `PS1="nest""ed> " bash --norc`,
  zsh: `PS1="nest""ed> " zsh -f`,
  fish: `fish --no-config -C "function fish_prompt; echo -n fish''y\\> ' '; end"`,
  sh: `PS1="nest""ed> " sh -i`,
}

/** Has somebody start a shell at the prompt of another, and waits until it is there. */
async function enter(shell: ShellUnderTest, command: string): Promise<void> {
  await shell.run(':')
  const from = await shell.cursor()
  await shell.type(`${command}\r`)
  await shell.prints(promptOf(command), from)
}

function promptOf(command: string): string {
  return command.startsWith('fish') ? FISH_PROMPT : PROMPT
}

async function integrate(shell: ShellUnderTest, name: Nested): Promise<void> {
  const params = { session: shell.session, shell: name, type: true, timeout_ms: 60_000 }
  expect(await shells.client.call('session.shell_init', params)).toMatchObject({
    integrated: true,
    shell: name,
  })
}

async function refusal(shell: ShellUnderTest): Promise<unknown> {
  const running = shells.client.call('session.run', { session: shell.session, command: ['echo x'] })
  return running.then(
    () => 'it ran',
    (error: unknown) => error,
  )
}

inShells(
  'bash',
  'zsh',
  'fish',
  'dash',
)('in $name', ({ name, test }) => {
  for (const nested of ['bash', 'zsh', 'fish', 'sh'] as const) {
    const testBoth = needsShells(name, ...(nested === 'sh' ? [] : [nested])) // every system has a sh
    testBoth(`a ${nested} that is not integrated is named`, async () => {
      const shell = await shells.start(name)
      await shell.run(':')
      const from = await shell.cursor()
      // A POSIX shell tells of nothing that is typed: there it is a block that was asked for.
      const running = name === 'dash' ? shell.run(START[nested]) : shell.type(`${START[nested]}\r`)
      await shell.prints(promptOf(START[nested]), from)
      expect(await refusal(shell)).toMatchObject({
        code: 'shell_not_integrated',
        details: {
          program: nested,
          next: ['session.type', 'pty.send', 'session.wait', 'pty.wait_for', 'session.shell_init'].map(
            (call) => ({ call }),
          ),
        },
      })
      await shell.type('exit\r')
      await running
      expect((await shell.run('echo back')).output).toBe('back\r\n')
    })
  }

  test('a subshell, a script and another program are no nested shells', async () => {
    const shell = await shells.start(name)
    fs.writeFileSync(path.join(shell.folder, 'script.sh'), 'echo up; read -r x\n')
    const programs = ['bash script.sh', `sh -c 'echo up; read -r x'`, 'sh -c "echo up; read -r x; :"']
    for (const command of name === 'fish' ? programs : [...programs, '(echo up; read -r x)']) {
      const from = await shell.cursor()
      const running = shell.run(command)
      await shell.prints('up\r\n', from)
      expect(await refusal(shell), command).toMatchObject({ code: 'shell_busy' })
      await shell.type('\r')
      await running
    }
  })
})

const HARD_COMMANDS: readonly string[] = [
  'echo hello',
  ':',
  'echo one\necho two',
  `echo '~.' '\\n' '%s' "a'b"`,
  "printf '%s|' 'größe 漢字 😀' 'tab\there' \nfalse",
  `echo '\u001b[31mred\u0003 \u0004'`,
  'sh -c "exit 42"',
  "head -c 100000 /dev/zero | tr '\\0' x",
  `echo ${'long '.repeat(4000)}`,
]

inShells(
  'bash',
  'zsh',
  'fish',
)('a nested $name', ({ name, test }) => {
  test('has blocks like one that was started by us', async () => {
    const outer = await shells.start('bash')
    const alone = await shells.start(name)
    await enter(outer, START[name])
    await integrate(outer, name)
    for (const command of HARD_COMMANDS) {
      const before = (await outer.blocks()).length
      const [ran, expected] = [await outer.run(command), await alone.run(command)]
      expect({ output: ran.output, code: ran.code }, command).toEqual({
        output: expected.output,
        code: expected.code,
      })
      expect(ran.block).toMatchObject({ command, state: 'ended', ended_by: 'shell' })
      expect((await outer.blocks()).length).toBe(before + 1)
    }
    await outer.run(`cd ${alone.folder}`)
    expect((await outer.run('pwd')).block).toMatchObject({ cwd: alone.folder, cwd_after: alone.folder })
    const interrupted = outer.run(`sh -c 'echo star""ted; exec sleep 1000'`)
    await outer.prints('started\r\n', (await outer.cursor()) - 9)
    await shells.client.call('pty.ctrl_c', { conversation_id: outer.session })
    expect((await interrupted).code).toBe(130)
    expect((await outer.run('echo next')).output).toBe('next\r\n')
  })

  test('gives the outer shell back, whose block it was', async () => {
    const outer = await shells.start('bash')
    await enter(outer, START[name])
    await integrate(outer, name)
    await outer.run('echo inside')
    expect(await outer.run('exit 3')).toMatchObject({
      code: null,
      block: { ended_by: 'exit', state: 'ended' },
    })
    expect((await outer.run('echo $?')).output).toBe('3\r\n')
    const blocks = (await outer.blocks()).map(({ command, exit_code }) => [command, exit_code])
    expect(blocks.slice(1)).toEqual([
      [START[name], 3],
      ['echo inside', 0],
      ['exit 3', null],
      ['echo $?', 0],
    ])
    const whole = (await outer.blocks())[1]
    if (whole !== undefined) expect(await outer.read(whole)).toContain('inside\r\n')
  })

  test('shows its nonce to no program and no log', async () => {
    const outer = await shells.start('bash')
    await enter(outer, START[name])
    await integrate(outer, name)
    const secret =
      name === 'fish' ? '$__transom_nonce_1$__transom_nonce_2' : '"$__transom_nonce_1$__transom_nonce_2"'
    await outer.run(`printf %s ${secret} >nonce`)
    const nonce = fs.readFileSync(path.join(outer.folder, 'nonce'), 'utf8')
    expect(nonce).toMatch(/^\d{39}$/)
    expect((await outer.run('env')).output).not.toContain('__transom')
    const log = fs.readFileSync(shells.home.logPath(outer.session))
    expect([log.includes(nonce.slice(0, 20)), log.includes(Buffer.from(nonce).toString('base64'))]).toEqual([
      false,
      false,
    ])
    expect(log.includes(Buffer.from(nonce.slice(0, 18)).toString('base64'))).toBe(false)
  })

  test('is integrated by what the command prints', async () => {
    const outer = await shells.start('bash', { env: { TRANSOM_HOME: shells.home.path } })
    await enter(outer, START[name])
    const print = `${process.execPath} ${CLI} shell-init ${name}`
    const from = await outer.cursor()
    await outer.type(`eval ${name === 'fish' ? `(${print})` : `"$(${print})"`}\r`)
    await shells.client.call('pty.wait_for', {
      conversation_id: outer.session,
      match: 'PROMPT',
      from_cursor: from,
    })
    expect(await outer.run('echo inside')).toMatchObject({ output: 'inside\r\n', code: 0 })
  })

  test('keeps its options, and says when it is integrated already', async () => {
    const outer = await shells.start('bash')
    await enter(outer, START[name])
    if (name !== 'fish') await outer.type('set -u; set -x\r')
    await integrate(outer, name)
    if (name !== 'fish') {
      const traced = await outer.run('echo "$undefined_variable"')
      expect([traced.code === 0, traced.output]).toEqual([
        false,
        expect.stringContaining('undefined_variable'),
      ])
      expect((await outer.run('echo on')).output).toMatch(/^\+.*echo on\r\non\r\n$/)
    }
    const again = shells.client.call('session.shell_init', {
      session: outer.session,
      shell: name,
      type: true,
    })
    await expect(again).rejects.toMatchObject({ code: 'usage' })
    const { snippet } = await shells.client.call('session.shell_init', {
      session: outer.session,
      shell: name,
    })
    expect((await outer.run(snippet)).output).toContain('integrated already')
    expect((await outer.run('sh -c "exit 4"')).code).toBe(4)
  })
})

needsShells(
  'zsh',
  'bash',
  'fish',
)('shells nest as deep as they are started, and each is left for the one around it', async () => {
  const outer = await shells.start('zsh')
  await enter(outer, START.bash)
  await integrate(outer, 'bash')
  await enter(outer, START.fish)
  expect(await refusal(outer)).toMatchObject({ code: 'shell_not_integrated', details: { program: 'fish' } })
  await integrate(outer, 'fish')
  expect((await outer.run('echo $FISH_VERSION')).output).toMatch(/^\d/)
  await outer.run('exit')
  expect((await outer.run('echo "[$BASH_VERSION]"')).output).toMatch(/^\[\d/)
  await outer.run('exit')
  expect((await outer.run('echo $ZSH_VERSION')).output).toMatch(/^\d/)
})

test('a nested shell that is stopped and comes back has its blocks again', async () => {
  const outer = await shells.start('bash')
  await enter(outer, START.bash)
  await integrate(outer, 'bash')
  await outer.run('kept=yes')
  expect(await outer.run('suspend')).toMatchObject({ block: { ended_by: 'exit' } })
  expect((await outer.run('echo "outer ${kept-no}"')).output).toBe('outer no\r\n')
  const { cursor } = await shells.client.call('pty.exec_block', {
    conversation_id: outer.session,
    command: 'fg',
    queue: true,
  })
  await outer.prints('PROMPT', cursor)
  expect((await outer.run('echo "inner $kept"')).output).toBe('inner yes\r\n')
  const log = fs.readFileSync(shells.home.logPath(outer.session))
  expect(log.includes('\x1b]7717;')).toBe(false)
})

/** Programs between that have a terminal of their own, or are another user's. */
const BETWEEN: readonly [title: string, program: string, testThere: typeof test][] = [
  ['script', `script -qc 'PS1="nest""ed> " bash --norc' /dev/null`, needs('script')],
  [
    'unshare',
    `unshare -m sh -c 'PS1="nest""ed> " exec bash --norc'`,
    needsThat(process.getuid?.() === 0, 'root'),
  ],
  [
    'su',
    `su -s /bin/bash nobody --session-command 'PS1="nest""ed> " exec bash --norc'`,
    needsThat(process.getuid?.() === 0, 'root'),
  ],
]
for (const [title, program, testThere] of BETWEEN) {
  testThere(`a bash behind ${title} is named, integrated and left`, async () => {
    const outer = await shells.start('bash')
    await enter(outer, program)
    expect(await refusal(outer)).toMatchObject({ code: 'shell_not_integrated' })
    await integrate(outer, 'bash')
    expect(await outer.run('echo "in $$"; (exit 7)')).toMatchObject({
      output: expect.stringMatching(/^in \d+\r\n$/),
      code: 7,
    })
    await outer.run('exit')
    expect((await outer.run('echo back')).output).toBe('back\r\n')
  })
}

test('a session whose program is no integrated shell can get one', async () => {
  const { session } = await shells.client.call('session.create', {
    command: ['bash', '--norc'],
    no_integration: true,
    env: { PS1: PROMPT },
  })
  const run = async (command: string) =>
    shells.client.call('session.run', { session, command: [command], queue: true })
  await expect(run('ls')).rejects.toMatchObject({ code: 'shell_not_integrated' })
  await shells.client.call('session.wait', { session, text: PROMPT })
  await shells.client.call('session.shell_init', { session, shell: 'bash', type: true, timeout_ms: 60_000 })
  expect(await run('echo inside; (exit 5)')).toMatchObject({
    data: 'inside\n',
    block: { seq: 1, exit_code: 5 },
  })
})

test('an interactive session lasts while the shell in it has blocks', async () => {
  const conversation_id = shells.newConversation()
  const command = START.bash
  const { session_id, session, cursor } = await shells.client.call('pty.exec_interactive', {
    conversation_id,
    command,
  })
  await shells.client.call('pty.wait_for', { conversation_id, match: PROMPT, from_cursor: cursor })
  const refused = shells.client.call('pty.exec_block', { conversation_id, command: 'ls' })
  await expect(refused).rejects.toMatchObject({
    code: 'shell_interactive',
    message: /bash is in front.*shell-init/,
  })
  await shells.client.call('session.shell_init', { session, shell: 'bash', type: true, timeout_ms: 60_000 })
  const ran = await shells.client.call('session.run', { session, command: ['echo inside'], queue: true })
  expect(ran.data).toBe('inside\n')
  expect(await shells.client.call('pty.status', { conversation_id })).toMatchObject({
    mode: 'idle',
    active_session_id: session_id,
  })
  const ended = await shells.client.call('pty.end_session', { conversation_id, session_id })
  expect(ended).toMatchObject({ ended_with: 'exit_command', block: { command, state: 'ended' } })
  expect(await shells.client.call('pty.status', { conversation_id })).toMatchObject({
    active_session_id: null,
  })
})

test('a program that is no shell is told, and gets no secret', async () => {
  const { session } = await shells.client.call('session.create', { command: ['cat'] })
  const init = shells.client.call('session.shell_init', {
    session,
    shell: 'bash',
    type: true,
    timeout_ms: 300,
  })
  await expect(init).rejects.toMatchObject({
    code: 'shell_not_integrated',
    message: /did not answer as a bash/,
  })
  const log = fs.readFileSync(shells.home.logPath(session))
  expect(log.includes('"data_b64":null')).toBe(false) // which is how a secret would be logged
})
