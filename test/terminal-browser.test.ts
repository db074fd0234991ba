/** `awi-tty open` as a person uses it: on a terminal of ours, with keys and mouse. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect } from 'vitest'
import { needsBrowser } from './support/needs.ts'
import { processesWith, uniqueToken } from './support/processes.ts'
import { TestHome } from './support/test-home.ts'
import { until } from './support/until.ts'
import { PageServer } from './support/web.ts'

const test = needsBrowser()

const AWI = fileURLToPath(new URL('../packages/transom/dist/awi-tty.cjs', import.meta.url))

/** Everything on whole cells, so that it is read as text on one ground. */
const at = (row: number) =>
  `position:absolute;left:0;top:${row * 16}px;height:16px;margin:0;padding:0;border:0;outline:0`
const FRONT = `<!doctype html><title>Front page</title>
  <p style="${at(1)}">Local news</p><p style="${at(3)}"><a href="/two">the second page</a></p>
  <input autofocus style="${at(5)}"><p style="${at(7)};width:100%;background:#c00;color:#fff">red words</p>
  <button style="${at(9)}" onclick="document.title = prompt('Your name?', 'nobody') ?? 'silent'">ask</button>`
const TWO = `<!doctype html><title>\u001b]0;evil\u0007Second</title><p>You are on page two.`

let home: TestHome
let server: PageServer
let temporary: string
let token: string

beforeAll(async () => {
  server = await PageServer.start({ '/': FRONT, '/two': TWO })
  home = new TestHome()
  temporary = path.join(home.root, 'tmp')
  token = uniqueToken()
  fs.mkdirSync(temporary)
  const open = openCommand()
  const script = `stty -g | cksum > before; TMPDIR=${temporary} "$@"; echo "ended $?"; stty -g | cksum | cmp before - && echo same terminal; cat`
  await home.ok(
    'create',
    '--name',
    'web',
    '--cols',
    '80',
    '--rows',
    '20',
    '--env',
    'COLORTERM=truecolor',
    '--',
    'sh',
    '-c',
    script,
    token,
    ...open,
  )
})

afterAll(async () => {
  await home.close()
  await server[Symbol.asyncDispose]()
})

function openCommand(): string[] {
  return [process.execPath, AWI, 'open', server.url('/'), '--allow-host', '127.0.0.1']
}

async function shows(text: string): Promise<string> {
  await home.ok('wait', 'web', '--text', text, '--timeout', '15000')
  return home.ok('snapshot', 'web')
}

test('a page is shown below its address, in its colours', async () => {
  await shows('the second page')
  const screen = await shows(`↻ ${server.url('/')}`) // no dots: all of it is loaded
  expect(screen.split('\n')[0]).toBe(`‹ › ↻ ${server.url('/')} — Front page`)
  await shows('red words')
  const { lines } = await home.json<{ lines: { cells: { text: string; bg?: string }[] }[] }>(
    'snapshot',
    'web',
    '--cells',
  )
  const run = lines.flatMap(({ cells }) => cells).find(({ text }) => text.startsWith('red'))
  expect(run?.bg).toBe('#cc0000')
})

test('keys and pastes go to the page', async () => {
  await home.ok('type', 'web', 'typed é 漢')
  expect(await shows('typed é 漢')).toContain('typed é 漢')
  await home.ok('paste', 'web', ' pasted')
  expect(await shows('typed é 漢 pasted')).toContain('pasted')
})

test('links are followed by mouse; back and forward are keys and places to click', async () => {
  await home.ok('mouse', 'web', 'click', '--text', 'the second page')
  await shows('You are on page two')
  expect((await shows('Second')).split('\n')[0]).not.toContain('\u0007')
  await home.ok('keys', 'web', 'Alt+Left')
  await shows('Local news')
  await home.ok('mouse', 'web', 'click', '--at', '0,2')
  await shows('You are on page two')
  await home.ok('mouse', 'web', 'click', '--at', '0,0')
  await shows('Local news')
})

test('a dialog is answered in the address line', async () => {
  await home.ok('mouse', 'web', 'click', '--text', 'ask')
  await shows('[prompt] Your name? nobody')
  await home.ok('keys', 'web', 'Ctrl+U')
  await home.ok('type', 'web', 'Ada')
  await home.ok('keys', 'web', 'Enter')
  expect((await shows('— Ada')).split('\n')[0]).toBe(`‹ › ↻ ${server.url('/')} — Ada`)
})

test('a new size is the page’s, too', async () => {
  await home.ok('resize', 'web', '--cols', '60', '--rows', '15')
  await shows('the second page')
  await until('the page has the new width', async () => {
    const { lines } = await home.json<{ lines: { cells?: { col: number; width: number; bg?: string }[] }[] }>(
      'snapshot',
      'web',
      '--cells',
    )
    const red = lines.flatMap(({ cells }) => cells ?? []).filter(({ bg }) => bg === '#cc0000')
    return red.length > 0 && Math.max(...red.map(({ col, width }) => col + width)) === 60
  })
  expect((await home.ok('snapshot', 'web')).split('\n')[0]?.length).toBeLessThanOrEqual(60)
})

test('an address is typed; one that may not be opened is refused with the reason', async () => {
  await home.ok('keys', 'web', 'Ctrl+L', 'Ctrl+U')
  await home.ok('type', 'web', 'http://10.0.0.1/')
  await home.ok('keys', 'web', 'Enter')
  await shows('10.0.0.1 is a priv')
  await home.ok('keys', 'web', 'Ctrl+L', 'Ctrl+U')
  await home.ok('type', 'web', server.url('/two'))
  await home.ok('keys', 'web', 'Enter')
  expect(await shows('You are on page two')).toContain(server.url('/two'))
})

test('it quits, and leaves the terminal as it was and nothing behind', async () => {
  await home.ok('keys', 'web', 'Ctrl+Q')
  const screen = await shows('same terminal')
  expect(screen).toMatch(/^ended 0\nsame terminal/m)
  expect(screen).not.toContain('page two')
  const { modes } = await home.json<{ modes: Record<string, unknown> }>('snapshot', 'web')
  expect(modes).toMatchObject({ bracketed_paste: false })
  expect(fs.readdirSync(temporary)).toEqual([])
  expect(processesWith(`--user-data-dir=${temporary}`)).toEqual([])
})

test('with a Home it is recorded there as a web session', async () => {
  const recorded = path.join(home.root, 'recorded')
  await home.ok('create', '--name', 'kept', '--', ...openCommand(), '--home', recorded)
  await home.ok('wait', 'kept', '--text', 'red words', '--timeout', '15000')
  await home.ok('keys', 'kept', 'Ctrl+Q')
  await home.ok('wait', 'kept', '--exit')
  const { sessions } = await home.json<{ sessions: { session: string; kind: string; status: string }[] }>(
    'list',
    '--all',
    '--home',
    recorded,
  )
  expect(sessions).toMatchObject([{ kind: 'web', status: 'destroyed' }])
  expect(await home.ok('snapshot', sessions[0]?.session ?? '', '--home', recorded)).toContain('red words')
})

test('killed, it leaves no browser and no files behind', async () => {
  const command = ['env', `TMPDIR=${temporary}`, ...openCommand()]
  const session = (await home.ok('create', '--', ...command)).trim()
  await home.ok('wait', session, '--text', 'red words', '--timeout', '15000')
  expect(fs.readdirSync(temporary)).not.toEqual([])
  await home.ok('signal', session, 'KILL')
  await until('the keeper has removed everything', () => fs.readdirSync(temporary).length === 0)
  expect(processesWith(`--user-data-dir=${temporary}`)).toEqual([])
})
