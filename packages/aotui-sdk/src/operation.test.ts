import { describe, expect, it } from 'vitest'
import { failure } from '../../aotui-runtime/test-support/desktop-driver.ts'
import { openSdkApp } from '../test-support/sdk-app.ts'

describe('an operation', () => {
  it('gets typed arguments and the values of items, and is answered after its promise', async () => {
    const driver = await openSdkApp(`
      import { defineItem, listenForOperation, mark } from '@aotui/sdk'
      const note = defineItem('note', ({ id }: { id: string }) => ({ key: id, value: { id } }))
      document.body.innerHTML = '<main view="V"><p>-</p><ul></ul><button>Join</button></main>'
      const [text, list, button] = ['p', 'ul', 'button'].map((name) => document.querySelector(name)!)
      mark(list!, note.list('notes'))
      for (const id of ['a', 'b', 'c']) {
        const item = mark(document.createElement('li'), note.item({ id }))
        item.textContent = 'note ' + id
        list!.append(item)
      }
      mark(button!, listenForOperation('join', { notes: [note], 'times?': 'integer' }, async ({ notes, times = 1 }, { keys }) => {
        await new Promise((resolve) => setTimeout(resolve, 30))
        text!.textContent = notes.map(({ id }) => id.repeat(times)).join('+') + ' of ' + keys.join()
      }))`)
    await driver.execute('join --notes notes[2] --notes notes[0] --times 2')
    expect(driver.view('V')).toMatch(/^cc\+aa of c,a\n/)
    expect((await failure(driver.execute('join --notes notes[0] --times many'))).code).toBe('E_INVALID_CMD')
  })

  it('fails with what its handler throws, and the author gets the place', async () => {
    const driver = await openSdkApp(`
      import { listenForOperation, mark } from '@aotui/sdk'
      document.body.innerHTML = '<main view="V"><p>text</p><button>Now</button><button>Later</button></main>'
      const [now, later] = document.querySelectorAll('button')
      const fail = (when: string) => { throw new Error('broken ' + when) }
      mark(now!, listenForOperation('now', {}, () => fail('now')))
      mark(later!, listenForOperation('later', {}, async () => { await null; fail('later') }))`)
    for (const name of ['now', 'later']) {
      const error = await failure(driver.execute(name))
      expect([error.code, error.message]).toEqual(['E_INTERNAL', `the app's handler failed: broken ${name}`])
    }
    const places = driver.desktop.developerLog().map(({ text, at }) => `${text} at ${at}`)
    expect(places).toHaveLength(2)
    for (const place of places) expect(place).toMatch(/broken \w+ at file:.*main\.mjs:\d+:\d+$/)
  })

  it('goes to the handler of its own view and of its own item, and is refused where that is not clear', async () => {
    const driver = await openSdkApp(`
      import { listenForOperation, mark } from '@aotui/sdk'
      const shown = document.createElement('p')
      const add = (parent: Element, tag: string) => parent.appendChild(document.createElement(tag))
      const button = (parent: Element, id: string, says: string) =>
        mark(add(parent, 'button'), listenForOperation(id, {}, () => { shown.textContent = says }))
      for (const name of ['One', 'Two']) {
        const view = mark(add(document.body, 'main'), { view: name })
        button(view, 'show', name)
        if (name === 'Two') continue
        view.append(shown)
        const list = mark(add(view, 'ul'), { list: 'thing[]:things' })
        for (const key of ['x', 'y', 'y']) {
          const item = mark(add(list, 'li'), { 'data-key': key })
          item.append(key)
          button(item, 'press', 'pressed ' + key)
        }
      }`)
    await driver.execute('show', { view: 'view_001' })
    expect(driver.view('One')).toMatch(/^One\n/)
    await driver.execute('show', { view: 'view_002' })
    expect(driver.view('One')).toMatch(/^Two\n/)
    await driver.execute('press --item things[0]')
    expect(driver.view('One')).toMatch(/^pressed x\n/)
    const error = await failure(driver.execute('press --item things[1]'))
    expect(error.message).toContain('operation "press" has 3 handlers, and which one is meant is not clear')
    expect(driver.view('One')).toMatch(/^pressed x\n/)
  })

  it('that the SDK does not know is pressed by the runtime', async () => {
    const driver = await openSdkApp(`
      import { listenForOperation } from '@aotui/sdk'
      listenForOperation('other', {}, () => undefined)
      document.body.innerHTML = '<main view="V"><p>-</p><button operation="press">Press</button></main>'
      document.querySelector('button')!.onclick = () => { document.querySelector('p')!.textContent = 'pressed' }`)
    await driver.execute('press')
    expect(driver.view('V')).toMatch(/^pressed\n/)
  })
})
