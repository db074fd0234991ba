/** `awi-tty` and a real browser behind its agent socket: the specification's samples, the demo, the rules. */
import { spawn, type ChildProcess } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect } from 'vitest'
import { needsBrowser } from './support/needs.ts'
import { until } from './support/until.ts'
import { PageServer } from './support/web.ts'

const test = needsBrowser()

const AWI = fileURLToPath(new URL('../packages/transom/dist/awi-tty.cjs', import.meta.url))
const DEMO = fileURLToPath(new URL('../examples/top-threads.sh', import.meta.url))

const NEWS = `<!doctype html><title>Hacker News</title><p>Hacker News
  <p>1. Cells are enough <a href="/item?id=1">12 comments</a><p>2. A proxy of our own <a href="/item?id=2">7 comments</a>
  <p><input autofocus id="search">`
const ITEM = `<!doctype html><title>Comments</title><script>document.write('<p>Thread ' + location.search + '<p>alice: I agree.<p>bob: I do not.')</script>`

let root: string
let server: PageServer
let browser: ChildProcess
let env: Record<string, string | undefined>

beforeAll(async () => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-awi-'))
  server = await PageServer.start({ '/': NEWS, '/item': ITEM })
  fs.symlinkSync(AWI, path.join(root, 'awi-tty'))
  env = {
    ...process.env,
    PATH: `${root}:${process.env['PATH']}`,
    AWI_SOCK: path.join(root, 'run/web.sock'),
    TRANSOM_HOME: path.join(root, 'home'),
    XDG_STATE_HOME: path.join(root, 'state'),
    NODE_EXTRA_CA_CERTS: undefined,
  }
  const args = [
    AWI,
    'open',
    server.url('/'),
    '--agent-socket',
    env['AWI_SOCK'] ?? '',
    '--allow-host',
    '127.0.0.1',
  ]
  browser = spawn(process.execPath, args, { env, stdio: 'ignore' })
  await until('the browser serves', async () => (await awi('ping', '--quiet')).status === 0)
  expect(await awi('wait-for', '--text', 'Hacker News', '--quiet')).toMatchObject({ status: 0, stderr: '' })
})

afterAll(async () => {
  const ended = new Promise((resolve) => browser.once('close', resolve))
  browser.kill('SIGTERM')
  await ended
  await server[Symbol.asyncDispose]()
  fs.rmSync(root, { recursive: true })
})

interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

async function awi(...args: string[]): Promise<Ended> {
  return run(process.execPath, [AWI, ...args])
}

async function bash(script: string): Promise<Ended> {
  return run('bash', ['-c', script])
}

/** Never waits by blocking: this process serves the pages. */
async function run(program: string, args: readonly string[]): Promise<Ended> {
  const child = spawn(program, args, { env, cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => (stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, stdout, stderr })))
}

needsBrowser('jq')('the samples of the specification work as written', async () => {
  const { status, stderr } = await bash(`
    awi-tty ping || exit 1
    diff <(awi-tty get-title --json | jq -r .title) <(awi-tty get-title --plain) || exit 2
    awi-tty navigate "invalid://url"; test $? -eq 65 || exit 3
    awi-tty snapshot --plain | grep -q "Hacker News" || exit 4
    awi-tty navigate "${server.url('/')}" || exit 5
    awi-tty type-text "carbonyl browser" && awi-tty wait-for-frame-quiescence 300 || exit 6
    awi-tty snapshot --plain | grep -q "carbonyl browser" || exit 7
    awi-tty snapshot --format text --plain | sed -n '1,40p' | grep -q "Cells are enough" || exit 8
    awi-tty send-key Tab && awi-tty scroll 5 && awi-tty set-viewport 100 30 || exit 9
    test "$(awi-tty snapshot --json | jq .width)" = 100 || exit 10
    awi-tty set-viewport 1 1; test $? -eq 65 || exit 11
    awi-tty send-key Nonsense; test $? -eq 65 || exit 12
    awi-tty set-viewport 140 45 || exit 13`)
  expect([status, stderr]).toEqual([0, ''])
})

needsBrowser('socat', 'python3')('programs speak to the socket themselves', async () => {
  const request = `{"id":1,"jsonrpc":"2.0","method":"snapshot","params":{"format":"text"}}`
  const socat = await bash(`printf '${request}\\n' | socat - UNIX-CONNECT:$AWI_SOCK`)
  expect(JSON.parse(socat.stdout)).toMatchObject({ id: 1, result: { width: 140, height: 45 } })
  const python = await bash(`python3 - <<'END'
import socket, json, os
s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
s.connect(os.environ['AWI_SOCK'])
s.sendall((json.dumps({"id":1,"jsonrpc":"2.0","method":"get_title"})+"\\n").encode())
print(s.recv(65536).decode())
s.close()
END`)
  expect(JSON.parse(python.stdout)).toMatchObject({ result: { title: 'Hacker News' } })
})

test('what may not be opened is refused, with the rule and what to do', async () => {
  const refused = await awi('navigate', 'http://localhost:1/', '--plain')
  expect([refused.status, refused.stderr]).toEqual([77, expect.stringContaining('--allow-host localhost:1')])
  expect(await awi('navigate', 'http://[::ffff:169.254.169.254]/latest/')).toMatchObject({ status: 77 })
  expect(await awi('navigate', 'file:///etc/passwd')).toMatchObject({ status: 65 })
  expect(await awi('navigate', 'data:text/html,x')).toMatchObject({ status: 65 })
  expect((await awi('get-url', '--plain')).stdout).toBe(`${server.url('/')}\n`)
})

test('a picture of the page is written to a file', async () => {
  const file = path.join(root, 'page.png')
  expect(await awi('screenshot', '--out', file)).toMatchObject({ status: 0, stdout: '' })
  expect(fs.readFileSync(file).subarray(1, 4).toString()).toBe('PNG')
})

test('the demo reads the top two threads, in less than thirty lines', { timeout: 120_000 }, async () => {
  expect(fs.readFileSync(DEMO, 'utf8').trim().split('\n').length).toBeLessThan(30)
  const { status, stdout, stderr } = await bash(
    `unset AWI_SOCK; ALLOW_HOST=127.0.0.1 ${DEMO} ${server.url('/')}`,
  )
  expect([status, stdout], stderr).toEqual([
    0,
    expect.stringMatching(
      /1\. Cells are enough[^]*\?id=1[^]*alice: I agree[^]*2\. A proxy of our own[^]*\?id=2[^]*bob: I do not/,
    ),
  ])
})
