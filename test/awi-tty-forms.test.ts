/** Every command line that AWI-TTY's specification names (9A–9E), run for real against one browser. */
import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { AWI, AgentBrowser } from './support/agent-browser.ts'
import { needsBrowser } from './support/needs.ts'
import { PageServer } from './support/web.ts'

const test = needsBrowser()

const PAGE = '<!doctype html><title>Forms</title><p>Words</p><input autofocus>'

let server: PageServer
let browser: AgentBrowser

beforeAll(async () => {
  server = await PageServer.start({ '/': PAGE })
  browser = await AgentBrowser.open(server.url('/'))
  await browser.call('wait_for', { text: 'Words' })
})
afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

async function awi(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const env = { ...process.env, AWI_SOCK: browser.socketPath, NODE_EXTRA_CA_CERTS: undefined }
  const child = spawn(process.execPath, [AWI, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => (stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })))
}

const OK = { ok: true }

/** What is run, and what the JSON on standard output has in it. `HERE` is the address of the page. */
const FORMS: readonly (readonly [string, object])[] = [
  ['navigate HERE', OK],
  ...['Tab', 'Enter', 'Up', 'Down', 'Left', 'Right', 'Space', 'Char:x'].map(
    (key) => [`send-key ${key}`, OK] as const,
  ),
  ['send-key Char:x --alt --meta --shift --ctrl', OK],
  ['scroll 5', OK],
  ['scroll -5', OK],
  ['snapshot', { width: 140, height: 45 }],
  ['snapshot --format text --json', { width: 140 }],
  ['snapshot --format ansi', { width: 140 }],
  ['snapshot --format text --include-meta --trim', { meta: { title: 'Forms' } }],
  ['get-title', { title: 'Forms' }],
  ['get-url', { url: expect.stringContaining('127.0.0.1') }],
  ['get-nav-state', { can_go_back: false, can_go_forward: false }],
  ['set-viewport 140 45', OK],
  ['get-capabilities', { snapshot_formats: expect.arrayContaining(['text']) }],
  ['type-text words', OK],
  ['paste words', OK],
  ['wait-for-frame-quiescence 50', OK],
  ['wait-for-title-contains Form --timeout-ms 5000', { title: 'Forms' }],
  ['click 0 0', OK],
  ['mouse-move 1 1', OK],
  ['mouse-down 1 1', OK],
  ['mouse-up 1 1', OK],
  ['ping', OK],
]

describe('each form of the specification', () => {
  test.each(FORMS)('%s', async (form, answer) => {
    const words = form.replace('HERE', server.url('/')).split(' ')
    const { code, stdout, stderr } = await awi(...words)
    expect([code, stderr], stdout).toEqual([0, ''])
    expect(JSON.parse(stdout)).toMatchObject(answer)
    expect(await awi(...words, '--quiet')).toEqual({ code: 0, stdout: '', stderr: '' })
    const help = await awi(words[0] ?? '', '--help')
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining(`Usage: awi-tty ${words[0]}`)])
  })

  test('--plain and --out give the text alone, to standard output or to a file', async () => {
    const { stdout } = await awi('snapshot', '--plain', '--trim')
    expect(stdout.split('\n').length).toBe(46)
    expect(stdout).toContain('Words')
    const file = path.join(browser.folder, 'screen.txt')
    expect(await awi('snapshot', '--plain', '--out', file)).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(fs.readFileSync(file, 'utf8')).toContain('Words')
    expect((await awi('get-title', '--plain')).stdout).toBe('Forms\n')
  })

  test.each([
    [65, 'navigate invalid://url'],
    [65, 'send-key Nonsense'],
    [65, 'set-viewport 1 1'],
    [64, 'scroll down'],
    [64, 'click 1'],
    [64, 'no-such-command'],
    [69, 'ping --socket /no/such.sock'],
    [74, 'snapshot --out /no/such/folder/file'],
    [75, 'wait-for-title-contains nothing-like-it --timeout-ms 1'],
    [77, 'navigate http://169.254.169.254/'],
  ])('%d: %s', async (status, form) => {
    const { code, stdout } = await awi(...form.split(' '))
    expect(code).toBe(status)
    expect(JSON.parse(stdout)).toMatchObject({ error: { message: expect.any(String) as string } })
    expect(await awi(...form.split(' '), '--quiet')).toEqual({ code: status, stdout: '', stderr: '' })
  })
})
