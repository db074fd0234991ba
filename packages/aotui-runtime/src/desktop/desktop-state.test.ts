import { execFile } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { makeApp, makeTempDir } from '../../test-support/app-folder.ts'
import { failure, openApp, openDesktop, restoreDesktop } from '../../test-support/desktop-driver.ts'
import { packageDir } from '../../test-support/runtime-build.ts'
import { destroyDesktop, getSnapshot, serialize, serializeFresh, type DesktopState } from '../index.ts'

const NOTES = `
  let notes = ['first']
  const views = ['List', 'Settings', 'Help'].map((name) => aotui.defineView({
    name,
    mount: name === 'Help' ? 'manual' : 'auto',
    render(root) {
      root.addEventListener('aotui:operation', ({ detail }) => { notes.push(detail.args.text); show() })
      root.innerHTML = name === 'List'
        ? '<ul list="note[]:notes"></ul><button operation="add" args=\\'{"text":"string"}\\'>Add</button>'
        : '<p>' + name + '</p>'
      show()
    },
  }))
  function show() {
    const list = document.querySelector('ul')
    list?.replaceChildren(...notes.map((text, index) => {
      const item = document.createElement('li')
      item.setAttribute('key', 'n' + index)
      item.textContent = text
      return item
    }))
  }
  export const serialize = () => ({ notes })
  export const restore = (data) => { notes = data.notes; show() }
`
const asSystem = (id: string) => makeApp({ main: NOTES, manifest: { id, name: id, system: true } })

/** Through JSON, as a product would store it. */
function stored(state: DesktopState): DesktopState {
  return JSON.parse(JSON.stringify(state)) as DesktopState
}

describe('a desktop that is restored', () => {
  it('in another process shows an equal snapshot: views, flags, pages and data', async () => {
    const other = makeApp({ main: NOTES, manifest: { id: 'com.example.other', name: 'Other' } })
    const closed = makeApp({ main: NOTES, manifest: { id: 'com.example.closed', name: 'Closed' } })
    const system = asSystem('system.notes')
    const driver = await openDesktop({
      systemApps: [system],
      apps: [other, closed],
      listWindow: 2,
    })
    await driver.desktop.ready
    await driver.system('open --application app_2')
    driver.look()
    for (const text of ['a', 'b', 'c'])
      await driver.execute(`add --text ${text}`, { app: 'com.example.other' })
    await driver.run('<context app_id="app_2" view_id="view_004">page --list notes --from 2</context>')
    await driver.system('hide --view view_005')
    await driver.system('mount --view view_006')
    await driver.system('dismount --view view_002')
    await driver.system('collapse --application app_1')
    const before = driver.look()
    expect(before).toContain('notes[3]')
    expect(before).toContain('view_002: Settings (not mounted)')
    expect(before).toContain('view_005: Settings (hidden)')
    const state = stored(serialize(driver.desktop))
    expect(state.apps.map((app) => [app.appId, app.status])).toEqual([
      ['system.notes', 'minimized'],
      ['com.example.other', 'running'],
    ])
    expect(state.apps[1]?.mountedViews).toEqual(['view_004', 'view_005', 'view_006'])

    const dir = makeTempDir()
    writeFileSync(join(dir, 'state.json'), JSON.stringify(state))
    await build({
      stdin: {
        contents: `import { readFileSync } from 'node:fs'
          import { restore, getSnapshot, destroyDesktop } from './src/index.ts'
          const desktop = restore(JSON.parse(readFileSync(process.argv[2], 'utf8')), {
            listWindow: 2, runtimeDir: process.argv[3], systemApps: [process.argv[4]] })
          const { failures } = await desktop.ready
          process.stdout.write(failures.length === 0 ? getSnapshot(desktop) : JSON.stringify(failures))
          await destroyDesktop(desktop.id)`,
        resolveDir: packageDir,
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: join(dir, 'restore.mjs'),
      logLevel: 'error',
    })
    const args = [join(dir, 'restore.mjs'), join(dir, 'state.json'), join(packageDir, 'dist'), system]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    expect(stdout).toBe(before)
  })

  it('never gives a view id twice', async () => {
    const driver = await openApp(makeApp({ main: NOTES }))
    const state = stored(serialize(driver.desktop))
    await destroyDesktop(driver.desktop.id)
    const other = makeApp({ main: NOTES, manifest: { id: 'com.example.other' } })
    state.installed.push({ instance: 'app_2', appId: 'com.example.other', dir: other, tier: 'standard' })
    const restored = await restoreDesktop(state)
    await restored.system('open --application app_2')
    const ids = restored.desktop.apps().flatMap((app) => app.views.map((view) => view.id))
    expect(ids).toEqual(['view_001', 'view_002', 'view_003', 'view_004', 'view_005', 'view_006'])
  })

  it('reports an app that fails or is gone, and keeps its data', async () => {
    const picky = makeApp({
      main: `export const serialize = () => ({ n: 1 })
        export const restore = () => { throw new Error('cannot read old data') }`,
    })
    const gone = makeApp({ main: NOTES, manifest: { id: 'com.example.gone', name: 'Gone' } })
    const driver = await openDesktop({ apps: [picky, gone] })
    await driver.system('open --application app_1')
    await driver.system('open --application app_2')
    const state = stored(serialize(driver.desktop))
    await destroyDesktop(driver.desktop.id)
    rmSync(gone, { recursive: true })
    const restored = await restoreDesktop(state)
    const { failures } = await restored.desktop.ready
    expect(failures.map((one) => [one.appId, one.error.data['reason']])).toEqual([
      ['com.example.app', 'load_failed'],
      ['com.example.gone', 'no_manifest'],
    ])
    expect(restored.look()).toContain('cannot read old data')
    const again = serialize(restored.desktop)
    expect(again.apps.map((app) => [app.appId, app.appData])).toEqual([
      ['com.example.app', { n: 1 }],
      ['com.example.gone', { notes: ['first'] }],
    ])
    expect(again.apps[0]?.error?.message).toContain('cannot read old data')
  })

  it('is refused while it is alive, and so is a state that is not sound', async () => {
    const driver = await openApp(makeApp({ main: NOTES }))
    const state = stored(serialize(driver.desktop))
    await expect(restoreDesktop(state)).rejects.toMatchObject({ data: { reason: 'desktop_exists' } })
    await expect(restoreDesktop({ ...state, version: 2 } as never)).rejects.toMatchObject({
      data: { field: 'version' },
    })
    await expect(restoreDesktop({ ...state, apps: [{}] } as never)).rejects.toMatchObject({
      data: { field: 'apps[0].instance' },
    })
  })
})

describe('a state that was edited', () => {
  it('makes no app trusted, and takes none out of its sandbox', async () => {
    const system = asSystem('system.evil')
    const strict = makeApp({ main: NOTES, manifest: { id: 'com.example.strict', tier: 'strict' } })
    const driver = await openApp(makeApp({ main: NOTES }))
    const state = stored(serialize(driver.desktop))
    await destroyDesktop(driver.desktop.id)
    const [app] = state.apps
    if (app === undefined) throw new Error('the state holds no app')
    const edited = {
      ...app,
      appId: 'system.evil',
      dir: system,
      tier: 'trusted' as const,
      system: true,
      views: [],
    }
    const restored = await restoreDesktop({ ...state, apps: [edited] })
    const { failures } = await restored.desktop.ready
    expect(failures[0]?.error).toMatchObject({ code: 'E_PERMISSION', data: { reason: 'not_trusted' } })
    await destroyDesktop(restored.desktop.id)

    const open = { instance: 'app_2', appId: 'com.example.strict', dir: strict, tier: 'standard' as const }
    const other = await restoreDesktop({ ...state, apps: [], installed: [open] })
    expect(serialize(other.desktop).installed).toMatchObject([{ instance: 'app_2', tier: 'strict' }])
  })

  it.each([
    ['id', { id: '../../outside' }],
    ['id', { id: '' }],
    ['apps[0].instance', { instance: '"><view id="view_0">' }],
    ['apps[0].appId', { appId: '../x' }],
    ['apps[0].views[0].id', { views: [{ id: 'view_x' }] }],
    ['apps[0].log.lines[0]', { log: { first: 1, lines: [5] } }],
    ['apps[0].tier', { tier: 'root' }],
  ])('with a bad %s is refused', async (field, change) => {
    const driver = await openApp(makeApp({ main: NOTES }))
    const state = stored(serialize(driver.desktop))
    await destroyDesktop(driver.desktop.id)
    const edited =
      field === 'id' ? { ...state, ...change } : { ...state, apps: [{ ...state.apps[0], ...change }] }
    await expect(restoreDesktop(edited as never)).rejects.toMatchObject({ data: { field } })
  })

  it('is copied: what the product does with its object later changes nothing', async () => {
    const driver = await openApp(makeApp({ main: NOTES }))
    const state = stored(serialize(driver.desktop))
    await destroyDesktop(driver.desktop.id)
    const restored = await restoreDesktop(state)
    for (const app of state.apps) Object.assign(app, { appData: 'gone', views: [] })
    expect(serialize(restored.desktop).apps[0]?.appData).toEqual({ notes: ['first'] })
  })
})

describe('app data', () => {
  it('that JSON cannot hold, or a hook that throws, is named in the state with the last good data', async () => {
    const dir = makeApp({
      main: `let data = { ok: true }
        document.body.innerHTML = '<main view="V"><button operation="spoil">x</button></main>'
        document.querySelector('main').addEventListener('aotui:operation', () => { data = { when: new Date(0) } })
        export const serialize = () => data`,
    })
    const driver = await openApp(dir)
    await driver.execute('spoil')
    const [app] = serialize(driver.desktop).apps
    expect(app?.appData).toEqual({ ok: true })
    expect(app?.error).toMatchObject({
      code: 'E_INTERNAL',
      data: { reason: 'app_data_not_json', path: 'appData.when' },
    })
  })

  it('that the hook does not give in time is named in the state, and the command is acknowledged', async () => {
    const dir = makeApp({
      main: `let wait = false
        document.body.innerHTML = '<main view="V"><button operation="hang">x</button></main>'
        document.querySelector('main').addEventListener('aotui:operation', () => { wait = true })
        export const serialize = () => (wait ? new Promise(() => {}) : { n: 1 })`,
    })
    const driver = await openApp(dir, { serializeMs: 30 })
    expect((await driver.execute('hang')).ok).toBe(true)
    for (const state of [serialize(driver.desktop), await serializeFresh(driver.desktop)]) {
      expect(state.apps[0]?.appData).toEqual({ n: 1 })
      expect(state.apps[0]?.error).toMatchObject({
        code: 'E_TIMEOUT',
        message: 'serialize() took longer than 30 ms',
        data: { reason: 'serialize_timeout' },
      })
    }
  })

  it('is asked for afresh by serializeFresh', async () => {
    const driver = await openApp(makeApp({ main: 'let n = 0; export const serialize = () => ({ n: n++ })' }))
    const [first] = serialize(driver.desktop).apps
    const [second] = (await serializeFresh(driver.desktop)).apps
    expect(first?.appData).toEqual({ n: 0 })
    expect(second?.appData).toEqual({ n: 1 })
  })
})

describe('system apps', () => {
  it('start with the desktop, share one process without sharing a document, and cannot be closed', async () => {
    const tell = (id: string) =>
      makeApp({
        manifest: { id, name: id, system: true },
        main: `document.body.innerHTML = '<main view="V"><p></p><button operation="tell">x</button></main>'
          const show = () => (document.querySelector('p').textContent = aotui.appId + ' ' + process.pid + ' ' + document.querySelectorAll('main').length)
          document.querySelector('main').addEventListener('aotui:operation', () => setTimeout(show, 0))
          show()
          export const serialize = () => null
          export const restore = () => {}`,
      })
    const driver = await openDesktop({ systemApps: [tell('system.one'), tell('system.two')] })
    expect((await driver.desktop.ready).failures).toEqual([])
    await driver.execute('tell', { app: 'app_1' })
    await driver.execute('tell', { app: 'app_2' })
    const markup = await driver.until(
      'both to tell',
      (text) => /system\.one \d+ 1\b/.test(text) && /system\.two \d+ 1\b/.test(text),
    )
    expect(/system\.one (\d+)/.exec(markup.split('<application')[1] ?? '')?.[1]).toBe(
      /system\.two (\d+)/.exec(markup.split('<application')[2] ?? '')?.[1],
    )
    const error = await failure(driver.system('close --application app_1'))
    expect(error).toMatchObject({ code: 'E_PERMISSION', data: { reason: 'system_app' } })
  })

  it('without the hooks are refused', async () => {
    const driver = await openDesktop({
      systemApps: [makeApp({ main: '', manifest: { id: 'system.bare', system: true } })],
    })
    const { failures } = await driver.desktop.ready
    expect(failures.map((one) => one.error.data['reason'])).toEqual(['no_hooks'])
    expect(driver.look()).toContain('a system app must export serialize() and restore()')
  })
})

it('two desktops with the same app share no state, ids or refs', async () => {
  const dir = makeApp({ main: NOTES })
  const one = await openApp(dir)
  const two = await openApp(dir)
  expect(one.desktop.id).not.toBe(two.desktop.id)
  expect(one.seen).not.toBe(two.seen)
  await one.execute('add --text only-in-one')
  expect(getSnapshot(one.desktop)).toContain('only-in-one')
  expect(getSnapshot(two.desktop)).not.toContain('only-in-one')
  const foreign = { app: 'app_1', operation: 'add', args: { text: 'x' }, view: 'view_001' }
  expect((await failure(two.desktop.input.execute(foreign, { lease: one.lease.token }))).code).toBe(
    'E_PERMISSION',
  )
  expect(() => two.desktop.snapshot({ since: one.seen ?? '' })).toThrow(/not kept/)
  expect(serialize(two.desktop).apps[0]?.appData).toEqual({ notes: ['first'] })
})
