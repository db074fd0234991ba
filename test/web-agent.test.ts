import { execFile } from 'node:child_process'
import * as fs from 'node:fs'
import * as net from 'node:net'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { AWI, AgentBrowser } from './support/agent-browser.ts'
import { needsBrowser } from './support/needs.ts'
import { commandLinesWith } from './support/processes.ts'
import { until } from './support/until.ts'
import { PageServer } from './support/web.ts'

const test = needsBrowser()
const run = promisify(execFile)

describe('the agent socket', () => {
  let server: PageServer
  let browser: AgentBrowser

  beforeAll(async () => {
    server = await PageServer.start({
      '/form': `<!doctype html><title>Form</title><input id="q" autofocus><p id="out"></p><script>q.focus();q.oninput=()=>{out.textContent='typed: '+q.value}</script>`,
      '/busy': `<!doctype html><title>Busy</title><p id="t">0</p><script>setInterval(()=>{t.textContent=Date.now()},20)</script>`,
      '/later': `<!doctype html><title>First</title><p>soon</p><script>setTimeout(()=>{document.title='Second title';document.querySelector('p').textContent='it came'},300)</script>`,
    })
    browser = await AgentBrowser.open(server.url('/news.html'), '--debug')
    await browser.call('wait_for', { text: 'News of the day' })
  })
  afterAll(async () => {
    await browser[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })

  test('answers the specification’s examples with its result shapes', async () => {
    await browser.call('navigate', { url: server.url('/news.html') })
    expect(await browser.call('snapshot', { format: 'text', include_meta: true })).toMatchObject({
      width: 140,
      height: 45,
      meta: {
        cursor: { x: 0, y: 0 },
        url: server.url('/news.html'),
        title: 'News of the day',
        dpi: 1,
        scale: { width: 8, height: 16 },
        nav: { can_go_back: expect.any(Boolean) as boolean, can_go_forward: false },
      },
    })
    const { lines } = (await browser.call('snapshot')) as { lines: string[] }
    expect(lines).toHaveLength(45)
    expect(lines.every((line) => line.length === 140)).toBe(true)
    expect(lines.join('\n')).toContain('News of the day')
    expect(await browser.call('get_title')).toEqual({ title: 'News of the day' })
    expect(await browser.call('get_url')).toEqual({ url: server.url('/news.html') })
    expect(await browser.call('send_key', { key: 'Tab' })).toEqual({ ok: true })
    expect(await browser.call('send_key', { key: 'Char', char: 'a', modifiers: { ctrl: true } })).toEqual({
      ok: true,
    })
    expect(await browser.call('scroll', { delta: 3 })).toEqual({ ok: true })
    expect(await browser.call('ping')).toEqual({ ok: true })
    expect(await browser.call('get_capabilities')).toMatchObject({
      version: '0.1.0',
      features: expect.arrayContaining([
        'navigate',
        'send_key',
        'scroll',
        'snapshot:text',
        'set_viewport',
      ]) as string[],
      snapshot_formats: ['text', 'ansi', 'png'],
      platform: 'unix',
      session_id: expect.any(String) as string,
      data: { requests: expect.any(Object) as object },
    })
  })

  test('a link is followed with Tab and Enter, and the history goes back', async () => {
    await browser.call('navigate', { url: server.url('/news.html') })
    await browser.call('send_key', { key: 'Tab' })
    expect(await browser.call('snapshot', { include_meta: true })).toMatchObject({
      meta: { focus: { tag: 'a', name: 'News of the day' } },
    })
    await browser.call('send_key', { key: 'Enter' })
    await browser.call('wait_for', { url: '/news', text: 'You are at /news' })
    expect(await browser.call('get_nav_state')).toMatchObject({ can_go_back: true, can_go_forward: false })
    expect(await browser.call('go_back')).toEqual({ ok: true })
    expect(await browser.call('get_nav_state')).toMatchObject({ can_go_forward: true })
  })

  test('text is typed, found and clicked, and changes are told since a snapshot', async () => {
    await browser.call('navigate', { url: server.url('/form') })
    const { seq } = await browser.call('snapshot')
    await browser.call('type_text', { text: 'Grüße' })
    await browser.call('wait_for', { text: 'typed: Grüße' })
    const delta = (await browser.call('snapshot', { since: seq })) as {
      changed: { row: number; text: string }[]
    }
    expect(delta.changed.map(({ text }) => text).join('\n')).toContain('typed: Grüße')
    expect(delta).not.toHaveProperty('lines')
    const { matches } = (await browser.call('find_text', { text: 'TYPED:', ignore_case: true })) as {
      matches: object[]
    }
    expect(matches).toMatchObject([{ width: 6, text: 'typed:' }])
    await browser.call('navigate', { url: server.url('/news.html') })
    await browser.call('click_text', { text: 'submit' })
    await browser.call('wait_for', { text: 'You are at /submit' })
  })

  test('every text of a link that is shown leads to the link', async () => {
    await browser.call('navigate', { url: server.url('/article.html') })
    const { links } = (await browser.call('links')) as {
      links: { text: string; url: string; row: number | null }[]
    }
    const shown = links.filter(({ row }) => row !== null)
    expect(shown.length).toBeGreaterThan(2)
    for (const { text, url } of shown) {
      const { matches } = (await browser.call('find_text', { text })) as { matches: object[] }
      if (matches.length === 0) continue // it goes on in the next line
      await browser.call('click_text', { text, nth: matches.length })
      await browser.call('wait_for', { url: new URL(url).pathname, timeout_ms: 10_000 })
      await browser.call('navigate', { url: server.url('/article.html') })
    }
  })

  test('waits resolve when it comes true, and tell what they saw when it does not', async () => {
    await browser.call('navigate', { url: server.url('/later') })
    expect(
      await browser.call('wait_for_title_contains', { substring: 'Second', timeout_ms: 10_000 }),
    ).toMatchObject({ title: 'Second title' })
    await browser.call('wait_for', { text: 'it came', network_idle: 50 })
    expect(await browser.call('wait_for_frame_quiescence', { idle_ms: 100 })).toMatchObject({ ok: true })
    expect(await browser.fails('wait_for', { text: 'never', timeout_ms: 50 })).toEqual({
      code: -32121,
      name: 'wait_timeout',
    })
    expect(await browser.fails('wait_for', {})).toEqual({ code: -32602, name: 'usage' })
  })

  test('errors have the numbers of JSON-RPC and of the specification', async () => {
    expect(await browser.fails('send_key', { key: 'Enterr' })).toEqual({ code: -32011, name: 'invalid_key' })
    expect(await browser.fails('set_viewport', { cols: 1, rows: 9000 })).toEqual({
      code: -32014,
      name: 'invalid_viewport',
    })
    expect(await browser.fails('nonsense')).toEqual({ code: -32601, name: 'unknown_operation' })
    expect(await browser.fails('scroll', { delta: 'far' })).toEqual({ code: -32602, name: 'usage' })
    expect(await browser.fails('scroll', { delta: 1, typo: 2 })).toEqual({ code: -32602, name: 'usage' })
    expect(await browser.fails('navigate', { url: 'file:///etc/passwd' })).toMatchObject({
      name: 'invalid_url',
    })
    expect(await browser.fails('navigate', { url: 'http://10.0.0.1/' })).toMatchObject({
      name: 'url_refused',
    })
    expect(await browser.fails('navigate', { url: server.url('/never'), timeout_ms: 0 })).toEqual({
      code: -32010,
      name: 'navigation_timeout',
    })
    const [invalid] = await browser.ask({ id: 7 })
    expect(invalid?.error?.code).toBe(-32600)
    const flood = await browser.ask(...Array.from({ length: 400 }, (_, id) => ({ id, method: 'snapshot' })))
    const limited = flood.filter(({ error }) => error?.code === -32013 || error?.code === -32133)
    expect(limited.length).toBeGreaterThan(0)
    expect(flood).toHaveLength(400)
  })

  test('a line that is not JSON is answered, and the next one is served', async () => {
    const socket = net.connect(browser.socketPath)
    socket.end('{"id":\n{"jsonrpc":"2.0","id":2,"method":"ping"}')
    let text = ''
    for await (const chunk of socket) text += String(chunk)
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { error?: { code: number } }).error?.code),
    ).toEqual([-32700, undefined])
  })

  test('another size, colours and pictures', async () => {
    await browser.call('navigate', { url: server.url('/news.html') })
    expect(await browser.call('set_viewport', { cols: 80, rows: 24 })).toEqual({ ok: true })
    const { lines, width } = (await browser.call('snapshot', { format: 'ansi' })) as {
      lines: string[]
      width: number
    }
    expect([lines.length, width]).toEqual([24, 80])
    expect(lines.join('')).toContain('\u001b[38;2;0;0;0;48;2;255;102;0m')
    for (const picture of [
      await browser.call('snapshot', { format: 'png' }),
      await browser.call('screenshot'),
    ]) {
      const png = Buffer.from(picture['png_b64'] as string, 'base64')
      expect(png.subarray(1, 4).toString()).toBe('PNG')
      expect(png.readUInt32BE(16)).toBeGreaterThanOrEqual(640)
    }
    await browser.call('set_viewport', { cols: 140, rows: 45 })
  })

  test('subscribers are told of navigations, titles and frames', async () => {
    const socket = net.connect(browser.socketPath)
    socket.write('{"jsonrpc":"2.0","id":1,"method":"subscribe_events"}\n')
    let text = ''
    socket.on('data', (chunk) => (text += String(chunk)))
    await until('the subscription is there', () => text.includes('"ok":true'))
    await browser.call('navigate', { url: server.url('/form') })
    for (const part of ['"type":"navigated"', '"title":"Form"', '"type":"frame"', '"method":"event"'])
      await until(part, () => text.includes(part))
    socket.destroy()
  })

  const CLIENTS: [string, string, string[]][] = [
    [
      'Node',
      'node',
      [
        '--input-type=module',
        '-e',
        `import net from 'node:net';
const sock = process.env.SOCK;
const req = JSON.stringify({id:1,jsonrpc:'2.0',method:'snapshot',params:{format:'text'}})+'\\n';
const client = net.createConnection(sock, () => client.write(req));
client.on('data', d => { console.log(d.toString()); client.end(); });`,
      ],
    ],
    [
      'Python',
      'python3',
      [
        '-c',
        `import socket, json, os
s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
s.connect(os.environ['SOCK'])
s.sendall((json.dumps({"id":1,"jsonrpc":"2.0","method":"snapshot","params":{"format":"text"}})+"\\n").encode())
print(s.recv(65536).decode())
s.close()`,
      ],
    ],
  ]
  for (const [language, program, args] of CLIENTS) {
    needsBrowser(program)(`the specification’s ${language} client works as written`, async () => {
      await browser.call('navigate', { url: server.url('/news.html') })
      const env = { ...process.env, SOCK: browser.socketPath }
      expect((await run(program, args, { env })).stdout).toContain('News of the day')
    })
  }

  test('the socket is closed to others, standard output stays clean, and --debug tells no values', () => {
    expect(fs.statSync(browser.socketPath).mode & 0o777).toBe(0o600)
    expect(browser.stdout).toBe('')
    expect(browser.stderr).toContain('"method":"snapshot"')
    expect(browser.stderr).toMatch(/"event":"listening","socket":"[^"]+"/)
    expect(browser.stderr).not.toContain('Grüße')
  })
})

describe('the end of a browser', () => {
  test('ending the command ends the browser and removes the socket', async () => {
    await using server = await PageServer.start()
    const browser = await AgentBrowser.open(server.url('/x'))
    await browser.call('wait_for', { text: 'You are at /x' })
    const profile = profileOf(browser)
    browser.process.kill('SIGINT')
    const [code] = (await once(browser.process, 'exit')) as [number]
    expect(code).toBe(0)
    expect(fs.existsSync(browser.socketPath)).toBe(false)
    expect(commandLinesWith(profile)).toEqual([])
    expect(fs.existsSync(profile)).toBe(false)
  })

  test('killing the command leaves no Chromium behind, and its socket can be taken again', async () => {
    await using server = await PageServer.start()
    await using browser = await AgentBrowser.open(server.url('/x'))
    await browser.call('wait_for', { text: 'You are at /x' })
    const profile = profileOf(browser)
    browser.process.kill('SIGKILL')
    await once(browser.process, 'exit')
    await until('no Chromium is left', () => commandLinesWith(profile).length === 0)
    await until('its profile is gone', () => !fs.existsSync(profile))
    expect(fs.existsSync(browser.socketPath)).toBe(true)
    const { stderr } = await run(process.execPath, [AWI, 'ping', '--plain'], {
      env: { ...process.env, AWI_SOCK: browser.socketPath },
    }).catch((error: { stderr: string }) => error)
    expect(stderr).toContain('no browser listens')
  })

  test('a socket that is in use, or is no socket, is refused', async () => {
    await using server = await PageServer.start()
    await using browser = await AgentBrowser.open(server.url('/x'))
    const open = async (socket: string) =>
      run(process.execPath, [AWI, 'open', 'about:blank', '--agent-socket', socket]).then(
        () => ({ code: 0, stdout: '' }),
        (error: { code: number; stdout: string }) => error,
      )
    expect(await open(browser.socketPath)).toMatchObject({
      code: 69,
      stdout: expect.stringContaining('listens at') as string,
    })
    const file = `${browser.folder}/file`
    fs.writeFileSync(file, 'mine')
    expect(await open(file)).toMatchObject({ code: 77 })
    expect(fs.readFileSync(file, 'utf8')).toBe('mine')
    const link = `${browser.folder}/link`
    fs.symlinkSync(browser.socketPath, link)
    expect(await open(link)).toMatchObject({ code: 77 })
  })
})

/** The folder by which the browser's own processes can be told from all others. */
function profileOf(browser: AgentBrowser): string {
  const [child] = fs
    .readFileSync(`/proc/${browser.process.pid}/task/${browser.process.pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .map((pid) =>
      fs
        .readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        .split('\0')
        .find((argument) => argument.startsWith('--user-data-dir=')),
    )
    .filter((argument) => argument !== undefined)
  return (child ?? '').slice('--user-data-dir='.length)
}
