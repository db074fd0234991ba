import { describe, expect, it } from 'vitest'
import { makeApp, makeTempDir } from '../../test-support/app-folder.ts'
import { openApp, openDesktop } from '../../test-support/desktop-driver.ts'
import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'

describe('an app finds a browser around it', () => {
  it('window is the global object, for classic scripts, UMD modules and handlers', async () => {
    const page = `<!doctype html><html><head><title>Page</title><script src="umd.js"></script></head>
      <body class="page"><main view="Page"><p id="out"></p><a href="#/active" operation="active">Active</a></main>
      <script>var counter = 1; function bump() { counter++ }</script>
      <script>
        bump()
        window.total = counter + lib.one
        document.getElementById('out').textContent = [total, window === globalThis, self === window, window.lib === lib, typeof jQueryLike].join(' ')
        window.onhashchange = function () { document.getElementById('out').textContent += ' onhashchange' }
      </script>
      <script type="module" src="/main.mjs"></script></body></html>`
    const dir = makeApp({
      main: `document.getElementById('out').append(' module ' + window.total)
        export const serialize = () => ({ total })`,
      manifest: { entry: 'index.html' },
      files: {
        'index.html': page,
        'umd.js': `(function (root, factory) { root.lib = factory(); root.jQueryLike = function () {} })(typeof self !== 'undefined' ? self : this, function () { return { one: 1 } })`,
      },
    })
    const driver = await openApp(dir)
    expect(driver.view('Page')).toContain('3 true true true function module 3')
    await driver.execute('active')
    await driver.until('the handler', (text) => text.includes('onhashchange'))
  })

  it('a link to a fragment fires popstate before hashchange, once each', async () => {
    const main = `
      document.body.innerHTML = '<main view="V"><p id="out">-</p><a href="#/done" operation="done">Done</a></main>'
      const note = (text) => (document.getElementById('out').textContent += ' ' + text)
      window.addEventListener('popstate', () => note('pop ' + location.hash))
      addEventListener('hashchange', () => note('hash ' + location.hash))`
    const driver = await openApp(makeApp({ main }))
    await driver.execute('done')
    await driver.until('both events', (text) => text.includes('hash #/done'))
    expect(driver.view('V')).toContain('- pop #/done hash #/done\n')
  })

  it('alert, confirm and prompt are there, and say what they asked in the app log', async () => {
    const main = `
      document.body.innerHTML = '<main view="V"><p></p></main>'
      alert('Saved')
      document.querySelector('p').textContent = confirm('Sure?') + ' ' + prompt('Name?')`
    const driver = await openApp(makeApp({ main }))
    expect(driver.view('V')).toBe('false null')
    expect(driver.look()).toContain('1. alert: Saved')
  })

  it('an app without a view says so', async () => {
    const driver = await openApp(makeApp({ main: `document.body.innerHTML = '<p>no view</p>'` }))
    expect(driver.look()).toContain(
      '(the application shows no view: no element of its document has a view attribute)',
    )
  })
})

it('appDirs finds an app by the id in its manifest, whatever its folder is called', async () => {
  const root = makeTempDir()
  mkdirSync(join(root, 'com.example.app'))
  renameSync(makeApp({ main: '' }), join(root, 'some-folder'))
  const driver = await openDesktop({ apps: ['com.example.app'], appDirs: [root] })
  expect(driver.desktop.apps().map((app) => app.appId)).toEqual(['com.example.app'])
})
