/** `awi-tty` against any server of the specification: what it sends, what it prints, how it ends. */
import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { VERSION } from '@transom/protocol'
import { FakeAgent, type AgentAnswer } from './support/fake-agent.ts'
import { needs } from './support/needs.ts'
import { until } from './support/until.ts'

const AWI = fileURLToPath(new URL('../packages/transom/dist/awi-tty.cjs', import.meta.url))

const agents: FakeAgent[] = []

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.close()
})

async function agentWith(...answers: AgentAnswer[]): Promise<FakeAgent> {
  const agent = await FakeAgent.open(() => (answers.length > 1 ? answers.shift() : answers[0]) ?? 'nothing')
  agents.push(agent)
  return agent
}

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

function start(args: readonly string[], env: Record<string, string | undefined> = {}) {
  return spawn(process.execPath, [AWI, ...args], {
    env: {
      ...process.env,
      AWI_SOCK: undefined,
      XDG_RUNTIME_DIR: undefined,
      NODE_EXTRA_CA_CERTS: undefined,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function awi(args: readonly string[], env: Record<string, string | undefined> = {}): Promise<Ended> {
  const child = start(args, env)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => (stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })))
}

const OK: AgentAnswer = { result: { ok: true } }
const SCREEN: AgentAnswer = { result: { width: 20, height: 3, lines: ['Hacker News  ', '', '1. A story'] } }

describe('each command is one request', () => {
  test.each([
    [['navigate', 'https://news.test/'], 'navigate', { url: 'https://news.test/' }],
    [
      ['navigate', 'https://news.test/', '--timeout-ms', '900'],
      'navigate',
      { url: 'https://news.test/', timeout_ms: 900 },
    ],
    [['send-key', 'Tab'], 'send_key', { key: 'Tab' }],
    [
      ['send-key', 'Char:a', '--ctrl', '--shift'],
      'send_key',
      { key: 'Char', char: 'a', modifiers: { ctrl: true, shift: true } },
    ],
    [
      ['send-key', 'Char::', '--alt', '--meta'],
      'send_key',
      { key: 'Char', char: ':', modifiers: { alt: true, meta: true } },
    ],
    [['scroll', '3'], 'scroll', { delta: 3 }],
    [['scroll', '-3'], 'scroll', { delta: -3 }],
    [['snapshot'], 'snapshot', {}],
    [
      ['snapshot', '--format', 'text', '--include-meta', '--trim'],
      'snapshot',
      { format: 'text', include_meta: true },
    ],
    [['snapshot', '--format=ansi'], 'snapshot', { format: 'ansi' }],
    [['get-title'], 'get_title', {}],
    [['get_title'], 'get_title', {}],
    [['get-url'], 'get_url', {}],
    [['get-nav-state'], 'get_nav_state', {}],
    [['set-viewport', '140', '45'], 'set_viewport', { cols: 140, rows: 45 }],
    [['get-capabilities'], 'get_capabilities', {}],
    [['type-text', 'carbonyl browser'], 'type_text', { text: 'carbonyl browser' }],
    [['type-text', '--', '--dashes'], 'type_text', { text: '--dashes' }],
    [['type-text', '-5'], 'type_text', { text: '-5' }],
    [['paste', 'a\nb'], 'paste', { text: 'a\nb' }],
    [['wait-for-frame-quiescence', '500'], 'wait_for_frame_quiescence', { idle_ms: 500 }],
    [
      ['wait-for-title-contains', 'News', '--timeout-ms', '5000'],
      'wait_for_title_contains',
      { substring: 'News', timeout_ms: 5000 },
    ],
    [['click', '3', '10'], 'click', { row: 3, col: 10 }],
    [['mouse-move', '3', '10'], 'mouse_move', { row: 3, col: 10 }],
    [['mouse-down', '3', '10', '--button', 'right'], 'mouse_down', { row: 3, col: 10, button: 'right' }],
    [['mouse-up', '3', '10'], 'mouse_up', { row: 3, col: 10 }],
    [['drag', '1', '2', '3', '4'], 'drag', { from: { row: 1, col: 2 }, to: { row: 3, col: 4 } }],
    [['wait-for', '--text', 'x', '--network-idle', '500'], 'wait_for', { text: 'x', network_idle: 500 }],
    [['accept-dialog', '--text', 'Ada'], 'answer_dialog', { accept: true, text: 'Ada' }],
    [['dismiss-dialog'], 'answer_dialog', { accept: false }],
    [
      ['click-text', 'Next', '--nth', '2', '--ignore-case'],
      'click_text',
      { text: 'Next', nth: 2, ignore_case: true },
    ],
    [['screenshot', '--full-page'], 'screenshot', { full_page: true }],
    [['ping'], 'ping', {}],
  ])('%j', async (args, method, params) => {
    const agent = await agentWith(OK)
    const { code, stdout, stderr } = await awi(['--socket', agent.socket, ...args])
    expect([code, stdout, stderr]).toEqual([0, '{"ok":true}\n', ''])
    expect(agent.requests).toEqual([{ id: 1, jsonrpc: '2.0', method, params }])
  })
})

describe('what is printed', () => {
  test('the result as JSON, by default and with --json', async () => {
    const agent = await agentWith({ result: { title: 'Hacker News' } })
    for (const args of [['get-title'], ['get-title', '--json']]) {
      expect((await awi(args, { AWI_SOCK: agent.socket })).stdout).toBe('{"title":"Hacker News"}\n')
    }
  })

  test('with --plain the text alone', async () => {
    const agent = await agentWith(SCREEN, { result: { title: 'A title' } }, OK, {
      result: { can_go_back: true },
    })
    const env = { AWI_SOCK: agent.socket }
    expect((await awi(['snapshot', '--plain'], env)).stdout).toBe('Hacker News  \n\n1. A story\n')
    expect((await awi(['get-title', '--plain'], env)).stdout).toBe('A title\n')
    expect((await awi(['ping', '--plain'], env)).stdout).toBe('')
    expect((await awi(['get-nav-state', '--plain'], env)).stdout).toBe('can_go_back: true\n')
  })

  test('with --quiet nothing, whether it works or not', async () => {
    const agent = await agentWith(SCREEN, { error: { code: -32013, message: 'slow down' } })
    const env = { AWI_SOCK: agent.socket }
    expect(await awi(['snapshot', '--quiet'], env)).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await awi(['snapshot', '--quiet'], env)).toEqual({ code: 73, stdout: '', stderr: '' })
    expect(await awi(['--quiet', 'no-such-command'], env)).toEqual({ code: 64, stdout: '', stderr: '' })
  })

  test('--trim takes blanks from the ends of lines, colours and all', async () => {
    const red = '\u001b[41m'
    const agent = await agentWith(SCREEN, { result: { lines: [`a ${red}b${red}   `, `${red}  `] } })
    const env = { AWI_SOCK: agent.socket }
    expect((await awi(['snapshot', '--trim', '--plain'], env)).stdout).toBe('Hacker News\n\n1. A story\n')
    const { stdout } = await awi(['snapshot', '--format', 'ansi', '--trim', '--plain'], env)
    expect(stdout).toBe(`a ${red}b\u001b[0m\n\u001b[0m\n`)
  })

  test('--out writes it to a file and prints nothing', async () => {
    const agent = await agentWith(SCREEN)
    const file = path.join(agent.folder, 'screen.txt')
    const env = { AWI_SOCK: agent.socket }
    expect(await awi(['snapshot', '--plain', '--out', file], env)).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
    expect(fs.readFileSync(file, 'utf8')).toBe('Hacker News  \n\n1. A story\n')
    const missing = await awi(['snapshot', '--out', '/no/such/folder/screen.txt'], env)
    expect(missing.code).toBe(74)
    expect(missing.stdout).toContain('/no/such/folder/screen.txt')
  })

  test('what a page says never becomes a control sequence', async () => {
    const evil = 'a\u001b]0;x\u0007b\u009b31mc\u202ed\u001b[2Je\u001b[31mred'
    const agent = await agentWith({ result: { title: evil } })
    const env = { AWI_SOCK: agent.socket }
    const plain = await awi(['get-title', '--plain'], env)
    expect(plain.stdout).toBe('a]0;xb31mcd[2Je\u001b[31mred\n')
    const json = await awi(['get-title'], env)
    expect(json.stdout).toMatch(/^[\u0020-\u007e]+\n$/)
    expect(JSON.parse(json.stdout)).toEqual({ title: evil })
  })

  test('help comes on --help, with status 0; without a command, with 64', async () => {
    const help = await awi(['--help'])
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining('wait-for-frame-quiescence')])
    expect((await awi([])).code).toBe(64)
    const one = await awi(['snapshot', '--help'])
    expect([one.code, one.stdout]).toEqual([0, expect.stringContaining('--format text|ansi')])
    expect((await awi(['--version'])).stdout).toBe(`${VERSION}\n`)
  })
})

describe('the exit status says what went wrong', () => {
  test.each([
    [-32700, 65],
    [-32600, 65],
    [-32601, 64],
    [-32602, 64],
    [-32603, 70],
    [-32010, 75],
    [-32011, 65],
    [-32012, 69],
    [-32013, 73],
    [-32014, 65],
    [-32175, 65],
    [-32176, 77],
    [-32099, 70],
  ])('the error %d is %d', async (number, status) => {
    const error = { code: number, message: 'so it is' }
    const agent = await agentWith({ error })
    const json = await awi(['ping', '--socket', agent.socket])
    expect([json.code, JSON.parse(json.stdout), json.stderr]).toEqual([status, { error }, ''])
    const plain = await awi(['ping', '--plain', '--socket', agent.socket])
    expect(plain).toEqual({ code: status, stdout: '', stderr: 'awi-tty: so it is\n' })
  })

  test.each([
    [['fly']],
    [['navigate']],
    [['navigate', 'a', 'b']],
    [['scroll', 'down']],
    [['scroll', '1.5']],
    [['set-viewport', '80']],
    [['snapshot', '--format', 'png5']],
    [['snapshot', '--nonsense']],
    [['snapshot', '--include-meta=yes']],
    [['ping', '--socket']],
  ])('%j is a usage error: 64', async (args) => {
    const { code, stdout } = await awi(args)
    expect(code).toBe(64)
    expect(JSON.parse(stdout)).toMatchObject({ error: { data: { code: 'usage' } } })
  })

  test('no browser is 69, and says how to start one', async () => {
    const { code, stderr } = await awi(['ping', '--plain', '--socket', '/no/such.sock'])
    expect([code, stderr]).toEqual([
      69,
      expect.stringMatching(/\/no\/such\.sock.*awi-tty open URL --agent-socket/),
    ])
  })

  test('a browser that hangs up is 69, one that talks nonsense 65', async () => {
    expect((await awi(['ping', '--socket', (await agentWith('hang up')).socket])).code).toBe(69)
    expect((await awi(['ping', '--socket', (await agentWith({ raw: 'nonsense\n' })).socket])).code).toBe(65)
  })

  test('an interrupt is 130', async () => {
    const agent = await agentWith('nothing')
    const child = start(['ping', '--quiet', '--socket', agent.socket])
    await until('it has asked', () => agent.requests.length > 0)
    child.kill('SIGINT')
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(130)
  })
})

describe('the socket is found', () => {
  test('by AWI_SOCK, before the default of XDG_RUNTIME_DIR, before the one in /tmp; --socket comes first', async () => {
    const [named, fallback] = [
      await agentWith({ result: { at: 'named' } }),
      await agentWith({ result: { at: 'runtime' } }),
    ]
    const runtime = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-runtime-'))
    fs.mkdirSync(path.join(runtime, 'carbonyl'), { mode: 0o700 })
    fs.symlinkSync(fallback.socket, path.join(runtime, 'carbonyl/agent.sock'))
    const env = { XDG_RUNTIME_DIR: runtime, AWI_SOCK: named.socket }
    expect((await awi(['ping'], env)).stdout).toContain('named')
    expect((await awi(['ping'], { ...env, AWI_SOCK: undefined })).stdout).toContain('runtime')
    expect((await awi(['ping', '--socket', fallback.socket], env)).stdout).toContain('runtime')
    fs.chmodSync(path.join(runtime, 'carbonyl'), 0o777)
    const open = await awi(['ping', '--plain'], { ...env, AWI_SOCK: undefined })
    expect([open.code, open.stderr]).toEqual([77, expect.stringContaining('not a folder of yours alone')])
    fs.rmSync(runtime, { recursive: true })
  })
})

test('subscribe-events prints each event on a line of its own, and ends when told', async () => {
  const agent = await agentWith(OK)
  const child = start(['subscribe-events', '--count', '2', '--socket', agent.socket])
  let stdout = ''
  child.stdout.on('data', (chunk) => (stdout += String(chunk)))
  await until('it has subscribed', () => agent.requests.length > 0)
  for (const title of ['one', 'two', 'three']) agent.notify('event', { type: 'title', title })
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0)
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    { type: 'title', title: 'one' },
    { type: 'title', title: 'two' },
  ])
})

needs('jq')('the specification’s shell samples work as written', async () => {
  const agent = await FakeAgent.open(({ method }) =>
    method === 'get_title'
      ? { result: { title: 'Hacker News' } }
      : method === 'snapshot'
        ? SCREEN
        : { result: { can_go_back: true } },
  )
  agents.push(agent)
  const bin = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-bin-'))
  fs.symlinkSync(AWI, path.join(bin, 'awi-tty'))
  const script = `
    diff <(awi-tty get-title --json | jq -r .title) <(awi-tty get-title --plain) || exit 1
    awi-tty snapshot --plain | grep -q "Hacker News" || exit 2
    awi-tty snapshot --format text --plain | sed -n '1,40p' | grep -q "A story" || exit 3
    if awi-tty get-nav-state --json | jq -e '.can_go_back == true' >/dev/null; then awi-tty send-key Left; else exit 4; fi
    content=$(awi-tty snapshot --plain | head -20); [ -n "$content" ] || exit 5`
  const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}`, AWI_SOCK: agent.socket }
  const child = spawn('bash', ['-c', script], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0)
  fs.rmSync(bin, { recursive: true })
})
