/** The page behind an agent socket is a session of the Home like any other. */
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as path from 'node:path'
import type { EventRecord, SessionInfo } from '@transom/protocol'
import { describe, expect } from 'vitest'
import { AgentBrowser } from './support/agent-browser.ts'
import { needsBrowser } from './support/needs.ts'
import { CLI, type TestHome } from './support/test-home.ts'
import { until } from './support/until.ts'
import { PageServer } from './support/web.ts'

const test = needsBrowser()

const FORM = `<!doctype html><title>Form</title><input id="q" autofocus><p id="out"></p>
  <script>q.focus();q.oninput=()=>{out.textContent='typed: '+q.value}</script>`

async function sessions(home: TestHome): Promise<SessionInfo[]> {
  return (await home.json<{ sessions: SessionInfo[] }>('list', '--all')).sessions
}

describe('a page that agents use', () => {
  test('is listed, seen, waited for and drawn by transom while it runs, and afterwards', async () => {
    await using server = await PageServer.start({ '/form': FORM })
    await using browser = await AgentBrowser.open(server.url('/form'))
    const { home } = browser
    await browser.call('wait_for', { url: '/form', network_idle: 10 })
    await browser.call('type_text', { text: 'Grüße' })
    await browser.call('wait_for', { text: 'typed: Grüße' })
    const { session_id: session } = (await browser.call('get_capabilities')) as { session_id: string }

    expect(await sessions(home)).toMatchObject([
      { session, kind: 'web', status: 'running', url: server.url('/form') },
    ])
    expect(await home.ok('snapshot', session)).toContain('typed: Grüße')
    await home.ok('type', session, '!') // both ways reach the one page
    await browser.call('wait_for', { text: 'typed: Grüße!' })
    expect(await home.ok('wait', session, '--text', 'Grüße!')).toContain('Grüße!')

    const picture = path.join(home.root, 'page.png')
    browser.process.kill('SIGTERM')
    expect(await once(browser.process, 'exit')).toEqual([0, null])
    expect(await sessions(home)).toMatchObject([{ session, status: 'destroyed' }])
    expect(await home.ok('snapshot', session)).toContain('typed: Grüße!')
    await home.ok('screenshot', session, '--out', picture)
    expect(fs.readFileSync(picture).subarray(1, 4).toString()).toBe('PNG')
    const player = [process.execPath, CLI, 'replay', session, '--speed', '50']
    await home.ok('create', '--name', 'player', '--cols', '140', '--rows', '50', '--', ...player)
    expect(await home.ok('wait', 'player', '--text', 'typed: Grüße!')).toContain('typed: Grüße!')
  })

  test('has what agents did in its Event Log, by whom', async () => {
    await using server = await PageServer.start({ '/form': FORM })
    await using browser = await AgentBrowser.open(server.url('/form'))
    await browser.call('wait_for', { url: '/form', network_idle: 10 })
    await browser.call('type_text', { text: 'words' })
    await browser.call('click', { row: 0, col: 2, clicks: 2, modifiers: { shift: true } })
    const { session_id: session } = (await browser.call('get_capabilities')) as { session_id: string }
    const out = path.join(browser.folder, 'events.jsonl')
    await browser.home.ok('log', 'export', session, '--format', 'jsonl', '--out', out)
    const records = fs
      .readFileSync(out, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as EventRecord)
    const actor = expect.stringContaining(`pid ${process.pid}`) as string // the client of the agent socket
    const inputs = records.filter(({ type }) => type === 'web_input').map(({ fields }) => fields)
    expect(inputs).toMatchObject([
      { via: 'navigate', url: server.url('/form') },
      { via: 'type', text: 'words', actor },
      { via: 'mouse', action: 'click', clicks: 2, modifiers: ['shift'], at: { row: 0, col: 2 }, actor },
    ])
  })

  test('ends with its session, and leaves a session that has failed when its command is killed', async () => {
    await using server = await PageServer.start()
    await using first = await AgentBrowser.open(server.url('/x'))
    const [only] = await sessions(first.home)
    const ended = once(first.process, 'exit')
    await first.home.ok('destroy', only?.session ?? '')
    expect(await ended).toEqual([0, null])
    expect(fs.existsSync(first.socketPath)).toBe(false)

    await using second = await AgentBrowser.open(server.url('/x'))
    await second.call('wait_for', { text: 'You are at /x' })
    second.process.kill('SIGKILL')
    await once(second.process, 'exit')
    await until('its session has failed', async () => (await sessions(second.home))[0]?.status === 'failed')
    const [killed] = await sessions(second.home)
    expect(await second.home.ok('snapshot', killed?.session ?? '')).toContain('You are at /x')
  })

  test('keeps cookies in a folder with --profile, which one browser has at a time', async () => {
    const cookie = `<!doctype html><p id="t"></p><script>t.textContent='had: '+(document.cookie||'none');document.cookie='visited=yes;max-age=3600'</script>`
    await using server = await PageServer.start({ '/cookie': cookie })
    const url = server.url('/cookie')
    await using first = await AgentBrowser.open(url)
    const profile = path.join(first.folder, 'profile')
    for (const had of ['none', 'visited=yes']) {
      const browser = await AgentBrowser.open(url, '--profile', profile)
      await browser.call('wait_for', { text: `had: ${had}` })
      await expect(AgentBrowser.open(url, '--profile', profile)).rejects.toThrow('profile_in_use')
      await browser[Symbol.asyncDispose]()
    }
  })
})
