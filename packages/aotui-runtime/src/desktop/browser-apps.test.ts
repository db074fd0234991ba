import { describe, expect, it } from 'vitest'
import { makeApp, makeTempDir } from '../../test-support/app-folder.ts'
import { openApp, openDesktop } from '../../test-support/desktop-driver.ts'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

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

  it('the scripts of a page run in the order of a browser, and so do those that it adds later', async () => {
    const page = `<!doctype html><html data-framework="page"><head><title>Ordered</title>
      <script>order = []</script><script defer src="deferred.js"></script><script src="bad.js"></script></head>
      <body><main view="Page"><p id="out"></p><button operation="more">More</button></main>
      <script type="module">order.push('inline module')</script>
      <script src="classic.js"></script></body></html>`
    const note = (name: string) =>
      `order.push('${name} ' + document.currentScript.getAttribute('src'))
       document.getElementById('out').textContent = order.join(', ')`
    const dir = makeApp({
      main: '',
      manifest: { entry: 'index.html' },
      files: {
        'index.html': page,
        'bad.js': `throw new Error('broken on purpose')`,
        'deferred.js': `${note('deferred')}
          document.querySelector('button').onclick = () => {
            const chunk = document.createElement('script')
            chunk.src = '/chunk.js'
            chunk.onload = () => order.push('loaded')
            const missing = document.createElement('script')
            missing.src = 'missing.js'
            missing.onerror = () => (document.getElementById('out').textContent = order.join(', ') + ', missing')
            document.head.append(chunk)
            chunk.addEventListener('load', () => document.head.append(missing))
          }
          document.title += ' ' + document.documentElement.dataset.framework`,
        'classic.js': note('classic'),
        'chunk.js': note('chunk'),
      },
    })
    const driver = await openApp(dir)
    expect(driver.view('Page')).toContain('classic classic.js, deferred deferred.js')
    await driver.execute('more')
    await driver.until('the chunk', (text) => text.includes('missing'))
    expect(driver.view('Page')).toContain(
      'classic classic.js, deferred deferred.js, inline module, chunk /chunk.js, loaded, missing',
    )
    expect(driver.developerLog()).toContain('bad.js: broken on purpose')
    expect(driver.developerLog()).toContain('missing.js: ENOENT')
  })

  it('an app whose scripts load each other a little later is ready once they have', async () => {
    const load = (file: string) => `setTimeout(function () {
      var script = document.createElement('script'); script.src = '${file}'; document.head.appendChild(script) }, 4)`
    const dir = makeApp({
      main: '',
      manifest: { entry: 'index.html' },
      files: {
        'index.html': `<body view="Page"><p></p><button operation="go">Go</button><script src="loader.js"></script></body>`,
        'loader.js': load('main.js'),
        'main.js': load('app.js'),
        'app.js': `document.querySelector('button').onclick = function () {
          setTimeout(function () { document.querySelector('p').textContent = 'rendered a little later' }, 10) }`,
      },
    })
    const driver = await openApp(dir)
    expect((await driver.execute('go')).warnings).toEqual([])
    expect(driver.view('Page')).toContain('rendered a little later')
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

it('an app that is a package imports its dependencies from where npm put them', async () => {
  const project = makeTempDir()
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(project, file)), { recursive: true })
    writeFileSync(join(project, file), text)
  }
  const manifest = (name: string, dependencies: object) =>
    JSON.stringify({ name, version: '1.0.0', type: 'module', main: 'index.js', dependencies })
  write('node_modules/@scope/direct/package.json', manifest('@scope/direct', { indirect: '1' }))
  write('node_modules/@scope/direct/index.js', `export { text } from 'indirect'`)
  write('node_modules/indirect/package.json', manifest('indirect', {}))
  write('node_modules/indirect/index.js', `export const text = 'from a dependency'`)
  write('node_modules/other/package.json', manifest('other', {}))
  write('node_modules/other/index.js', '')
  renameSync(
    makeApp({
      main: `import { text } from '@scope/direct'
        const other = await import('other').then(() => 'open', ({ code }) => code)
        document.body.innerHTML = '<main view="V"><p>' + text + ' ' + other + '</p></main>'`,
      files: { 'package.json': manifest('the-app', { '@scope/direct': '1' }) },
    }),
    join(project, 'node_modules/the-app'),
  )
  const driver = await openApp(join(project, 'node_modules/the-app'))
  expect(driver.view('V')).toMatch(/^from a dependency ERR_(ACCESS_DENIED|MODULE_NOT_FOUND)/)
})

it('appDirs finds an app by the id in its manifest, whatever its folder is called', async () => {
  const root = makeTempDir()
  mkdirSync(join(root, 'com.example.app'))
  renameSync(makeApp({ main: '' }), join(root, 'some-folder'))
  const driver = await openDesktop({ apps: ['com.example.app'], appDirs: [root] })
  expect(driver.desktop.apps().map((app) => app.appId)).toEqual(['com.example.app'])
})
