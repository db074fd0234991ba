/** What ordinary users do: install the packed package, and use it beside others on the same machine. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { VERSION } from '@transom/protocol'
import { needsThat } from './support/needs.ts'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const INSTALL_TIMEOUT_MS = 240_000 // packages come from the registry
const NOBODY = 65534

let root: string
let tarball: string
let packed: string[]
let users: User[]

/** Somebody with a home folder, in which the package is installed, and the default places for everything. */
class User {
  readonly uid: number
  readonly folder: string
  readonly #env: Record<string, string | undefined>

  constructor(name: string, uid: number) {
    this.uid = uid
    this.folder = path.join(root, name)
    fs.mkdirSync(this.folder, { mode: 0o700 })
    fs.chownSync(this.folder, uid, uid)
    this.#env = {
      ...Object.fromEntries(
        Object.entries(process.env).filter(([key]) => !/^(XDG_|TRANSOM_|AGENT_TTY_|npm_)/.test(key)),
      ),
      HOME: this.folder,
      TMPDIR: path.join(root, 'tmp'),
      PATH: `${this.folder}/prefix/bin:${process.env['PATH']}`,
    }
    users.push(this)
  }

  run(command: string, ...args: string[]) {
    const foreign = this.uid !== process.getuid?.()
    const switched = foreign
      ? ['setpriv', `--reuid=${this.uid}`, `--regid=${this.uid}`, '--clear-groups']
      : []
    const [file = '', ...rest] = [...switched, command, ...args]
    const { status, stdout, stderr } = spawnSync(file, rest, {
      env: this.#env,
      cwd: this.folder,
      encoding: 'utf8',
    })
    return { status, stdout, stderr }
  }

  ok(command: string, ...args: string[]): string {
    const { status, stdout, stderr } = this.run(command, ...args)
    if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}${stdout}`)
    return stdout.trimEnd()
  }

  install(): void {
    this.ok('npm', 'install', '-g', '--prefix', `${this.folder}/prefix`, '--no-audit', '--no-fund', tarball)
  }

  names(): string[] {
    const { sessions } = JSON.parse(this.ok('transom', 'list', '--json')) as { sessions: { name: string }[] }
    return sessions.map(({ name }) => name)
  }

  host(): { socket: string; home: string } {
    return JSON.parse(this.ok('transom', 'host', 'status', '--json')) as { socket: string; home: string }
  }
}

beforeAll(() => {
  users = []
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-install-'))
  fs.chmodSync(root, 0o755)
  fs.mkdirSync(path.join(root, 'tmp'))
  fs.chmodSync(path.join(root, 'tmp'), 0o1777)
  // Built before the tests: no need to run the package's own scripts.
  const args = ['pack', '--json', '--ignore-scripts', '-w', 'transom', '--pack-destination', root]
  const { stdout, stderr } = spawnSync('npm', args, { cwd: PROJECT, encoding: 'utf8' })
  const [report] = JSON.parse(stdout || stderr) as { filename: string; files: { path: string }[] }[]
  packed = report?.files.map((file) => file.path) ?? []
  tarball = path.join(root, report?.filename ?? '')
}, INSTALL_TIMEOUT_MS)

afterAll(() => {
  for (const user of users) user.run('transom', 'host', 'stop', '--force')
  fs.rmSync(root, { recursive: true, force: true })
})

test('the package holds the programs and what belongs to them, and nothing else', () => {
  expect(packed.toSorted()).toEqual([
    'LICENSE',
    'README.md',
    'dist/THIRD-PARTY-NOTICES.txt',
    'dist/awi-tty.cjs',
    'dist/cli.cjs',
    'dist/completion.bash',
    'dist/completion.fish',
    'dist/completion.zsh',
    'dist/doctor.mjs',
    'dist/frame-worker.cjs',
    'dist/gateway.mjs',
    'dist/glyphs-1.bin',
    'dist/glyphs-2.bin',
    'dist/glyphs-3.bin',
    'dist/glyphs-LICENSE.txt',
    'dist/host.mjs',
    'dist/picture-diff.mjs',
    'dist/picture-worker.cjs',
    'dist/player.mjs',
    'dist/attach.mjs',
    'dist/recorder.cjs',
    'dist/transom.1',
    'dist/whole-cli.cjs',
    'package.json',
    'skills/mcp.md',
    'skills/setup.md',
    'skills/transom.md',
  ])
  const manifest = fs.readFileSync(path.join(PROJECT, 'packages/transom/package.json'), 'utf8')
  expect(JSON.parse(manifest)).not.toHaveProperty('private')
})

test(
  'installed, it runs a session from its first command to its last',
  { timeout: INSTALL_TIMEOUT_MS },
  () => {
    const user = new User('user', process.getuid?.() ?? 0)
    user.install()
    runSession(user)
    expect(user.ok('agent-tty', 'version')).toBe(VERSION)
    expect(fs.existsSync(`${user.folder}/prefix/share/man/man1/transom.1`)).toBe(true)
  },
)

const asRoot = needsThat(process.getuid?.() === 0, 'root')

asRoot(
  'so does another user; the two neither see nor block each other',
  { timeout: INSTALL_TIMEOUT_MS },
  () => {
    const first = new User('first', process.getuid?.() ?? 0)
    const second = new User('second', NOBODY)
    for (const user of [first, second]) user.install()
    runSession(second)
    for (const user of [first, second]) user.ok('transom', 'create', '--name', 'work', '--', 'cat')
    for (const user of [first, second]) {
      expect(user.names()).toEqual(['work'])
      const { socket, home } = user.host()
      expect(home).toBe(path.join(user.folder, '.transom'))
      expect(path.dirname(socket)).toBe(path.join(root, 'tmp', `transom-${user.uid}`))
    }
    // Not even when asked for: the other's Home is closed, and so is the folder of its socket.
    const peek = second.run('transom', '--home', path.join(first.folder, '.transom'), 'list')
    expect([peek.status, peek.stderr]).toEqual([77, expect.stringContaining('EACCES')])
    expect(second.run('ls', path.dirname(first.host().socket)).status).not.toBe(0)
    second.ok('transom', 'host', 'stop', '--force')
    expect(first.names()).toEqual(['work'])
  },
)

function runSession(user: User): void {
  expect(user.ok('transom', 'doctor')).toMatch(/^ok +pty +/m)
  const id = user.ok('transom', 'create', '--', 'sh', '-c', 'id -u; echo "sum: $((6 * 7))"; cat')
  expect(user.ok('transom', 'wait', id, '--text', 'sum: 42')).toBe('sum: 42')
  expect(user.ok('transom', 'snapshot', id)).toBe(`${user.uid}\nsum: 42`)
  user.ok('transom', 'destroy', id)
  expect(user.ok('transom', 'list', '--all')).toMatch(new RegExp(`${id}.*destroyed`))
}
