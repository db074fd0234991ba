/** The user's own files, prompt and history work as without integration, and blocks stay exact beside them. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { needsShells, useShells } from './support/shells.ts'

const shells = useShells()
const { home } = shells

const BASHRC: Record<string, string> = {
  'a string in PROMPT_COMMAND': `PROMPT_COMMAND='echo "last was $?"'`,
  'an array in PROMPT_COMMAND': `PROMPT_COMMAND=('echo "last was $?"' 'true')`,
  'a framework that rewrites PS1': `__prompt() { local s=$?; echo "last was $s"; PS1="\\[\\e[1;32m\\]\\u\\[\\e[0m\\] [$s]\\n> "; }\nPROMPT_COMMAND='__prompt'`,
  'a framework with a DEBUG trap': `__pre() { :; }; trap '__pre "$_"' DEBUG\nPROMPT_COMMAND='echo "last was $?"'`,
  'vi keys and odd options': `set -o vi; shopt -s extglob histappend; HISTCONTROL=ignoreboth; PROMPT_COMMAND='history -a; echo "last was 5"'`,
}

test.each(Object.entries(BASHRC))('bash with %s', async (_title, rc) => {
  const files = { '.bashrc': `${rc}\nalias hi='echo from the rc'\nexport FROM_RC=yes\n` }
  const shell = await shells.start('bash', { files })
  expect((await shell.run('hi; (exit 5)')).output).toBe('from the rc\r\n')
  await shell.prints('last was 5', 0)
  expect((await shell.run('echo "$? $FROM_RC"')).output).toBe('5 yes\r\n')
  const from = await shell.cursor()
  await shell.type('echo ty""ped\r')
  await shell.prints('typed\r\n', from)
  await shell.run(':')
  const typed = (await shell.blocks()).find(({ kind }) => kind === 'typed')
  expect(typed).toMatchObject({ command: 'echo ty""ped', exit_code: 0, output_bytes: 7 })
  await shell.run('history -a')
  const history = fs.readFileSync(path.join(shell.folder, '.bash_history'), 'utf8')
  expect(history.split('\n').filter(Boolean)).toEqual(['echo ty""ped'])
})

needsShells('zsh')('zsh with hooks of its own, a prompt over two lines and a zle-line-init', async () => {
  const rc = `
precmd() { print "last was $?" }
preexec() { print "running" }
setopt prompt_subst
PROMPT=$'%F{green}%n%f\\n> '
RPROMPT='[right]'
zle-line-init() { : }
zle -N zle-line-init
alias hi='echo from the rc'
`
  const shell = await shells.start('zsh', { files: { '.zshrc': rc } })
  expect((await shell.run('hi; (exit 5)')).output).toBe('from the rc\r\n')
  await shell.prints('last was 5', 0)
  expect((await shell.run('echo $?')).output).toBe('5\r\n')
})

needsShells('zsh')('zsh with a ZDOTDIR of its own', async () => {
  const files = {
    '.zshrc': 'echo wrong file',
    'z/.zshrc': "alias hi='echo right file'",
    'z/.zshenv': 'SEEN=env',
  }
  const folder = fs.mkdtempSync(path.join(home.root, 'zdotdir-'))
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    fs.writeFileSync(path.join(folder, name), text)
  }
  const env = { ZDOTDIR: path.join(folder, 'z') }
  const shell = await shells.start('zsh', { env })
  expect((await shell.run('hi; echo $SEEN $ZDOTDIR')).output).toBe(`right file\r\nenv ${env.ZDOTDIR}\r\n`)
})

test('a login shell reads the profile, and --norc nothing of the user', async () => {
  const files = { '.bash_profile': 'FROM=profile', '.bashrc': 'FROM=rc' }
  const login = await shells.start('bash', { command: ['bash', '--login'], files })
  expect((await login.run('echo "from $FROM"')).output).toBe('from profile\r\n')
  const none = await shells.start('bash', { command: ['bash', '--norc'], files })
  expect((await none.run('echo "from $FROM"')).output).toBe('from \r\n')
  const { session } = await shells.client.call('session.create', {
    command: ['bash'],
    login: true,
    env: { HOME: login.folder },
  })
  const ran = await shells.client.call('session.run', {
    session,
    command: ['echo', 'from $FROM'],
    queue: true,
  })
  expect(ran.data).toBe('from $FROM\n') // several words are a program and its arguments
})

test('the command line prints the output as lines and exits with the exit code', async () => {
  const id = await home.ok('create', '--name', 'cli', '--norc', '--', 'bash')
  const run = (...args: string[]) => home.run(['run', ...args])
  expect(await run('cli', '--queue', '--', 'printf "a\\nb"; (exit 9)')).toEqual({
    code: 9,
    stdout: 'a\nb\n',
    stderr: '',
  })
  expect((await run('cli', '--', 'printf', '%s|', 'a b', "it's")).stdout).toBe("a b|it's|\n")
  const json = await home.json<{ block: object; data: string }>(
    'run',
    'cli',
    '--',
    'printf "\\033[31mred\\033[0m\\n"',
  )
  expect(json).toMatchObject({ data: 'red\n', block: { seq: 3, exit_code: 0, session: id } })
  const late = await run('cli', '--timeout', '500', '--no-early', '--', 'echo early; read -r x')
  expect([late.code, late.stdout]).toEqual([75, 'early\n'])
  expect((await run('cli', '--', 'ls')).code).toBe(69)
  await home.ok('type', 'cli', 'go on', '--enter')
  expect((await run('cli', '--queue', '--no-wait', '--', 'echo later')).code).toBe(0)
  expect((await run('cli', '--queue', '--', ':')).code).toBe(0)
  expect(await home.ok('block', 'cli', '5')).toBe('later')
  expect(await home.ok('blocks', 'cli', '--query', 'later')).toMatch(/^BLOCK.*\n5 +0 .* echo later$/)
  expect(await home.ok('exec', 'cli', 'cat')).toBe('block 7')
  expect((await run('cli', '--', 'ls')).stderr).toContain('interactive session')
})
