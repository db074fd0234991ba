import { describe, expect, it } from 'vitest'
import { makeApp } from '../../test-support/app-folder.ts'
import { failure, openApp, openDesktop } from '../../test-support/desktop-driver.ts'
import { getSnapshot, toJsonRpcError, type UpdateSignal } from '../index.ts'

const VIEWS = `
  document.body.innerHTML = '<main view="Main"><p>main</p><button operation="who">Who</button></main>'
  document.querySelector('main').addEventListener('aotui:operation', ({ detail }) => (document.querySelector('p').textContent = JSON.stringify(detail)))
  document.querySelector('main').addEventListener('aotui:dismount', () => aotui.log('main was dismounted'))
`
const VIEW_FILES = {
  'help.html':
    '<body class="x"><h2>Help</h2><p id="filled"></p><script type="module" src="help.mjs"></script></body>',
  'help.mjs': `document.getElementById('filled').textContent = 'filled by its script'`,
  'extra.mjs': `let mounts = 0
    export function mount(root) { root.innerHTML = '<p>mounted ' + ++mounts + '</p>'; return () => aotui.log('extra cleaned up') }`,
}
const VIEW_MANIFEST = {
  views: [
    { name: 'Help', entry: 'help.html' },
    { name: 'Extra', entry: 'extra.mjs', mount: 'manual' },
  ],
}

describe('views', () => {
  it('are mounted, dismounted, hidden and shown, and keep their ids', async () => {
    const driver = await openApp(makeApp({ main: VIEWS, files: VIEW_FILES, manifest: VIEW_MANIFEST }))
    await driver.until('the script of the HTML view', (text) => text.includes('filled by its script'))
    expect(driver.view('Help')).toBe('## Help\n\nfilled by its script')
    expect(driver.look()).toContain('view_003: Extra (not mounted)')

    await driver.system('mount --view view_003')
    expect(driver.view('Extra')).toBe('mounted 1')
    await driver.system('dismount --view view_003')
    expect(driver.look()).not.toContain('mounted 1')
    expect(driver.look()).toContain('extra cleaned up')
    await driver.system('mount --view view_003')
    expect(driver.look()).toContain('<view id="view_003" name="Extra">')
    expect(driver.view('Extra')).toBe('mounted 2')

    await driver.system('hide --view view_001')
    expect(driver.look()).toContain('view_001: Main (hidden)')
    expect((await failure(driver.execute('who', { view: 'view_001' }))).data['reason']).toBe('view_hidden')
    await driver.system('show --view view_001')
    expect(driver.view('Main')).toContain('main')

    await driver.system('dismount --view view_001')
    expect(driver.look()).toContain('main was dismounted')
    expect((await failure(driver.execute('who'))).data['reason']).toBe('no_operation')
    await driver.system('mount --view view_001')
    await driver.execute('who')
    expect(driver.view('Main')).toContain('"operation":"who"')
  })

  it('of a collapsed application are gone until it is shown', async () => {
    const driver = await openApp(makeApp({ main: VIEWS }))
    await driver.system('collapse --application com.example.app')
    expect(driver.look()).toContain('<application id="app_1" name="App" status="collapsed">')
    expect(driver.look()).not.toContain('<view id="view_001"')
    expect((await failure(driver.execute('who'))).data['reason']).toBe('app_collapsed')
    await driver.system('show --application app_1')
    expect(driver.view('Main')).toContain('main')
    await driver.system('close --application app_1')
    expect(driver.look()).toContain('com.example.app, not open')
    expect((await failure(driver.execute('who'))).data['reason']).toBe('app_not_running')
  })

  it('that declare the same operation need to be named, and it is logged', async () => {
    const main = `document.body.innerHTML = '<main view="A"><p>a</p><button operation="go">Go</button></main><main view="B"><p>b</p><button operation="go">Go</button></main>'
      for (const root of document.querySelectorAll('main')) root.addEventListener('aotui:operation', () => root.querySelector('p').append('!'))`
    const driver = await openApp(makeApp({ main }))
    const error = await failure(driver.execute('go'))
    expect(error).toMatchObject({
      code: 'E_INVALID_CMD',
      data: { reason: 'ambiguous', views: ['view_001', 'view_002'] },
    })
    await driver.execute('go', { view: 'view_002' })
    expect([driver.view('A').slice(0, 1), driver.view('B').slice(0, 2)]).toEqual(['a', 'b!'])
    expect(driver.developerLog()).toContain('operation "go" is declared in more than one view')
  })

  it('with a duplicate operation refuse it', async () => {
    const driver = await openApp(
      makeApp({
        main: `document.body.innerHTML = '<main view="A"><button operation="go">1</button><button operation="go">2</button></main>'`,
      }),
    )
    expect((await failure(driver.execute('go', { view: 'view_001' }))).data['reason']).toBe('ambiguous')
    expect(driver.developerLog()).toContain('warning: operation "go" is declared more than once')
  })
})

const LIST = `
  document.body.innerHTML = '<main view="List"><h1>List</h1><ul list="t[]:ts">' +
    Array.from({ length: 120 }, (_, i) => '<li key="k' + i + '">item ' + i + '</li>').join('') + '</ul>' +
    '<button operation="touch" args=\\'{"one":"t"}\\'>Touch</button></main>' +
    '<main view="Other"><p>still</p></main>'
  document.querySelector('main').addEventListener('aotui:operation', ({ detail }) =>
    document.querySelector('[key=' + detail.stable_keys[0] + ']').append(' touched'))
`

describe('snapshots', () => {
  it('are the same while nothing changes, and tell which views did', async () => {
    const driver = await openApp(makeApp({ main: LIST }))
    const first = driver.desktop.snapshot()
    expect(driver.desktop.snapshot().snapshot_id).toBe(first.snapshot_id)
    expect(first.views).toEqual(['view_001', 'view_002'])
    await driver.execute('touch --one ts[3]')
    expect(driver.desktop.snapshot().changed).toEqual(['view_001'])
    const second = driver.desktop.snapshot({ since: first.snapshot_id })
    expect(second.snapshot_id).not.toBe(first.snapshot_id)
    expect(second.changed).toEqual(['view_001'])
    expect(second.markup).toContain('4. [item 3 touched](item:ts[3])')
    expect(second.markup).not.toContain('item 4]')
    expect(second.markup).not.toContain('still')
    expect(second.markup).toContain('<view id="view_002" name="Other" unchanged="true">')
    expect(second.markup.length).toBeLessThan(getSnapshot(driver.desktop).length / 3)
  })

  it('page through long lists, and an index means its place in the whole list', async () => {
    const driver = await openApp(makeApp({ main: LIST }))
    expect((await failure(driver.execute('touch --one ts[60]'))).data['reason']).toBe('ref_not_shown')
    await driver.run('<context app_id="app_1" view_id="view_001">page --list ts --from 50</context>')
    expect(driver.view('List')).toContain('51. [item 50](item:ts[50])')
    await driver.execute('touch --one ts[60]')
    expect(driver.view('List')).toContain('61. [item 60 touched](item:ts[60])')
    const context = '<context app_id="app_1" view_id="view_001">'
    expect((await failure(driver.run(`${context}page --list nope --from 0</context>`))).data['reason']).toBe(
      'list_gone',
    )
    expect((await failure(driver.run(`${context}page --list ts --from x</context>`))).code).toBe(
      'E_INVALID_CMD',
    )
  })

  it('keep to max_chars, and what was cut cannot be referred to', async () => {
    const driver = await openApp(makeApp({ main: LIST }))
    const full = driver.desktop.snapshot()
    for (const max_chars of [1, 500, 1000].map((less) => full.markup.length - less)) {
      const cut = driver.desktop.snapshot({ max_chars })
      expect(cut.markup.length).toBeLessThanOrEqual(max_chars)
      expect(cut.markup).toContain('(cut to fit')
      expect(cut.markup).toContain('(operation:touch)')
      expect(cut.markup.endsWith('</application>\n</desktop>')).toBe(true)
      const touch = (one: string) =>
        driver.lease.execute({
          app: 'app_1',
          operation: 'touch',
          args: { one },
          snapshot_id: cut.snapshot_id,
        })
      expect((await failure(touch('ts[49]'))).data['reason']).toBe('ref_not_shown')
      await touch('ts[0]')
    }
    expect(() => driver.desktop.snapshot({ max_chars: 100 })).toThrow(/needs at least \d+/)
  })

  it('begin with what changes least', async () => {
    const driver = await openApp(makeApp({ main: LIST }))
    const before = driver.look()
    await driver.execute('touch --one ts[0]')
    const after = driver.look()
    let same = 0
    while (before[same] === after[same]) same++
    expect(after.slice(0, same)).toContain('<application id="app_1"')
  })
})

describe('signals and errors', () => {
  it('signals carry a reason and nothing else, to every subscriber until it leaves', async () => {
    const driver = await openDesktop({ apps: [makeApp({ main: LIST })] })
    const signals: UpdateSignal[] = []
    const listener = (signal: UpdateSignal) => signals.push(signal)
    driver.desktop.output.subscribe(listener)
    await driver.system('open --application app_1')
    driver.look()
    await driver.execute('touch --one ts[0]')
    await driver.system('close --application app_1')
    const reasons = signals.map((signal) => signal.reason)
    expect(reasons.filter((reason, index) => reason !== reasons[index - 1])).toEqual([
      'app_opened',
      'dom_mutation',
      'app_closed',
    ])
    for (const signal of signals)
      expect(Object.keys(signal).toSorted()).toEqual(['desktopId', 'reason', 'timestamp'])
    driver.desktop.output.unsubscribe(listener)
    const count = signals.length
    await driver.system('open --application app_1')
    expect(signals).toHaveLength(count)
  })

  it('errors have the JSON-RPC shape of the spec', async () => {
    const driver = await openApp(makeApp({ main: LIST }))
    const error = await failure(driver.run('<context>execute</context>'))
    expect(toJsonRpcError(error, 1)).toMatchObject({
      jsonrpc: '2.0',
      error: {
        code: -32600,
        message: expect.stringMatching(/^E_INVALID_CMD: /) as string,
        data: { recoverable: true, line: 1, column: 17 },
      },
      id: 1,
    })
    expect(toJsonRpcError(await failure(driver.system('open --application nope')), 2).error.code).toBe(-32001)
    expect(toJsonRpcError(new TypeError('oops')).error).toMatchObject({
      code: -32603,
      message: 'E_INTERNAL: oops',
      data: { recoverable: false },
    })
  })

  it('several contexts run in order and stop at the first error; a syntax error runs none', async () => {
    const driver = await openApp(makeApp({ main: LIST }))
    const context = (body: string) => `<context app_id="app_1" view_id="view_001">${body}</context>`
    const ack = await driver.run(
      `Two: ${context('execute touch --one ts[1]')} and ${context('page --list ts --from 0')}`,
    )
    expect(ack.command_count).toBe(2)
    const error = await failure(
      driver.run(
        context('execute touch --one ts[2]') + context('execute nope') + context('execute touch --one ts[3]'),
      ),
    )
    expect(error.data).toMatchObject({ reason: 'no_operation', completed: 1 })
    await failure(driver.run(context('execute touch --one ts[4]') + context('execute touch "')))
    expect([...driver.view('List').matchAll(/item (\d+) touched/g)].map(([, index]) => index)).toEqual([
      '1',
      '2',
    ])
  })

  it('system commands explain themselves', async () => {
    const driver = await openApp(makeApp({ main: LIST }))
    for (const [command, reason] of [
      ['fly', 'unknown_command'],
      ['open', 'usage'],
      ['open --application app_1 --fast', 'usage'],
      ['hide --view view_999', 'no_view'],
      ['close --application app_9', 'no_app'],
      ['execute touch', 'no_app'],
    ] as const) {
      expect((await failure(driver.system(command))).data['reason']).toBe(reason)
    }
    const object = { app: 'system', operation: 'collapse', args: { application: 'app_1' } }
    await driver.lease.execute(object)
    expect(driver.look()).toContain('status="collapsed"')
  })
})
