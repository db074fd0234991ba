import * as fs from 'node:fs'
import * as path from 'node:path'
import type { Client } from '@transom/client'
import type { EventRecord, Snapshot, SubscriptionMessage } from '@transom/protocol'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { needsBrowser } from './support/needs.ts'
import { TestHome } from './support/test-home.ts'
import { PageServer } from './support/web.ts'

const test = needsBrowser()

const PAGES = {
  '/start': `<!doctype html><title>Start</title><h1>Welcome</h1><a href="/next">Go on</a>`,
  '/next': `<!doctype html><title>Next</title><p>The second page</p>`,
  '/form': `<!doctype html><title>Form</title><input id="q"><p id="out">nothing yet</p>
    <script>q.focus();q.oninput=()=>{out.textContent='typed: '+q.value};q.onkeydown=(e)=>{if(e.key==='Enter')out.textContent='sent: '+q.value}</script>`,
  '/login': `<!doctype html><title>Login</title><input id="p" type="password"><p id="out"></p>
    <script>p.focus();p.oninput=()=>{out.textContent=p.value.length+' characters'}</script>`,
  '/ask': `<!doctype html><title>Ask</title><button onclick="out.textContent='answer: '+confirm('Sure?')">Ask me</button><p id="out"></p>`,
  '/clock': `<!doctype html><title>Clock</title><p id="t">0</p><script>let n=0;setInterval(()=>{t.textContent='tick '+(++n)},50)</script>`,
  '/tall': `<!doctype html><title>Tall</title>${Array.from({ length: 200 }, (_, n) => `<p>Paragraph ${n}.</p>`).join('')}`,
  '/cookie': `<!doctype html><title>Cookie</title><p id="t"></p><script>t.textContent='had: '+(document.cookie||'none');document.cookie='visited=yes;max-age=3600'</script>`,
}

describe('a web page as a session', () => {
  let server: PageServer
  let home: TestHome
  let client: Client

  beforeAll(async () => {
    server = await PageServer.start(PAGES)
    home = new TestHome()
    await home.ok('create', '--name', 'first', ...web('/start'))
    client = await home.connect()
  })
  afterAll(async () => {
    client.close()
    await home.close()
    await server[Symbol.asyncDispose]()
  })

  const web = (page: string) => ['--web', server.url(page), '--allow-host', '127.0.0.1']

  async function open(page: string, more: object = {}): Promise<string> {
    const { session } = await client.call('session.create', {
      url: server.url(page),
      allow_hosts: ['127.0.0.1'],
      ...more,
    })
    return session
  }

  async function records(session: string): Promise<EventRecord[]> {
    const out = path.join(home.root, `${session}.jsonl`)
    await client.call('log.export', { session, format: 'jsonl', out, force: true })
    const lines = fs.readFileSync(out, 'utf8').trim().split('\n')
    return lines.map((line) => JSON.parse(line) as EventRecord)
  }

  const textOf = ({ lines }: Snapshot) => lines.map(({ text }) => text).join('\n')

  test('is created by the command line, listed with its kind, and read like any other', async () => {
    expect(await home.ok('list')).toMatch(/first +running +\w+ +web +140x45 .*\/start/)
    expect(await home.ok('snapshot', 'first')).toMatch(/Welcome[\s\S]*Go on/)
    const snapshot = await client.call('session.snapshot', { session: 'first', cells: true })
    expect(snapshot).toMatchObject({
      title: 'Start',
      cols: 140,
      rows: 45,
      page: { url: server.url('/start'), loading: false, can_go_back: false, dialog: null },
    })
    expect(snapshot.modes).toBeUndefined()
    const run = snapshot.lines
      .flatMap(({ cells }) => cells ?? [])
      .find(({ text }) => text.startsWith('Go on'))
    expect(run?.fg).toBe('#0000ee')
  })

  test('if its browser has no sandbox, creating and inspecting it say so', async () => {
    const { stdout, stderr } = await home.run(['create', ...web('/start')])
    const { unsandboxed } = await client.call('session.inspect', { session: stdout.trim() })
    const isRoot = process.getuid?.() === 0
    if (isRoot) expect(unsandboxed).toBe('Chromium has none for root')
    expect(stderr).toBe(
      unsandboxed === undefined
        ? ''
        : `transom: the browser runs without a sandbox (${unsandboxed}): a page that breaks out of it acts as this user\n`,
    )
  })

  test('a link is clicked by its text, the history goes back and forth, and waits see title and address', async () => {
    const session = await open('/start')
    const { seq } = await client.call('session.mouse', { session, action: 'click', text: 'Go on' })
    const waited = await client.call('session.wait', { session, text: 'The second page', after_seq: seq })
    expect(waited.match?.text).toBe('The second page')
    await client.call('session.wait', { session, title: 'Next', url: '/next' })
    expect(await client.call('web.go_back', { session })).toMatchObject({ moved: true })
    await client.call('session.wait', { session, text: 'Welcome', url: '/start' })
    expect(await client.call('web.go_forward', { session })).toMatchObject({ moved: true })
    expect(await client.call('web.go_forward', { session })).toMatchObject({ moved: false })
    await client.call('web.reload', { session })
    await client.call('web.navigate', { session, url: server.url('/tall') })
    expect(textOf(await client.call('session.snapshot', { session }))).toContain('Paragraph 0.')
    expect(await client.call('session.inspect', { session })).toMatchObject({ url: server.url('/tall') })
  })

  test('the wheel scrolls, and a diff shows what has changed', async () => {
    const session = await open('/tall')
    const { seq } = await client.call('session.snapshot', { session })
    await client.call('session.mouse', { session, action: 'wheel', at: { row: 5, col: 5 }, lines: 40 })
    await client.call('session.wait', { session, text: 'Paragraph 25.' })
    const { changed } = await client.call('session.diff', { session, since: String(seq) })
    expect(changed.map(({ line }) => line.text).join('\n')).toContain('Paragraph 25.')
  })

  test('text, keys and paste reach the field that has the focus, logged before they take effect', async () => {
    const session = await open('/form')
    const typed = await client.call('session.type', { session, text: 'héllo', actor: 'me' })
    await client.call('session.wait', { session, text: 'typed: héllo', after_seq: typed.seq })
    await client.call('session.paste', { session, text: ' world' })
    await client.call('session.wait', { session, text: 'typed: héllo world' })
    await client.call('session.keys', { session, keys: ['Backspace*2', 'Enter'] })
    const { snapshot } = await client.call('session.wait', { session, text: 'sent: héllo wor' })
    await client.call('session.wait', { session, regex: 'héllo wor$' })
    expect(snapshot.page?.title).toBe('Form')
    const log = await records(session)
    const input = log.find(({ type, fields }) => type === 'web_input' && fields?.['via'] === 'type')
    expect(input).toMatchObject({ seq: typed.seq, fields: { actor_label: 'me', text: 'héllo', length: 5 } })
    const before = await client.call('session.snapshot', { session, at_seq: typed.seq })
    expect(textOf(before)).toContain('nothing yet')
    // The caret stands behind the text in the field, once the page has been asked for it.
    await client.call('session.wait', { session, cursor: await caretOf(session) })
  })

  const caretOf = async (session: string) => {
    const { caret } = await client.call('web.state', { session })
    expect(caret).not.toBeNull()
    return caret ?? undefined
  }

  test('what is typed into a password field is logged by its length alone', async () => {
    const session = await open('/login')
    await client.call('session.type', { session, text: 'hunter2' })
    await client.call('session.wait', { session, text: '7 characters' })
    await client.call('session.keys', { session, keys: ['x'] })
    await client.call('session.paste', { session, text: 'pasted' })
    await client.call('session.wait', { session, text: '14 characters' })
    await client.call('session.destroy', { session })
    const inputs = (await records(session)).filter(({ type }) => type === 'web_input').slice(1)
    expect(inputs.map(({ fields }) => fields)).toMatchObject([
      { via: 'type', length: 7, text: null },
      { via: 'keys', length: 1, keys: null },
      { via: 'paste', length: 6, text: null },
    ])
    expect(fs.readFileSync(home.logPath(session)).includes('hunter2')).toBe(false)
  })

  test('a secret is logged by its length alone, whatever field it is typed into', async () => {
    const session = await open('/ask')
    await client.call('session.type', { session, text: 'hunter2', secret: true })
    await client.call('session.destroy', { session })
    const inputs = (await records(session)).filter(({ type }) => type === 'web_input')
    expect(inputs.at(-1)?.fields).toMatchObject({ via: 'type', length: 7, text: null })
  })

  test('a dialog is shown, stops everything else, and is answered', async () => {
    const session = await open('/ask')
    await client.call('session.mouse', { session, action: 'click', text: 'Ask me' })
    const { page } = await client.call('session.snapshot', { session })
    expect(page?.dialog).toEqual({ type: 'confirm', message: 'Sure?', default_prompt: '' })
    await expect(client.call('session.type', { session, text: 'x' })).rejects.toMatchObject({
      code: 'page_unresponsive',
    })
    await client.call('web.answer_dialog', { session, answer: 'accept' })
    await client.call('session.wait', { session, text: 'answer: true' })
    await expect(client.call('web.answer_dialog', { session, answer: 'accept' })).rejects.toMatchObject({
      code: 'usage',
    })
  })

  test('links and places of a text are told with their cells', async () => {
    const session = await open('/start')
    const { links } = await client.call('web.links', { session })
    const { matches } = await client.call('web.find_text', { session, text: 'go ON', ignore_case: true })
    expect(links).toEqual([
      { text: 'Go on', url: server.url('/next'), row: matches[0]?.row, col: matches[0]?.col },
    ])
    expect(await home.ok('links', session)).toContain('Go on')
  })

  test('a resize and a zoom change the page, within limits', async () => {
    const session = await open('/tall', { cols: 60, rows: 20 })
    await client.call('session.resize', { session, cols: 80, rows: 30 })
    const snapshot = await client.call('session.snapshot', { session })
    expect(snapshot).toMatchObject({ cols: 80, rows: 30 })
    expect(snapshot.lines).toHaveLength(30)
    await client.call('web.set_zoom', { session, percent: 200 })
    await expect(client.call('session.resize', { session, cols: 5 })).rejects.toMatchObject({
      code: 'invalid_viewport',
    })
    await expect(client.call('web.set_zoom', { session, percent: 7 })).rejects.toMatchObject({
      code: 'invalid_viewport',
    })
  })

  test('answers after its end as it did before, at every moment', async () => {
    const session = await open('/start')
    await client.call('session.mark', { session, label: 'at the start' })
    const start = await client.call('session.snapshot', { session, cells: true })
    await client.call('session.mouse', { session, action: 'click', text: 'Go on' })
    await client.call('session.wait', { session, text: 'The second page', screen_stable_ms: 200 })
    const live = await client.call('session.snapshot', { session, cells: true })
    await client.call('session.destroy', { session })
    const ended = await client.call('session.snapshot', { session, cells: true, at_seq: live.seq })
    expect(ended).toEqual(live)
    const marked = await client.call('session.snapshot', { session, cells: true, at_mark: 'at the start' })
    expect(marked).toEqual(start)
    const last = await client.call('session.snapshot', { session })
    expect(last.screen_hash).toBe(live.screen_hash)
    expect(await client.call('session.wait', { session, title: 'Next', timeout_ms: 0 })).toMatchObject({
      matched: true,
    })
    await expect(client.call('web.links', { session })).rejects.toMatchObject({ code: 'session_ended' })
  })

  test('screen subscribers get a dump and then rows, event subscribers records', async () => {
    const session = await open('/clock')
    const seen: string[] = []
    const types: string[] = []
    const follow = async (to: 'screen' | 'events', isEnough: () => boolean) =>
      new Promise<void>((resolve, reject) => {
        const take = (message: SubscriptionMessage) => {
          seen.push(message.type)
          if (message.type === 'records') types.push(...message.records.map(({ type }) => type))
          if (isEnough()) resolve()
        }
        client.subscribe({ session, to }, take).catch(reject)
      })
    await follow('screen', () => seen.includes('rows'))
    await follow('events', () => types.includes('web_frame'))
    expect(seen).toEqual(expect.arrayContaining(['screen', 'rows', 'position', 'records']))
  })

  test('pictures, exports and recordings are made of it', async () => {
    const session = await open('/start')
    await client.call('web.navigate', { session, url: server.url('/next') })
    const shot = await client.call('session.screenshot', { session })
    expect(shot).toMatchObject({ format: 'png', cols: 140, rows: 45, missing_glyphs: null })
    const painted = path.join(home.root, 'painted.png')
    const { width, height } = await client.call('web.paint', { session, out: painted })
    expect([width, height]).toEqual([140 * 8, 45 * 16])
    expect(fs.readFileSync(painted).subarray(1, 4).toString()).toBe('PNG')
    await client.call('session.destroy', { session })
    const text = await home.ok('log', 'export', session, '--format', 'text')
    expect(text).toMatch(/\/start\n[\s\S]*Welcome[\s\S]*\/next\n[\s\S]*The second page/)
    const cast = path.join(home.root, 'page.cast')
    await home.ok('export', session, '--format', 'asciicast-v2', '--out', cast)
    expect(fs.readFileSync(cast, 'utf8')).toContain('The second page')
    expect(await client.call('log.verify', { session })).toMatchObject({ tail: 'none', missing: 0 })
  })

  test('what is for another kind of session is refused by name', async () => {
    const terminal = await client.call('session.create', { command: ['cat'] })
    const lacks = (wanted: string) => ({ code: 'wrong_kind', details: { kind: 'web', wanted } })
    const page = { session: 'first' }
    const signal = client.call('session.signal', { ...page, signal: 'INT' })
    await expect(signal).rejects.toMatchObject(lacks('tty'))
    const run = client.call('session.run', { ...page, command: ['ls'] })
    await expect(run).rejects.toMatchObject(lacks('blocks'))
    const blocks = client.call('pty.blocks', { conversation_id: 'first' })
    await expect(blocks).rejects.toMatchObject(lacks('blocks'))
    const wait = client.call('session.wait', { ...page, needs_input: true })
    await expect(wait).rejects.toMatchObject(lacks('needs_input'))
    await expect(
      client.call('web.navigate', { session: terminal.session, url: server.url('/start') }),
    ).rejects.toMatchObject({ code: 'wrong_kind', details: { kind: 'terminal', wanted: 'page' } })
    await expect(
      client.call('session.create', { url: server.url('/start'), command: ['ls'] }),
    ).rejects.toMatchObject({ code: 'usage', details: { parameters: ['command'] } })
    await client.call('session.destroy', { session: terminal.session })
  })

  test('a page that cannot be opened leaves no session behind', async () => {
    const before = await client.call('session.list', { all: true })
    const create = (params: object) => client.call('session.create', { name: 'never', ...params })
    await expect(create({ url: 'file:///etc/passwd' })).rejects.toMatchObject({ code: 'invalid_url' })
    await expect(create({ url: 'http://169.254.1.1/' })).rejects.toMatchObject({ code: 'url_refused' })
    await expect(create({ url: 'http://127.0.0.1:1/', allow_hosts: ['127.0.0.1'] })).rejects.toMatchObject({
      code: 'navigation_failed',
    })
    await expect(
      create({ kind: 'web', base_env: { AWI_CHROMIUM: '/nowhere/chromium' } }),
    ).rejects.toMatchObject({ code: 'browser_not_found' })
    expect(await client.call('session.list', { all: true })).toEqual(before)
  })

  test('three at once keep their pages and cookies apart; a named profile keeps them, for one at a time', async () => {
    const three = await Promise.all([open('/cookie'), open('/cookie'), open('/clock')])
    for (const session of three.slice(0, 2)) await client.call('session.wait', { session, text: 'had: none' })
    await client.call('session.wait', { session: three[2] ?? '', text: 'tick' })
    for (const session of three) {
      const folder = path.join(home.path, 'sessions', session, 'profile')
      expect(fs.statSync(folder).mode & 0o777).toBe(0o700)
      await client.call('session.destroy', { session })
      expect(fs.existsSync(folder)).toBe(false)
    }
    const kept = await open('/cookie', { profile: 'work' })
    await client.call('session.wait', { session: kept, text: 'had: none' })
    await expect(open('/cookie', { profile: 'work' })).rejects.toMatchObject({ code: 'profile_in_use' })
    await client.call('session.destroy', { session: kept })
    const again = await open('/cookie', { profile: 'work' })
    await client.call('session.wait', { session: again, text: 'had: visited=yes' })
  })
})
