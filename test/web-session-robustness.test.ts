import * as fs from 'node:fs'
import * as net from 'node:net'
import * as path from 'node:path'
import type { EventRecord } from '@transom/protocol'
import { describe, expect } from 'vitest'
import { needsBrowser } from './support/needs.ts'
import { commandLinesWith, processesWith } from './support/processes.ts'
import { TestHome } from './support/test-home.ts'
import { until } from './support/until.ts'
import { PageServer } from './support/web.ts'

const test = needsBrowser()

const PAGES = {
  '/calm': `<!doctype html><title>Calm</title><p>All is calm</p>`,
  '/busy': `<!doctype html><title>Busy</title><p id="t">0</p><script>let n=0;setInterval(()=>{t.textContent='tick '+(++n)},30)</script>`,
  '/hang': `<!doctype html><title>Hang</title><button onclick="navigator.sendBeacon('/hanging');for(;;);">Hang</button>`,
}

const web = (server: PageServer, page: string) => ['--web', server.url(page), '--allow-host', '127.0.0.1']

async function recordTypes(home: TestHome, session: string): Promise<EventRecord[]> {
  const lines = (await home.ok('log', 'export', session, '--format', 'jsonl')).split('\n')
  return lines.map((line) => JSON.parse(line) as EventRecord)
}

describe('a web session in trouble', () => {
  test('a host that is killed leaves no browser behind, and a log that shows the page', async () => {
    await using server = await PageServer.start(PAGES)
    await using home = new TestHome()
    const session = await home.ok('create', ...web(server, '/calm'))
    const folder = path.join(home.path, 'sessions', session)
    expect(commandLinesWith(folder)).not.toEqual([])
    process.kill(home.host().pid, 'SIGKILL')
    await until('the browser has ended', () => commandLinesWith(folder).length === 0)
    expect(await home.ok('snapshot', session)).toContain('All is calm')
    expect(await home.json('inspect', session)).toMatchObject({
      status: 'failed',
      ended_by: 'host_lost',
    })
    expect(fs.existsSync(path.join(folder, 'profile'))).toBe(false)
  })

  test.each([
    ['a status below 100', 'HTTP/1.1 042 Strange'],
    ['a control character in its reason', 'HTTP/1.1 200 O\x01K'],
  ])('an answer with %s ends neither its session nor another', async (_what, head) => {
    await using server = await PageServer.start(PAGES)
    await using home = new TestHome()
    const odd = net.createServer((socket) => {
      socket.on('error', () => socket.destroy())
      socket.once('data', () => socket.end(`${head}\r\nContent-Type: text/html\r\n\r\n<h1>x</h1>`, 'latin1'))
    })
    await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve))
    const { port } = odd.address() as net.AddressInfo
    const session = await home.ok('create', ...web(server, '/calm'))
    const other = await home.ok('create', '--', 'cat')
    const { pid } = home.host()
    await home.ok('navigate', session, `http://127.0.0.1:${port}/`)
    await home.ok('wait', session, '--text', 'not valid HTTP')
    await home.ok('navigate', session, server.url('/calm'))
    await home.ok('wait', session, '--text', 'All is calm')
    expect(home.host().pid).toBe(pid)
    expect(await home.json('inspect', other)).toMatchObject({ status: 'running' })
    odd.close()
  })

  test('a browser that is killed comes back with its page, and the host goes on', async () => {
    await using server = await PageServer.start(PAGES)
    await using home = new TestHome()
    const session = await home.ok('create', ...web(server, '/calm'))
    const client = await home.connect()
    const loads = server.requests.filter((url) => url === '/calm').length
    const { pid } = await client.call('session.inspect', { session })
    expect(pid).not.toBeNull()
    process.kill(pid ?? 0, 'SIGKILL')
    await until(
      'the page is loaded again',
      () => server.requests.filter((url) => url === '/calm').length > loads,
    )
    await client.call('web.navigate', { session, url: server.url('/busy') })
    await client.call('session.wait', { session, text: 'tick' })
    const restarted = await client.call('session.inspect', { session })
    expect(restarted.pid).not.toBe(pid)
    expect(processesWith(path.join(home.path, 'sessions', session)).map((it) => it.pid)).toContain(
      restarted.pid,
    )
    const trouble = (await recordTypes(home, session)).find(({ type }) => type === 'web_trouble')
    expect(trouble?.fields).toMatchObject({ code: 'browser_failed' })
    await client.call('session.destroy', { session })
    expect(commandLinesWith(path.join(home.path, 'sessions', session))).toEqual([])
    client.close()
  })

  test('a page that hangs keeps neither the others nor its own snapshot waiting, and can be left', async () => {
    await using server = await PageServer.start(PAGES)
    await using home = new TestHome()
    const session = await home.ok('create', ...web(server, '/hang'))
    const client = await home.connect()
    const clicked = client.call('session.mouse', { session, action: 'click', text: 'Hang' })
    await until('the page hangs', () => server.requests.includes('/hanging'))
    const other = await client.call('session.create', { command: ['sh', '-c', 'echo here; exec sleep 1000'] })
    await client.call('session.wait', { session: other.session, text: 'here' })
    const { lines } = await client.call('session.snapshot', { session })
    expect(lines.map(({ text }) => text).join('\n')).toContain('Hang')
    await client.call('web.navigate', { session, url: server.url('/calm') })
    await client.call('session.wait', { session, text: 'All is calm' })
    await clicked.catch(() => {}) // it may say that the page had to be freed
    client.close()
  })

  test('at its quota the log stops growing, and goes on with what the page shows then', async () => {
    await using server = await PageServer.start(PAGES)
    await using home = new TestHome()
    const session = await home.ok('create', ...web(server, '/busy'), '--quota-bytes', '1')
    const client = await home.connect()
    const paused = await client.call('session.inspect', { session })
    expect(paused.paused).toBe('quota')
    const { seq } = await client.call('session.mark', { session, label: 'paused' })
    await client.call('web.navigate', { session, url: server.url('/calm') })
    const frames = (await recordTypes(home, session)).filter(
      (record) => record.seq > seq && record.type === 'web_frame',
    )
    expect(frames).toEqual([])
    await client.call('session.quota', { session, bytes: 1 << 30 })
    await client.call('session.wait', { session, text: 'All is calm' })
    client.close()
  })

  test('is destroyed at once while its page still loads, and leaves nothing', async () => {
    const silent = net.createServer() // takes connections and says nothing
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as net.AddressInfo
    await using server = await PageServer.start({
      '/slow': `<!doctype html><p>Half of it</p><img src="http://127.0.0.1:${port}/never">`,
    })
    await using home = new TestHome()
    await home.startHost()
    const client = await home.connect()
    const created = client.call('session.create', {
      name: 'slow',
      url: server.url('/slow'),
      allow_hosts: ['127.0.0.1'],
    })
    created.catch(() => {}) // looked at below
    await until('the page loads', () => server.requests.includes('/slow'))
    await client.call('session.wait', { session: 'slow', text: 'Half of it' })
    await client.call('session.destroy', { session: 'slow' })
    await expect(created).rejects.toMatchObject({ code: expect.any(String) as string })
    expect(await client.call('session.list', { all: true })).toEqual({ sessions: [] })
    expect(fs.readdirSync(path.join(home.path, 'sessions'))).toEqual([])
    expect(commandLinesWith(home.path).filter((line) => line.includes('user-data-dir'))).toEqual([])
    client.close()
    silent.close()
  })

  test('ends after its idle time like any other, and is collected', async () => {
    await using server = await PageServer.start(PAGES)
    await using home = new TestHome()
    const session = await home.ok('create', ...web(server, '/calm'), '--idle-timeout', '300')
    await home.ok('wait', session, '--exit')
    await until('the session is over', async () => {
      const { status } = await home.json('inspect', session)
      return status === 'destroyed'
    })
    expect(await home.json('inspect', session)).toMatchObject({ ended_by: 'idle_timeout' })
    await home.ok('gc', '--older-than', '0s')
    expect(await home.json('list', '--all')).toMatchObject({ sessions: [] })
  })
})
