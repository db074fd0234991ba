import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { makeApp } from '../../test-support/app-folder.ts'
import { failure, openApp, openDesktop } from '../../test-support/desktop-driver.ts'
import { needsBubblewrap } from '../../test-support/needs.ts'
import { destroyDesktop } from '../index.ts'

const COUNTER = `
  document.body.innerHTML = '<main view="Counter"><p>count 0</p><button operation="add">Add</button></main>'
  let count = 0
  const show = () => (document.querySelector('p').textContent = 'count ' + count)
  document.querySelector('main').addEventListener('aotui:operation', () => { count++; show() })
  export const serialize = () => ({ count })
  export const restore = (data) => { count = data.count; show() }
`

/** An app whose operation does something bad, beside a healthy one. */
async function openBeside(body: string, config = {}) {
  const bad = makeApp({
    manifest: { id: 'com.example.bad', name: 'Bad' },
    main: `
      document.body.innerHTML = '<main view="Bad"><p>fine</p><button operation="go">Go</button></main>'
      document.querySelector('main').addEventListener('aotui:operation', (event) => { ${body} })
      let starts = 0
      export const serialize = () => ({ starts })
      export const restore = (data) => { starts = data.starts + 1; document.querySelector('p').textContent = 'restored ' + starts }`,
  })
  const good = makeApp({ manifest: { id: 'com.example.good', name: 'Good' }, main: COUNTER })
  const driver = await openDesktop({ apps: [bad, good], ...config })
  await driver.system('open --application app_1')
  await driver.system('open --application app_2')
  driver.look()
  return driver
}

describe('an app that misbehaves', () => {
  it('is ended when it loops, started again with its data, and its neighbour does not notice', async () => {
    const driver = await openBeside('for (;;) {}', { heartbeatMs: 500 })
    await driver.execute('add', { app: 'app_2' })
    const error = await failure(driver.execute('go'))
    expect(error.code).toBe('E_TIMEOUT')
    expect(error.data['reason']).toBe('app_unresponsive')
    expect(driver.view('Counter')).toContain('count 1')
    await driver.execute('add', { app: 'app_2' })
    expect(driver.view('Counter')).toContain('count 2')
    const markup = await driver.until('the app to be back', (text) => text.includes('restored 1'))
    expect(markup).toContain('app_1 (Bad) ended unexpectedly and was started again')
    expect(markup).toContain('did not answer for 1500 ms')
  })

  it('that exits is started again, and given up when it does so for the third time', async () => {
    const driver = await openBeside('process.exit(3)')
    for (const round of [1, 2]) {
      expect((await failure(driver.execute('go'))).message).toContain('exit code 3')
      await driver.until('the restart', (text) => text.includes(`restored ${round}`))
    }
    await failure(driver.execute('go'))
    const markup = await driver.until('the app to be given up', (text) => text.includes('status="failed"'))
    expect(markup).toContain('it ended 3 times within a minute')
    expect((await failure(driver.execute('go'))).data['reason']).toBe('app_not_running')
    await driver.execute('add', { app: 'app_2' })
    expect(driver.view('Counter')).toContain('count 1')
  })

  it('that throws at load is shown as failed, with the reason', async () => {
    const driver = await openDesktop({ apps: [makeApp({ main: 'throw new Error("no such table")' })] })
    const error = await failure(driver.system('open --application app_1'))
    expect(error.data['reason']).toBe('load_failed')
    const markup = driver.look()
    expect(markup).toContain('com.example.app, failed')
    expect(markup).toContain('the app failed to load: no such table')
  })

  it('that floods mutations is folded into few signals, and operations still go through', async () => {
    const driver = await openBeside(
      `let n = 0; const flood = () => { for (let i = 0; i < 50; i++) document.querySelector('p').textContent = 'flood ' + n++; setImmediate(flood) }; flood()`,
      { settleMs: 100 },
    )
    let signalCount = 0
    driver.desktop.output.subscribe(() => signalCount++)
    const ack = await driver.execute('go')
    expect(ack.settled).toBe(false)
    await driver.until('the flood to be seen', (text) => Number(/flood (\d+)/.exec(text)?.[1] ?? 0) > 5000)
    expect(signalCount).toBeLessThan(1000)
    await driver.execute('add', { app: 'app_2' })
    expect(driver.view('Counter')).toContain('count 1')
  })

  it('that eats memory dies of its heap limit, and the agent is told', async () => {
    const driver = await openBeside(
      `const all = []; for (;;) all.push(new Array(100_000).fill(Math.random()))`,
      {
        heapMb: 64,
        heartbeatMs: 10_000,
      },
    )
    const error = await failure(driver.execute('go'))
    expect(error.data['reason']).toBe('app_crashed')
    const markup = await driver.until('the restart', (text) => text.includes('restored 1'))
    expect(markup).toMatch(/heap|signal SIGABRT|exit code 134/)
  })

  it('whose handler throws makes the command fail and goes on', async () => {
    const driver = await openBeside(`throw new Error('bad handler')`)
    const error = await failure(driver.execute('go'))
    expect(error.code).toBe('E_INTERNAL')
    expect(error.message).toContain('bad handler')
    expect(driver.look()).toContain("execute go: E_INTERNAL: the app's handler failed: bad handler")
    expect(driver.view('Bad')).toContain('fine')
  })

  it('whose promise fails makes the command fail, with and without waitUntil', async () => {
    for (const body of [
      `event.detail.waitUntil(Promise.reject(new Error('late')))`,
      `(async () => { await null; throw new Error('late') })()`,
    ]) {
      const driver = await openBeside(body)
      expect((await failure(driver.execute('go'))).message).toContain('late')
    }
  })
})

describe('an ack', () => {
  it('waits for waitUntil, and the snapshot at the ack holds the result', async () => {
    const driver = await openBeside(
      `event.detail.waitUntil(new Promise((done) => setTimeout(() => { document.querySelector('p').textContent = 'late result'; done() }, 120)))`,
    )
    const { snapshot_id } = await driver.execute('go')
    expect(driver.desktop.snapshot().snapshot_id).toBe(snapshot_id)
    expect(driver.view('Bad')).toContain('late result')
  })

  it('does not come for a promise that never settles: E_TIMEOUT', async () => {
    const driver = await openBeside(`event.detail.waitUntil(new Promise(() => {}))`)
    const error = await failure(
      driver.lease.execute({ app: 'app_1', operation: 'go', args: {} }, { timeoutMs: 200 }),
    )
    expect(error.code).toBe('E_TIMEOUT')
    expect(error.recoverable).toBe(true)
  })
})

it('an app that is not ready in time is ended', async () => {
  const dir = makeApp({ main: 'export const ready = new Promise(() => {})' })
  const driver = await openDesktop({ apps: [dir], loadMs: 500 })
  const error = await failure(driver.system('open --application app_1'))
  expect(error.code).toBe('E_TIMEOUT')
  expect(error.data['reason']).toBe('load_timeout')
})

it('an app that is busy for long while it loads is not taken for one that hangs', async () => {
  // Many heartbeats long; only the limit on loading counts here.
  const busy = `const end = performance.now() + 400; while (performance.now() < end);`
  const driver = await openDesktop({ apps: [makeApp({ main: busy + COUNTER })], heartbeatMs: 20 })
  const ack = await driver.system('open --application app_1')
  expect(ack.ok).toBe(true)
})

describe.each([
  ['standard', it],
  ['strict', needsBubblewrap()],
] as const)('in the %s tier', (tier, test) => {
  test('jsdom can be the engine of an app', async () => {
    const driver = await openApp(makeApp({ main: COUNTER, manifest: { dom: 'jsdom', tier } }))
    await driver.execute('add')
    expect(driver.view('Counter')).toContain('count 1')
    await driver.execute('add')
    expect(driver.view('Counter')).toContain('count 2')
  })
})

needsBubblewrap()('a strict app that is ended while it starts leaves no process behind', async () => {
  const dir = makeApp({ main: COUNTER, manifest: { tier: 'strict' } })
  for (let round = 0; round < 20; round++) {
    const driver = await openDesktop({ apps: [dir] })
    const opened = driver.system('open --application app_1').catch((error: unknown) => error)
    // Bubblewrap sets itself up in a few milliseconds: the rounds end it at different points of that.
    await new Promise((later) => setTimeout(later, round))
    await destroyDesktop(driver.desktop.id)
    await opened
  }
  const left = () =>
    execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8', maxBuffer: 1 << 26 }).includes(dir)
  await expect.poll(left, { timeout: 10_000 }).toBe(false)
})
