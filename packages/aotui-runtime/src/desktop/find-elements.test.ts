import { describe, expect, it } from 'vitest'
import { makeApp } from '../../test-support/app-folder.ts'
import { failure, openApp } from '../../test-support/desktop-driver.ts'

/** An app without a listener for operations: its buttons write down which of them was pressed. */
const app = (html: string, script = '') =>
  makeApp({
    main: `
      document.body.innerHTML = ${JSON.stringify(`<main view="V"><p id="hit">none</p>${html}</main>`)}
      const hit = (text) => (document.getElementById('hit').textContent = 'hit ' + text)
      const listen = () => { for (const button of document.querySelectorAll('button[id]')) button.onclick = () => hit(button.id) }
      listen()
      ${script}`,
  })
const item = (id: string, attributes: string) =>
  `<li ${attributes}>${id} <button id="${id}" operation="hit">Hit</button></li>`

describe('what a command presses is what the agent saw', () => {
  it.each([
    ['duplicate keys', item('a', 'key="k"') + item('b', 'key="k"')],
    ['equal data', item('a', `data-value='{"n":1}'`) + item('b', `data-value='{"n":1}'`)],
  ])('with %s', async (_, items) => {
    const driver = await openApp(app(`<ul list="x[]:xs">${items}</ul>`))
    await driver.execute('hit --item xs[1]')
    expect(driver.view('V')).toContain('hit b')
    await driver.execute('hit --item xs[0]')
    expect(driver.view('V')).toContain('hit a')
  })

  it('with two lists of one id', async () => {
    const driver = await openApp(
      app(`<ul list="x[]:xs">${item('a', 'key="k"')}</ul><ul list="x[]:xs">${item('b', 'key="k"')}</ul>`),
    )
    await driver.execute('hit --item xs~2[0]')
    expect(driver.view('V')).toContain('hit b')
  })

  it('and is refused when the elements were replaced by several that claim to be it', async () => {
    const items = item('a', 'key="k"') + item('b', 'key="k"')
    const driver = await openApp(
      app(
        `<ul list="x[]:xs">${items}</ul><button operation="rebuild" id="rebuild">x</button>`,
        `document.getElementById('rebuild').onclick = () => {
           const list = document.querySelector('ul'); const { innerHTML } = list
           list.innerHTML = ''; list.innerHTML = innerHTML; listen2() }
         const listen2 = () => { for (const button of document.querySelectorAll('li button')) button.onclick = () => hit(button.id) }`,
      ),
    )
    await driver.execute('rebuild')
    const error = await failure(driver.execute('hit --item xs[1]'))
    expect(error).toMatchObject({ code: 'E_INVALID_CMD', data: { reason: 'ambiguous' } })
    expect(driver.view('V')).toContain('none')
  })

  it('in shadow roots, operations and items alike', async () => {
    const driver = await openApp(
      app(
        '<my-box></my-box>',
        `const root = document.querySelector('my-box').attachShadow({ mode: 'closed' })
         root.innerHTML = '<button operation="inner">In</button><ul list="x[]:xs"><li key="k">k <button operation="hit">Hit</button></li></ul>'
         root.querySelector('button').addEventListener('click', () => hit('inner'))
         root.querySelector('li button').addEventListener('click', () => hit('shadow item'))`,
      ),
    )
    await driver.execute('inner')
    expect(driver.view('V')).toContain('hit inner')
    await driver.execute('hit --item xs[0]')
    expect(driver.view('V')).toContain('hit shadow item')
  })

  it('outside the window of a long list, too', async () => {
    const items = Array.from({ length: 5 }, (_, index) => item(`i${index}`, `key="k${index}"`)).join('')
    const driver = await openApp(app(`<ul list="x[]:xs">${items}</ul>`), { listWindow: 2 })
    const { seen } = driver
    await driver.run('<context app_id="app_1" view_id="view_001">page --list xs --from 2</context>')
    await driver.lease.execute(
      { app: 'app_1', operation: 'hit', args: { item: 'xs[1]' } },
      seen === undefined ? {} : { snapshot_id: seen },
    )
    expect(driver.view('V')).toContain('hit i1')
  })
})

describe('an operation', () => {
  it('is pressed when a listener further up is there for something else', async () => {
    const driver = await openApp(
      app(
        '<button id="go" operation="go">Go</button>',
        `document.addEventListener('aotui:operation', () => {})`,
      ),
    )
    await driver.execute('go')
    expect(driver.view('V')).toContain('hit go')
  })

  it('is not pressed as well when a listener took it', async () => {
    const driver = await openApp(
      app(
        '<button id="go" operation="go">Go</button>',
        `document.addEventListener('aotui:operation', ({ detail }) => setTimeout(() => hit('listener'), 0))`,
      ),
    )
    await driver.execute('go')
    expect(await driver.until('the listener', (text) => text.includes('hit listener'))).not.toContain(
      'hit go',
    )
  })

  it('that nothing handles fails, and one that comes to nothing is not called done', async () => {
    const bare = await openApp(app('<button operation="go">Go</button>'))
    expect(await failure(bare.execute('go'))).toMatchObject({
      code: 'E_NOT_FOUND',
      data: { reason: 'no_handler' },
    })
    const listening = await openApp(
      app(
        '<button operation="go">Go</button>',
        `document.querySelector('main').addEventListener('aotui:operation', () => {})`,
      ),
    )
    expect((await listening.execute('go')).warnings).toEqual(['no_effect'])
    expect(listening.look()).toContain('execute go: no visible effect')
  })
})

describe('an element without a listener for operations is used as a person would', () => {
  it('text is typed into a field and left with Enter; a field in a form sends it', async () => {
    const driver = await openApp(
      app(
        '<input operation="add" aria-label="Title"><form id="f"><input name="q" operation="search"></form>',
        `const [add, q] = document.querySelectorAll('input')
         add.onkeydown = (event) => { if (event.key === 'Enter') hit('typed ' + add.value) }
         document.getElementById('f').onsubmit = (event) => { event.preventDefault(); hit('sent ' + q.value) }`,
      ),
    )
    expect(driver.view('V')).toContain(
      '- [Add](operation:add): Title\n    - Arguments:\n        - value: string',
    )
    await driver.execute('add --value "Buy milk"')
    expect(driver.view('V')).toContain('hit typed Buy milk')
    await driver.execute('search --q cats')
    expect(driver.view('V')).toContain('hit sent cats')
  })

  it('a checkbox is brought to the given state, whatever it was', async () => {
    const driver = await openApp(
      app(
        `<input type="checkbox" operation="done" args='{"done":"boolean"}'>`,
        `const box = document.querySelector('input'); let n = 0; box.onchange = () => hit(box.checked + ' ' + ++n)`,
      ),
    )
    for (const [given, shown] of [
      ['--done', 'hit true 1'],
      ['--done', 'hit true 1'],
      ['--no-done', 'hit false 2'],
    ] as const) {
      await driver.execute(`done ${given}`)
      expect(driver.view('V')).toContain(shown)
    }
  })

  it('text that a click does nothing to is double-clicked; a button is clicked once', async () => {
    const driver = await openApp(
      app(
        '<div id="box"><span operation="edit">Text</span><button operation="press">x</button></div>',
        `let clicks = 0
         const box = document.getElementById('box')
         box.addEventListener('click', () => clicks++)
         box.addEventListener('dblclick', ({ target }) => hit('double ' + target.localName + ' ' + clicks))`,
      ),
    )
    expect((await driver.execute('press')).warnings).toEqual(['no_effect'])
    await driver.execute('edit')
    expect(driver.view('V')).toContain('hit double span 2')
  })
})

it('a listener that only prints does not keep an operation from being pressed', async () => {
  const driver = await openApp(
    app(
      '<button id="go" operation="go">Go</button>',
      `document.addEventListener('aotui:operation', ({ detail }) => console.log('saw', detail.operation))`,
    ),
  )
  await driver.execute('go')
  expect(driver.view('V')).toContain('hit go')
  expect(driver.desktop.developerLog()).toMatchObject([
    { level: 'info', text: 'saw go', at: expect.stringMatching(/main\.mjs:\d+:\d+$/) as string },
  ])
})
