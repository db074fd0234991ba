import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest'
import { parseKeys } from '../packages/transom/src/terminal/key-names.ts'
import { needsBrowser } from './support/needs.ts'
import { PageServer, openPage, type TestPage } from './support/web.ts'

const test = needsBrowser()

const KEY_PAGE = `<!doctype html><title>Keys</title><input id="box" autofocus size="60"><pre id="log"></pre>
<script>box.focus()
addEventListener('keydown', (e) => { log.textContent = [e.key, e.code, e.ctrlKey, e.altKey, e.shiftKey, e.metaKey].join(' ') })
addEventListener('paste', (e) => { log.textContent = 'pasted ' + e.clipboardData.getData('text/plain').length })</script>`

const MOUSE_PAGE = `<!doctype html><title>Mouse</title><style>#pad{width:600px;height:300px;background:#ddd}</style><div id="pad">pad</div><pre id="log"></pre>
<script>const seen=[];for (const name of ['mousedown','mouseup','mousemove','dblclick','contextmenu','wheel'])
pad.addEventListener(name,(e)=>{seen.push(name+':'+e.button+':'+Math.round(e.clientX)+','+Math.round(e.clientY)+(e.shiftKey?':shift':''));log.textContent=seen.slice(-12).join('\\n')})</script>`

const TALL_PAGE = `<!doctype html><title>Tall</title>${Array.from({ length: 200 }, (_, i) => `<div>line ${i}</div>`).join('')}`

describe('a page is operated', () => {
  let server: PageServer
  let opened: TestPage

  beforeAll(async () => {
    server = await PageServer.start({
      '/keys': KEY_PAGE,
      '/mouse': MOUSE_PAGE,
      '/tall': TALL_PAGE,
      '/popup': '<!doctype html><title>Popup</title><a href="/elsewhere" target="_blank">open it</a>',
      '/dialogs': `<!doctype html><title>Dialogs</title><button onclick="out.textContent = confirm('Sure?') + ' ' + prompt('Name?', 'nobody')">ask</button><p id="out"></p>`,
    })
    opened = await openPage()
  })
  afterAll(async () => {
    await opened[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    await opened.page.navigate('about:blank')
  })

  test('keys come to the page by their names, with their modifiers', async () => {
    await opened.page.navigate(server.url('/keys'))
    for (const [name, seen] of [
      ['F5', 'F5 F5 false false false false'],
      ['Ctrl+Shift+K', 'K KeyK true false true false'],
      ['Alt+Left', 'ArrowLeft ArrowLeft false true false false'],
      ['KP7', '7 Numpad7 false false false false'],
      ['PageDown', 'PageDown PageDown false false false false'],
      ['Super+e', 'e KeyE false false false true'],
      ['ß', 'ß  false false false false'],
    ] as const) {
      await opened.page.press(parseKeys([name]))
      await opened.shows(seen, () => opened.text().includes(seen))
    }
  })

  test('text of any script is typed, edited and pasted', async () => {
    await opened.page.navigate(server.url('/keys'))
    await opened.page.typeText('Grüße, 世界! x²')
    await opened.shows('what was typed', () => opened.text().includes('Grüße, 世界! x²'))
    await opened.page.press(parseKeys(['Backspace*3', 'Home']))
    await opened.page.typeText('<')
    await opened.shows('the edited line', () => opened.text().includes('<Grüße, 世界!'))
    expect((await opened.page.details()).caret).toMatchObject({ col: expect.any(Number) as number })
    await opened.page.press(parseKeys(['Ctrl+a']))
    await opened.page.paste('pasted 👍🏽 text')
    await opened.shows('the pasted line', () => opened.text().includes('pasted 👍'))
    expect(await opened.evaluate('document.getElementById("box").value')).toBe('pasted 👍🏽 text')
  })

  test('the mouse presses, moves, drags and scrolls at cells', async () => {
    await opened.page.navigate(server.url('/mouse'))
    await opened.page.click({ row: 5, col: 10 }, { clicks: 2, modifiers: { shift: true } })
    await opened.shows('a double click', () => opened.text().includes('dblclick:0:84,88:shift'))
    await opened.page.drag({ row: 2, col: 3 }, { row: 8, col: 40 }, { button: 'middle' })
    await opened.shows('the end of a drag', () => opened.text().includes('mouseup:1:324,136'))
    await opened.page.scroll(2, { row: 3, col: 3 })
    await opened.shows('a turn of the wheel', () => opened.text().includes('wheel:0:28,56'))
  })

  test('a page scrolls by rows', async () => {
    await opened.page.navigate(server.url('/tall'))
    const first = () => opened.lines().find((line) => line.includes('line')) ?? ''
    expect(first()).toContain('line 0')
    await opened.page.scroll(10)
    await opened.shows('line 10 on top', () => /line (9|10)$/.test(first()))
    await opened.page.press(parseKeys(['End']))
    await opened.shows('the last line', () => opened.text().includes('line 199'))
    expect((await opened.page.details()).scroll.y).toBeGreaterThan(1000)
  })

  test('the history goes back and forward, and says where it can go', async () => {
    await opened.page.navigate(server.url('/tall'))
    await opened.page.navigate(server.url('/one'))
    expect(opened.page.state).toMatchObject({
      url: server.url('/one'),
      title: 'At /one',
      canGoBack: true,
      canGoForward: false,
    })
    expect(await opened.page.goForward()).toBe(false)
    expect(await opened.page.goBack()).toBe(true)
    expect(opened.page.state).toMatchObject({ title: 'Tall', canGoForward: true })
    expect(opened.text()).toContain('line 3')
    await opened.page.goForward()
    await opened.page.reload()
    expect(opened.text()).toContain('You are at /one')
  })

  test('what wants a window of its own opens in place', async () => {
    await opened.page.navigate(server.url('/popup'))
    const [link] = await opened.page.links()
    await opened.page.click(link?.cell ?? { row: 0, col: 0 })
    await opened.shows('the page', () => opened.text().includes('You are at /elsewhere'))
  })

  test('another size lays the page out anew, and a zoom makes everything larger', async () => {
    await opened.page.navigate(server.url('/article.html'))
    await opened.page.setViewport(80, 24)
    expect(opened.lines()).toHaveLength(24)
    expect(await opened.evaluate('[innerWidth, innerHeight]')).toEqual([640, 384])
    await opened.page.setZoom(130)
    expect(await opened.evaluate('innerWidth')).toBe(493)
    expect(opened.text()).toContain('On reading pages as cells')
    await opened.page.setZoom(100)
    await opened.page.setViewport(140, 45)
  })

  test('a change of size is not undone by a picture that was being taken', async () => {
    await opened.page.navigate(server.url('/article.html'))
    for (const [cols, rows] of [
      [80, 24],
      [140, 45],
    ] as const) {
      const pictures = [opened.page.links(), opened.page.links()]
      await opened.page.setViewport(cols, rows)
      await Promise.all(pictures)
      expect(await opened.evaluate('[innerWidth, innerHeight]')).toEqual([cols * 8, rows * 16])
    }
  })

  test('a dialog stops the page until it is answered', async () => {
    await opened.page.navigate(server.url('/dialogs'))
    await opened.page.press(parseKeys(['Tab', 'Enter']))
    await opened.shows('a dialog', () => opened.page.dialog !== null)
    expect(opened.page.dialog).toMatchObject({ type: 'confirm', message: 'Sure?' })
    await expect(opened.page.press(parseKeys(['a']))).rejects.toMatchObject({ code: 'page_unresponsive' })
    await opened.page.answerDialog(true)
    await opened.shows('the second dialog', () => opened.page.dialog?.type === 'prompt')
    await opened.page.answerDialog(true, 'Ada')
    await opened.shows('the answers', () => opened.text().includes('true Ada'))
  })

  test('a screenshot has the fonts of the page, and the cells are as before', async () => {
    await opened.page.navigate(server.url('/article.html'))
    const before = opened.text()
    const png = await opened.page.screenshot()
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1120, 720])
    await opened.quiet(200)
    expect(opened.text()).toBe(before)
  })
})
