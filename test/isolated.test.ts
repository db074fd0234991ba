/** Programs of `create --isolated`, through the command line and the host's socket. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import type { SessionInfo } from '@transom/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { NOBODY, asNobody, nobodyCanRun } from './support/as-nobody.ts'
import { needsThat } from './support/needs.ts'
import { commandLinesWith, processesWith, uniqueToken } from './support/processes.ts'
import { CLI, TestHome } from './support/test-home.ts'
import { until } from './support/until.ts'

const isolates = needsThat(
  spawnSync('bwrap', ['--unshare-user', '--unshare-net', '--ro-bind', '/', '/', 'true']).status === 0,
  'bubblewrap, and a kernel that allows user namespaces',
)

let home: TestHome
let project: string

beforeEach(() => {
  home = new TestHome()
  project = path.join(home.root, 'project')
  fs.mkdirSync(project)
  fs.writeFileSync(path.join(project, 'notes.txt'), 'of the project\n')
})

afterEach(async () => {
  await home.close()
})

async function create(...args: string[]): Promise<string> {
  return home.ok('create', '--name', 's', '--isolated', '--cwd', project, ...args)
}

isolates('an isolated shell sees its working folder and no other file of its user', async () => {
  const id = await create('--', 'bash')
  await home.ok('token', 'create', '--name', 'secret')
  expect(await home.json('inspect', 's')).toMatchObject({ isolated: true, command: ['bash'], cwd: project })
  expect(await home.ok('run', 's', 'cat notes.txt; echo changed > notes.txt; pwd')).toBe(
    `of the project\n${project}`,
  )
  expect(fs.readFileSync(path.join(project, 'notes.txt'), 'utf8')).toBe('changed\n')

  const { socket } = home.host()
  const hidden = [
    path.join(home.path, 'home.json'),
    path.join(home.path, 'gateway-tokens.json'),
    home.logPath(id),
    path.dirname(socket),
    path.join(home.root, 'state'),
    process.env['HOME'] ?? '/root',
    '/etc/shadow',
    '/run',
    `/proc/${process.pid}`,
  ]
  expect(await home.ok('run', 's', `ls -d ${hidden.join(' ')} 2>/dev/null; echo none`)).toBe('none')
  expect(await home.ok('run', 's', 'echo ~; ls -A ~; cat /proc/net/dev | grep -c :')).toBe('/home/session\n1')
  const outside = path.join(home.root, 'outside')
  await home.run(['run', 's', `touch ${outside} /usr/written`])
  expect([fs.existsSync(outside), fs.existsSync('/usr/written')]).toEqual([false, false])
})

needsThat(nobodyCanRun(), 'root, and a Node that every user can run')(
  'an ordinary user has it as well as root',
  () => {
    fs.chmodSync(home.root, 0o777)
    fs.chownSync(project, NOBODY, NOBODY)
    const env = { ...home.env, XDG_RUNTIME_DIR: project, HOME: path.join(home.root, 'nobody') }
    const own = { ...env, TRANSOM_HOME: path.join(home.root, 'nobody', 'home') }
    const run = (...words: string[]) => {
      const [command = '', ...args] = asNobody(process.execPath, CLI, ...words)
      return spawnSync(command, args, { env: own, cwd: project, encoding: 'utf8' })
    }
    const { stderr } = run('create', '--name', 's', '--isolated', '--', 'bash')
    try {
      expect(stderr).toBe('')
      expect(run('run', 's', 'id -u; cat notes.txt; find transom').stdout).toBe(
        `${NOBODY}\nof the project\ntransom\n`,
      )
    } finally {
      run('host', 'stop', '--force')
    }
  },
)

isolates('its environment has no value of the caller that may be secret', async () => {
  const { stdout } = await home.run(
    ['create', '--isolated', '--cwd', project, '--env', 'GIVEN=1', '--', 'bash'],
    { env: { A_TOKEN: 'secret', SSH_AUTH_SOCK: '/run/agent' } },
  )
  const names = (await home.ok('run', stdout.trim(), "env | sed 's/=.*//'")).split('\n')
  expect(names).toEqual(expect.arrayContaining(['GIVEN', 'TERM', 'TRANSOM_SESSION', 'HOME', 'PATH']))
  expect(names.filter((name) => /TOKEN|SSH|XDG|TRANSOM_HOME/.test(name))).toEqual([])
})

isolates('a working folder around the Home does not show it', async () => {
  await home.ok('create', '--name', 's', '--isolated', '--cwd', home.root, '--', 'bash')
  expect(await home.ok('run', 's', 'ls project')).toBe('notes.txt')
  expect(
    await home.ok('run', 's', `find ${home.path} ${path.dirname(home.host().socket)} -type f -o -type s`),
  ).not.toMatch(/home\.json|events\.log|\.sock/)
})

isolates('commands, keys and signals reach the program as they do without isolation', async () => {
  await create('--', 'bash')
  expect(await home.json('run', 's', 'sh -c "exit 7"')).toMatchObject({ block: { exit_code: 7 } })
  await home.ok('type', 's', 'sleep 86400\n')
  await home.ok('wait', 's', '--text', 'sleep 86400')
  await home.ok('keys', 's', 'ctrl+c')
  expect(await home.ok('run', 's', 'echo alive')).toBe('alive')
  await home.ok('type', 's', 'read -r line\n')
  expect(await home.json('wait', 's', '--needs-input')).toMatchObject({
    needs_input: { evidence: { program: 'bash' } },
  })
  await home.ok('keys', 's', 'enter')
  const { pid } = await home.json<SessionInfo>('inspect', 's')
  expect(fs.readFileSync(`/proc/${pid}/comm`, 'utf8')).toBe('bash\n')
  await home.ok('type', 's', 'exit 3\n')
  expect(await home.json('wait', 's', '--exit')).toMatchObject({ exit: { code: 3 } })
})

isolates('nothing of it outlives its session, however it was started', async () => {
  const token = uniqueToken()
  await create(
    '--',
    'bash',
    '-c',
    `setsid sleep 86400.${token} & (ulimit -r 0; setsid sleep 86400.${token} &) ; sleep 86400.${token}`,
  )
  await until('all of it runs', () => processesWith(token).length >= 4)
  expect(await home.json('destroy', 's')).toMatchObject({ status: 'destroyed', failure: null })
  expect(commandLinesWith(token)).toEqual([])
})

isolates('a program that it cannot see is refused, with the reason', async () => {
  const program = path.join(home.root, 'tool')
  fs.writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  expect(await home.json('create', '--isolated', '--cwd', project, '--', program)).toMatchObject({
    error: { code: 'program_not_found', message: expect.stringContaining('does not see') as string },
  })
})

isolates('the folder with the user’s files is no working folder for it', async () => {
  const { stdout } = await home.run(['create', '--isolated', '--json', '--cwd', '/', '--', 'sh'])
  expect(JSON.parse(stdout)).toMatchObject({
    error: {
      code: 'cwd_not_found',
      message: expect.stringContaining('the files of its user are in it') as string,
    },
  })
})

isolates('without a working folder it begins in an empty one of its own', async () => {
  await home.startHost()
  const client = await home.connect()
  const { session, cwd } = await client.call('session.create', { command: ['bash'], isolated: true })
  expect(cwd).toBe('/home/session')
  expect(await home.ok('run', session, 'pwd; ls -A')).toBe('/home/session')
  client.close()
})

test('without bubblewrap the error names its package', async () => {
  const programs = path.join(home.root, 'bin')
  fs.mkdirSync(programs)
  const { code, stderr } = await home.run(['create', '--isolated', '--', '/bin/sh'], {
    cwd: project,
    env: { PATH: programs },
  })
  expect([code, stderr]).toEqual([
    69,
    'transom: cannot isolate a session: bwrap is not installed; it is in the package bubblewrap\n',
  ])
})

test('where the kernel refuses, the error has its words and what must be allowed', async () => {
  const programs = path.join(home.root, 'bin')
  fs.mkdirSync(programs)
  const refusal = 'bwrap: No permissions to create new namespace'
  fs.writeFileSync(path.join(programs, 'bwrap'), `#!/bin/sh\necho '${refusal}' >&2\nexit 1\n`, {
    mode: 0o755,
  })
  const { code, stderr } = await home.run(['create', '--isolated', '--', '/bin/sh'], {
    cwd: project,
    env: { PATH: `${programs}:/usr/bin:/bin` },
  })
  expect([code, stderr]).toEqual([69, expect.stringContaining(`(${refusal}); the kernel must allow`)])
})

test('a web page is not isolated this way, and the option is refused', async () => {
  expect(await home.json('create', '--isolated', '--web', 'https://example.org')).toMatchObject({
    error: { code: 'usage' },
  })
})
