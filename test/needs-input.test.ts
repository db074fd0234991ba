import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '@transom/client'
import type { NeedsInput, Result } from '@transom/protocol'
import { NOBODY, asNobody, nobodyCanRun } from './support/as-nobody.ts'
import { needs, needsThat } from './support/needs.ts'
import { CLI, TestHome } from './support/test-home.ts'

let home: TestHome
let client: Client

beforeAll(async () => {
  home = new TestHome()
  await home.ok('create', '--name', 'first', '--', 'cat')
  client = await home.connect()
})

afterAll(async () => {
  client.close()
  await home.close()
})

/** Runs a program until it waits for input. */
async function waitingFor(command: string[], before?: string): Promise<Result<'session.wait'>> {
  const env = { HOME: home.root, TERM: 'xterm-256color', PS1: '$ ' }
  const { session } = await client.call('session.create', {
    command,
    env,
    cwd: home.root,
    no_integration: true,
  })
  if (before !== undefined) await client.call('session.wait', { session, text: before, timeout_ms: 60_000 })
  return client.call('session.wait', { session, needs_input: true, timeout_ms: 60_000 })
}

interface Case {
  readonly title: string
  readonly program: string
  readonly command: string[]
  readonly reason: NeedsInput['reason']
  /** As the kernel names the program. */
  readonly inFront?: RegExp
  /** What must be on the screen before. */
  readonly before?: string
  readonly prompt?: RegExp
}

const CASES: Case[] = [
  {
    title: 'bash',
    program: 'bash',
    command: ['bash', '--norc', '-i'],
    reason: 'shell_prompt',
    prompt: /\$ $/,
  },
  {
    title: 'bash without a line editor',
    program: 'bash',
    command: ['bash', '--noediting', '--norc', '-i'],
    reason: 'shell_prompt',
    prompt: /\$ $/,
  },
  { title: 'dash', program: 'dash', command: ['dash', '-i'], reason: 'shell_prompt', prompt: /\$ $/ },
  { title: 'zsh', program: 'zsh', command: ['zsh', '-f'], reason: 'shell_prompt' },
  { title: 'fish', program: 'fish', command: ['fish', '--no-config'], reason: 'shell_prompt' },
  {
    title: 'python3',
    program: 'python3',
    command: ['python3', '-q'],
    reason: 'repl',
    inFront: /^python/,
    before: '>>>',
    prompt: />>> $/,
  },
  { title: 'node', program: 'node', command: ['node', '-i'], reason: 'repl', before: '>', prompt: /> $/ },
  { title: 'sqlite3', program: 'sqlite3', command: ['sqlite3'], reason: 'repl', prompt: /sqlite> $/ },
  { title: 'gdb', program: 'gdb', command: ['gdb', '-q', '-nx'], reason: 'repl', prompt: /\(gdb\) $/ },
  {
    title: 'less',
    program: 'less',
    command: ['less', '/etc/services'],
    reason: 'pager',
    before: '/etc/services',
  },
  {
    title: 'a pager at the end of a pipe',
    program: 'less',
    command: ['sh', '-c', 'seq 1000 | less'],
    reason: 'pager',
    inFront: /^less$/,
  },
  { title: 'vim', program: 'vim', command: ['vim', '-u', 'NONE'], reason: 'full_screen' },
  {
    title: 'dialog',
    program: 'dialog',
    command: ['dialog', '--menu', 'which?', '10', '40', '2', '1', 'one', '2', 'two'],
    reason: 'menu',
    before: 'which?',
  },
  {
    title: 'ssh-keygen that asks for a file',
    program: 'ssh-keygen',
    command: ['ssh-keygen', '-t', 'ed25519'],
    reason: 'read',
    prompt: /Enter file in which to save the key .*: $/,
  },
  {
    title: 'ssh-keygen that asks for a passphrase',
    program: 'ssh-keygen',
    command: ['ssh-keygen', '-t', 'ed25519', '-f', 'key'],
    reason: 'password',
    prompt: /passphrase.*: $/,
  },
  {
    title: 'ssh-keygen that asks whether to overwrite',
    program: 'ssh-keygen',
    command: ['sh', '-c', 'touch old; ssh-keygen -t ed25519 -f old'],
    reason: 'confirm',
    inFront: /^ssh-keygen$/,
    prompt: /\(y\/n\)\? $/,
  },
  {
    title: 'read -s',
    program: 'bash',
    command: ['bash', '-c', 'read -s -p "Password: " x'],
    reason: 'password',
    prompt: /Password: $/,
  },
  {
    title: 'read',
    program: 'bash',
    command: ['bash', '-c', 'read -p "Your name: " x'],
    reason: 'read',
    prompt: /Your name: $/,
  },
  {
    title: 'a question of a script',
    program: 'bash',
    command: ['bash', '-c', 'read -p "Remove it? [y/N] " x'],
    reason: 'confirm',
  },
  {
    title: 'select',
    program: 'bash',
    command: ['bash', '-c', 'select x in one two; do :; done'],
    reason: 'menu',
    prompt: /#\? $/,
  },
  {
    title: 'input() of a python script',
    program: 'python3',
    command: ['python3', '-c', 'input("Name: ")'],
    reason: 'read',
    inFront: /^python/,
    before: 'Name',
  },
  { title: 'cat', program: 'cat', command: ['cat'], reason: 'read' },
]

describe('needs input', () => {
  for (const { title, program, command, reason, inFront, before, prompt } of CASES) {
    needs(program)(`${title}: ${reason}`, async () => {
      const { needs_input: found } = await waitingFor(command, before)
      expect(found).toMatchObject({ verdict: 'needs_input', reason })
      expect(found?.evidence.program).toMatch(inFront ?? new RegExp(`^${program}$`))
      expect(found?.evidence.waits_in).toMatch(/^(?:read|p?select6?|p?poll|epoll_p?wait2?)$/)
      expect(found?.evidence.fd).toBeTypeOf('number')
      if (prompt !== undefined) expect(found?.prompt).toMatch(prompt)
    })
  }

  const BUSY: [string, string[]][] = [
    ['sleep', ['sh', '-c', 'echo started; exec sleep 1000']],
    ['yes', ['sh', '-c', 'echo started; exec yes started']],
    ['a program that computes', ['sh', '-c', 'echo started; while :; do :; done']],
    ['a program that waits for a pipe', ['sh', '-c', 'echo started; mkfifo p$$; cat p$$']],
  ]
  for (const [title, command] of BUSY) {
    test(`${title} does not wait for the terminal`, async () => {
      const { session } = await client.call('session.create', { command, cwd: home.root })
      await client.call('session.wait', { session, text: 'started' })
      const waiting = client.call('session.wait', { session, needs_input: true, timeout_ms: 400 })
      await expect(waiting).rejects.toMatchObject({ code: 'wait_timeout' })
      await client.call('session.destroy', { session })
    })
  }

  test('says why a program is taken to be busy', async () => {
    const command = ['sh', '-c', 'echo started; exec sleep 1000']
    const { session } = await client.call('session.create', { command })
    await client.call('session.wait', { session, text: 'started' })
    const failure = await client
      .call('session.wait', { session, needs_input: true, timeout_ms: 300 })
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({
      details: {
        needs_input: {
          verdict: 'busy',
          reason: null,
          evidence: { program: 'sleep', note: 'sleep does not wait for this terminal' },
        },
      },
    })
  })

  test('comes true when the program comes to its question', async () => {
    const pipe = path.join(home.root, 'gate')
    const command = [
      'bash',
      '-c',
      `mkfifo ${pipe}; echo started; cat ${pipe}; read -p 'Name: ' x; echo "hello $x"; cat ${pipe}`,
    ]
    const { session } = await client.call('session.create', { command })
    await client.call('session.wait', { session, text: 'started' })
    const waiting = client.call('session.wait', { session, needs_input: true })
    fs.writeFileSync(pipe, '')
    expect((await waiting).needs_input).toMatchObject({ reason: 'read', prompt: 'Name: ' })
    await client.call('session.type', { session, text: 'Ada', enter: true })
    await client.call('session.wait', { session, text: 'hello Ada' })
    fs.writeFileSync(pipe, '')
    await client.call('session.wait', { session, exit: true })
  })

  test('is answered at the command line, too', async () => {
    await home.ok('create', '--name', 'asks', '--', 'bash', '-c', 'read -s -p "Password: " x')
    const { needs_input: found } = await home.json<Result<'session.wait'>>('wait', 'asks', '--needs-input')
    expect(found).toMatchObject({ reason: 'password', evidence: { echo: false, canonical: true } })
  })

  test('cannot be told of a session that has ended', async () => {
    await home.ok('create', '--name', 'over', '--', 'true')
    await home.ok('wait', 'over', '--exit')
    const failure = await home.json('wait', 'over', '--needs-input')
    expect(failure).toMatchObject({ error: { code: 'session_ended' } })
  })

  needsThat(nobodyCanRun(), 'root, and a Node that every user can run')(
    'is told to an ordinary user; of a set-uid program, by its terminal alone',
    () => {
      fs.chmodSync(home.root, 0o755)
      const folder = path.join(home.root, 'nobody')
      fs.mkdirSync(folder, { mode: 0o700 })
      fs.chownSync(folder, NOBODY, NOBODY)
      const env = {
        ...home.env,
        TRANSOM_HOME: `${folder}/home`,
        XDG_RUNTIME_DIR: folder,
        XDG_STATE_HOME: folder,
      }
      const run = (...words: string[]) => {
        const [command = '', ...args] = asNobody(process.execPath, CLI, ...words)
        const { stdout, stderr } = spawnSync(command, args, {
          env: { ...env, HOME: folder },
          cwd: '/',
          encoding: 'utf8',
        })
        if (stdout === '') throw new Error(`transom ${words.join(' ')}: ${stderr}`)
        return stdout
      }
      const found = (name: string) =>
        (JSON.parse(run('wait', name, '--needs-input', '--json')) as Result<'session.wait'>).needs_input
      try {
        run('create', '--name', 'own', '--', 'bash', '--norc', '-i')
        expect(found('own')).toMatchObject({
          reason: 'shell_prompt',
          evidence: { waits_in: 'pselect6', fd: 0 },
        })
        run('create', '--name', 'set-uid', '--', 'su', 'root')
        expect(found('set-uid')).toMatchObject({
          reason: 'password',
          evidence: { waits_in: null, program: 'su' },
        })
      } finally {
        run('host', 'stop', '--force', '--json')
      }
    },
  )
})
