/** What `run` returns for commands that wait for input, and for those that only take long. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '@transom/client'
import type { NeedsInput } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { needs } from './support/needs.ts'
import { CLI, TestHome } from './support/test-home.ts'

let home: TestHome
let client: Client

beforeAll(async () => {
  home = new TestHome()
  await home.ok('create', '--name', 'first', '--', 'cat')
  client = await home.connect()
  fs.writeFileSync(path.join(home.root, 'long.txt'), 'a line\n'.repeat(500))
})

afterAll(async () => {
  client.close()
  await home.close()
})

async function shell(): Promise<string> {
  const { session } = await client.call('session.create', {
    command: ['bash', '--norc'],
    env: { HOME: home.root, TERM: 'xterm-256color', PAGER: 'less', EDITOR: 'vim', TMUX_TMPDIR: home.root },
    cwd: home.root,
  })
  return session
}

type Reason = NeedsInput['reason']

/** Programs, by what they must be installed with; a command; why it waits. */
const WAITING: readonly [program: string, command: string, reason: Reason][] = [
  ['cat', 'cat', 'read'],
  ['cat', 'cat > written', 'read'],
  ['sort', 'sort', 'read'],
  ['wc', 'wc -l', 'read'],
  ['tee', 'tee copy', 'read'],
  ['head', 'head -n 3', 'read'],
  ['grep', 'grep needle', 'read'],
  ['sed', 'sed s/a/b/', 'read'],
  ['dd', 'dd of=out bs=10 count=2', 'read'],
  ['bash', 'read -p "Your name: " name', 'read'],
  ['bash', 'read -e -p "Your name: " name', 'read'],
  ['bash', 'read -s -p "Password: " word', 'password'],
  ['bash', 'read -p "Remove it? [y/N] " answer', 'confirm'],
  ['bash', 'select it in one two; do break; done', 'menu'],
  ['bash', 'rm -i long.txt', 'read'],
  ['bash', 'cp long.txt copy.txt && cp -i long.txt copy.txt', 'read'],
  ['sh', 'sh', 'shell_prompt'],
  ['bash', 'bash --norc', 'shell_prompt'],
  ['dash', 'dash', 'shell_prompt'],
  ['zsh', 'zsh -f', 'shell_prompt'],
  ['fish', 'fish --no-config', 'shell_prompt'],
  ['python3', 'python3 -q', 'repl'],
  ['python3', `python3 -c 'input("Name: ")'`, 'read'],
  ['python3', `python3 -c 'import getpass; getpass.getpass()'`, 'password'],
  ['python3', `python3 -c 'import pdb; pdb.set_trace()'`, 'repl'],
  ['node', 'node -i', 'repl'],
  ['node', `node -e 'process.stdin.once("data", () => process.exit())'`, 'read'],
  ['sqlite3', 'sqlite3', 'repl'],
  ['gdb', 'gdb -q -nx', 'repl'],
  ['less', 'less long.txt', 'pager'],
  ['less', 'seq 1000 | less', 'pager'],
  ['more', 'more long.txt', 'pager'],
  ['git', 'git -c core.pager=less diff --no-index /dev/null long.txt', 'pager'],
  ['vim', 'vim -u NONE', 'full_screen'],
  ['vim', 'vim -u NONE long.txt', 'full_screen'],
  ['htop', 'htop', 'full_screen'],
  ['mc', 'mc -u', 'full_screen'],
  ['dialog', 'dialog --menu which? 10 40 2 1 one 2 two', 'menu'],
  ['dialog', 'dialog --yesno sure? 10 40', 'menu'],
  ['ssh-keygen', 'ssh-keygen -t ed25519', 'read'],
  ['ssh-keygen', 'ssh-keygen -t ed25519 -f new-key', 'password'],
  ['ssh-keygen', 'touch old-key; ssh-keygen -t ed25519 -f old-key', 'confirm'],
  ['python3', `python3 -c 'import pty; pty.spawn(["cat"])'`, 'read'],
  ['script', `script -qc 'read -p "Go on? [y/N] " x' /dev/null`, 'confirm'],
  ['tmux', 'tmux -L waiting -f /dev/null new cat', 'read'],
  ['openssl', 'openssl enc -aes-256-cbc -in long.txt -out sealed', 'password'],
]

describe.concurrent('run returns when its command waits for input', () => {
  for (const [program, command, reason] of WAITING) {
    needs(program)(`${command}: ${reason}`, async () => {
      const session = await shell()
      const failure = await client
        .call('session.run', { session, command: [command], timeout_ms: 50_000 })
        .catch((error: unknown) => error)
      expect(failure).toMatchObject({
        code: 'needs_input',
        details: { block: { state: 'running' }, needs_input: { verdict: 'needs_input', reason } },
      })
      await client.call('session.destroy', { session })
    })
  }

  test('the error says how to go on, and the block ends as it says', async () => {
    const session = await shell()
    const failure = await client
      .call('session.run', { session, command: ['read -p "Your name: " x; echo "hello $x"'] })
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(OpError)
    const { message, details } = failure as OpError // as just checked
    expect(message).toContain('runs on as block 1 and waits for input')
    expect(details).toMatchObject({
      quote: 'Your name:',
      next: [
        { call: 'session.type', params: { session, enter: true } },
        { call: 'session.keys' },
        { call: 'session.wait', params: { session, block_end: 1 } },
        { call: 'pty.read', params: { conversation_id: session, block: 1 } },
      ],
    })
    const ended = client.call('session.wait', { session, block_end: 1 })
    await client.call('session.type', { session, text: 'Ada', enter: true })
    expect(await ended).toMatchObject({ block: { seq: 1, state: 'ended', exit_code: 0 } })
    const { data } = await client.call('pty.read', { conversation_id: session, block: 1 })
    expect(data).toContain('hello Ada')
  })

  test('unless it is told to go on waiting', async () => {
    const session = await shell()
    const ran = client.call('session.run', { session, command: ['read x; echo "got $x"'], no_early: true })
    await client.call('session.wait', { session, needs_input: true })
    await client.call('session.type', { session, text: 'it', enter: true })
    expect(await ran).toMatchObject({ block: { exit_code: 0 } })
  })
})

/** Silent for more than a second, and not for want of input. */
const SILENT: readonly [program: string, command: string][] = [
  ['sleep', 'sleep 1.2'],
  ['sleep', '(sleep 1.2)'],
  ['sleep', 'sleep 1.2 & wait'],
  ['sleep', 'sleep 1.2 | cat'],
  ['sleep', 'cat <(sleep 1.2)'],
  ['sleep', 'x=$(sleep 1.2)'],
  ['sleep', 'sh -c "sleep 1.2"'],
  ['sleep', 'setsid -w sleep 1.2'],
  ['sleep', 'nohup sleep 1.2'],
  ['sleep', 'timeout 5 sleep 1.2'],
  ['sleep', 'env sleep 1.2'],
  ['sleep', 'nice sleep 1.2'],
  ['sleep', 'xargs -I{} sleep {} <<< 1.2'],
  ['sleep', 'time sleep 1.2'],
  ['sleep', 'for i in 1 2 3; do sleep 0.4; done'],
  ['sleep', 'trap : USR1; sleep 1.2'],
  ['sleep', 'sleep 1.2 < /dev/tty'],
  ['bash', 'read -t 1.2 x < <(sleep 3)'],
  ['bash', 'end=$((SECONDS + 2)); while [ $SECONDS -lt $end ]; do :; done'],
  ['bash', 'mkfifo pipe-a; (sleep 1.2; echo > pipe-a) & cat pipe-a'],
  ['tail', 'timeout 1.2 tail -f long.txt > /dev/null; true'],
  ['bash', 'coproc cat; sleep 1.2; kill $!'],
  ['python3', `python3 -c 'import time; time.sleep(1.2)'`],
  ['python3', `python3 -c 'import select; select.select([], [], [], 1.2)'`],
  ['python3', `python3 -c 'import subprocess; subprocess.run(["sleep", "1.2"])'`],
  [
    'python3',
    `python3 -c 'import threading, time; t = threading.Thread(target=time.sleep, args=(1.2,)); t.start(); t.join()'`,
  ],
  ['python3', `python3 -c 'import asyncio; asyncio.run(asyncio.sleep(1.2))'`],
  [
    'python3',
    `python3 -c 'import time; end = time.time() + 1.2
while time.time() < end: pass'`,
  ],
  ['node', `node -e 'setTimeout(() => {}, 1200)'`],
  ['node', `node -e 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1200)'`],
  ['node', `node -e 'require("child_process").execSync("sleep 1.2")'`],
  ['node', `node -e 'require("net").createServer().listen(0, () => setTimeout(() => process.exit(), 1200))'`],
  ['python3', `python3 -c 'import pty; pty.spawn(["sleep", "1.2"])'`],
  ['script', `script -qc 'sleep 1.2' /dev/null`],
  ['tmux', `tmux -L silent -f /dev/null new 'sleep 1.2'`],
  ['openssl', 'openssl genrsa 4096 > /dev/null 2>&1; sleep 1.2'],
  ['dd', 'dd if=/dev/urandom of=/dev/null bs=1M count=400 status=none; sleep 0.5'],
  ['sort', 'seq 200000 | sort -R | tail -n 1 > /dev/null; sleep 1'],
  ['find', 'find / -xdev -name nothing-like-this > /dev/null 2>&1; sleep 0.5'],
  ['tar', 'tar cf - /usr/share/doc 2> /dev/null | cat > /dev/null; sleep 0.5'],
  ['gzip', 'head -c 20000000 /dev/urandom | gzip -9 > /dev/null; sleep 0.5'],
  ['git', 'git init -q some-repository; sleep 1.2'],
  ['make', `printf 'all:\\n\\t@sleep 1.2\\n' > makefile; make -s`],
]

describe.concurrent('run waits for a command that only takes long', () => {
  for (const [program, command] of SILENT) {
    needs(program)(command, { timeout: 120_000 }, async () => {
      const session = await shell()
      const ran = await client.call('session.run', { session, command: [command], timeout_ms: 110_000 })
      expect(ran.block).toMatchObject({ state: 'ended' })
      await client.call('session.destroy', { session })
    })
  }
})

describe('exec', () => {
  test('returns when the program has begun: what is typed next reaches it, every time', async () => {
    for (let round = 0; round < 10; round++) {
      const file = path.join(home.root, `typed-${round}`)
      const { session } = await client.call('session.create', {
        command: ['bash', '--norc'],
        cwd: home.root,
      })
      await client.call('pty.exec_interactive', { conversation_id: session, command: `cat > ${file}` })
      await client.call('session.type', { session, text: 'hello', enter: true })
      const ended = client.call('session.wait', { session, block_end: 'last' })
      await client.call('session.keys', { session, keys: ['Ctrl+D'] })
      await ended
      expect(fs.readFileSync(file, 'utf8')).toBe('hello\n')
      await client.call('session.destroy', { session })
    }
  })
})

/** Runs a line of shell that calls transom. */
function inShell(line: string): { status: number | null; stdout: string; stderr: string } {
  const script = `transom() { ${process.execPath} ${CLI} "$@"; }\n${line}`
  return spawnSync('sh', ['-c', script], { env: home.env, cwd: home.root, encoding: 'utf8' })
}

describe('run at the command line', () => {
  test('prints plain lines on a pipe, and with --raw the exact bytes', async () => {
    const session = await shell()
    const command = `printf 'a\\tb\\r\\n\\033[31mred\\033[m end'`
    expect(await home.run(['run', session, '--', command])).toMatchObject({
      code: 0,
      stdout: 'a\tb\nred end\n',
    })
    const { stdout } = await home.run(['run', session, '--raw', '--', command])
    expect(stdout).toBe('a\tb\r\r\n\u001b[31mred\u001b[m end')
  })

  test('prints plain lines of more than one message', async () => {
    const session = await shell()
    const { stdout } = await home.run(['run', session, '--', 'seq 400000'])
    const numbers = Array.from({ length: 400_000 }, (_, index) => `${index + 1}\n`)
    expect(stdout === numbers.join('')).toBe(true)
  })

  test('passes standard input on if it is asked to, and else leaves it alone', async () => {
    const session = await shell()
    const passed = inShell(`echo hello | transom run ${session} --stdin - -- tr a-z A-Z`)
    expect(passed).toMatchObject({ status: 0, stdout: 'HELLO\n' })
    const left = inShell(`echo hello | transom run ${session} -- cat`)
    expect(left.status).toBe(80)
    expect(left.stderr).toContain('standard input was not passed on to the command; --stdin - does that')
  })

  test('leaves the lines of a loop to the loop', async () => {
    const session = await shell()
    const { stdout } = inShell(
      `printf 'echo one\\necho two\\n' | while read -r line; do transom run ${session} -- "$line"; done`,
    )
    expect(stdout).toBe('one\ntwo\n')
  })

  test('says that the command ended the session', async () => {
    for (const [command, code] of [
      ['exit 3', 3],
      ['exec true', 0],
      ['set -e; false', 1],
    ] as const) {
      const session = await shell()
      const ran = await home.run(['run', session, '--', command])
      expect(ran.code).toBe(code)
      expect(ran.stderr).toContain(`"${command}" ended the shell, and with it session ${session}`)
    }
    const session = await shell()
    expect(await home.json('run', session, '--', 'exit 4')).toMatchObject({ ended: 'session' })
  })

  needs('less')('prints what a full-screen program shows as a screen', async () => {
    const session = await shell()
    const { code, stdout } = await home.run(['run', session, '--', 'seq 100 | less'])
    expect([code, stdout]).toEqual([80, `${Array.from({ length: 23 }, (_, at) => at + 1).join('\n')}\n:\n`])
    const failure = await home.json('run', await shell(), '--', 'seq 100 | less')
    expect(failure).toMatchObject({ error: { details: { snapshot: { rows: 24 } } } })
    expect(failure).not.toHaveProperty('error.details.data')
  })

  test('exits with 80 when the command waits for input, after what it has printed', async () => {
    const session = await shell()
    const { code, stdout, stderr } = await home.run(['run', session, '--', 'echo first; read -p "Name: " x'])
    expect({ code, stdout }).toEqual({ code: 80, stdout: 'first\nName: \n' })
    expect(stderr).toContain('(the program reads from the terminal): "Name:"; "transom type')
    expect(stderr).toContain(`"transom wait ${session} --block-end 1" waits for its end`)
    const ended = home.run(['wait', session, '--block-end'])
    await home.ok('type', session, 'Ada', '--enter')
    expect(await ended).toMatchObject({ code: 0 })
  })
})

test('exec is a step of a batch: what is typed after it reaches the program', async () => {
  const session = await shell()
  const file = path.join(home.root, 'steps')
  fs.writeFileSync(file, 'exec "cat > by-batch"\ntype hello --enter\nkeys Ctrl+D\nwait --block-end\n')
  await home.ok('batch', session, file)
  expect(fs.readFileSync(path.join(home.root, 'by-batch'), 'utf8')).toBe('hello\n')
})

test('every command takes what exec returned, and a conversation, for its session', async () => {
  const begun = await client.call('pty.exec_interactive', { conversation_id: 'a talk', command: 'cat' })
  for (const [index, ref] of ['a talk', begun.session_id, begun.block_id].entries()) {
    await home.ok('type', ref, `line ${index}`, '--enter')
    await home.ok('wait', ref, '--text', `line ${index}`)
    expect(await home.json('inspect', ref)).toMatchObject({ session: begun.session })
  }
  expect(await home.ok('block', begun.block_id, '1')).toContain('line 2')
})

test('exec refuses a session that there is not, and makes none', async () => {
  const { code, stderr } = await home.run(['exec', 'wrok', 'cat'])
  expect([code, stderr]).toEqual([66, expect.stringContaining('no session or conversation "wrok"')])
  expect(await home.ok('list', '--all')).not.toContain('wrok')
})
