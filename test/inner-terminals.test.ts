/** A terminal within the terminal: what counts is whether the program there waits. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { Client } from '@transom/client'
import type { NeedsInput } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { needs, needsThat } from './support/needs.ts'
import { PrivateApt } from './support/private-apt.ts'
import { SshServer } from './support/ssh-server.ts'
import { TestHome } from './support/test-home.ts'

let home: TestHome
let client: Client
let server: Promise<SshServer> | null = null

beforeAll(async () => {
  home = new TestHome()
  await home.ok('create', '--name', 'first', '--', 'cat')
  client = await home.connect()
})

afterAll(async () => {
  client.close()
  await (await server)?.stop()
  await home.close()
})

/** One server, which runs until the last test has ended. */
async function sshServer(): Promise<SshServer> {
  server ??= SshServer.start(path.join(home.root, 'ssh'))
  return server
}

interface Relay {
  readonly title: string
  readonly programs: readonly string[]
  readonly root?: boolean
  /** The command line that runs a script of one line, without quotes, in a terminal of its own. */
  readonly command: (inner: string) => string | Promise<string>
}

const RELAYS: readonly Relay[] = [
  { title: 'script', programs: ['script'], command: (inner) => `script -qc '${inner}' /dev/null` },
  {
    title: 'script in script',
    programs: ['script'],
    command: (inner) => `script -qc "script -qc '${inner}' /dev/null" /dev/null`,
  },
  {
    title: 'pty.spawn of python',
    programs: ['python3'],
    command: (inner) => `python3 -c 'import pty; pty.spawn(["sh", "-c", "${inner}"])'`,
  },
  { title: 'tmux', programs: ['tmux'], command: (inner) => `tmux -f /dev/null new '${inner}'` },
  { title: 'screen', programs: ['screen'], command: (inner) => `screen -c /dev/null sh -c '${inner}'` },
  {
    title: 'ssh to this machine',
    programs: ['ssh', 'sshd'],
    root: true,
    command: async (inner) => `${(await sshServer()).login('-t')} '${inner}'`,
  },
  {
    title: 'ssh in ssh',
    programs: ['ssh', 'sshd'],
    root: true,
    command: async (inner) => {
      const login = (await sshServer()).login('-t')
      return `${login} "${login} '${inner}'"`
    },
  },
  {
    title: 'ssh over the connection of another one',
    programs: ['ssh', 'sshd'],
    root: true,
    command: async (inner) => {
      const control = path.join(fs.mkdtempSync(path.join(home.root, 'control-')), 'socket')
      const login = await sshServer()
      const master = login.login('-f -N', '-M', `-S ${control}`)
      return `${master}; ${login.login('-t', `-S ${control}`)} '${inner}'`
    },
  },
  {
    title: 'tmux over ssh',
    programs: ['ssh', 'sshd', 'tmux'],
    root: true,
    command: async (inner) => {
      const folder = fs.mkdtempSync(path.join(home.root, 'tmux-'))
      return `${(await sshServer()).login('-t')} "TMUX_TMPDIR=${folder} tmux -f /dev/null new '${inner}'"`
    },
  },
  {
    title: 'a package that apt-get installs',
    programs: ['apt-get', 'dpkg-deb'],
    root: true,
    command: (inner) => {
      const apt = new PrivateApt(fs.mkdtempSync(path.join(home.root, 'apt-')))
      return apt.get(`install -y ${apt.package('inner', `(${inner}) < /dev/tty`)}`)
    },
  },
]

async function started(command: string): Promise<string> {
  const tmux = { TMUX_TMPDIR: fs.mkdtempSync(path.join(home.root, 'tmux-')) }
  const screens = { SCREENDIR: fs.mkdtempSync(path.join(home.root, 'screens-')) }
  const env = { HOME: home.root, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...tmux, ...screens }
  const { session } = await client.call('session.create', {
    command: ['sh', '-c', command],
    env,
    cwd: home.root,
  })
  await client.call('session.wait', { session, text: 'started', timeout_ms: 30_000 })
  return session
}

/** What a wait for input finds. */
async function found(session: string, timeoutMs: number): Promise<NeedsInput | undefined> {
  const answer = await client
    .call('session.wait', { session, needs_input: true, timeout_ms: timeoutMs })
    .catch((error: unknown) => error)
  const { needs_input: verdict } = (answer instanceof OpError ? answer.details : answer) as {
    needs_input?: NeedsInput
  }
  return verdict
}

describe.concurrent('the innermost terminal is judged', () => {
  for (const { title, programs, root, command } of RELAYS) {
    const lacks = root === true && process.getuid?.() !== 0
    const declare = lacks ? needsThat(false, 'root') : needs(...programs)
    declare(`${title}: waits if the program inside reads a line`, async () => {
      const session = await started(await command('echo started; cat'))
      expect(await found(session, 30_000)).toMatchObject({
        verdict: 'needs_input',
        reason: 'read',
        evidence: { program: 'cat', echo: true, canonical: true },
      })
      await client.call('session.destroy', { session })
    })

    declare(`${title}: waits if the program inside asks for a password`, async () => {
      const session = await started(await command('echo started; stty -echo; cat'))
      expect(await found(session, 30_000)).toMatchObject({
        verdict: 'needs_input',
        reason: 'password',
        evidence: { program: 'cat', echo: false, canonical: true },
      })
      await client.call('session.destroy', { session })
    })

    declare(`${title}: is busy while the program inside works`, async () => {
      const session = await started(await command('echo started; sleep 1000'))
      expect(await found(session, 400)).toMatchObject({
        verdict: 'busy',
        evidence: { program: expect.stringMatching(/^(?:sleep|sh|bash|dpkg)$/) as string },
      })
      await client.call('session.destroy', { session })
    })
  }
})
