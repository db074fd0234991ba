import { describe, expect, it } from 'vitest'
import { failure, openApp } from '../../test-support/desktop-driver.ts'
import { makeTodoMvc, TODO_MVCS } from '../../test-support/todomvc-app.ts'

describe.each(TODO_MVCS)('TodoMVC in %s, of which only attributes are known', (name) => {
  it('adds, toggles, filters by the address, edits, clears and deletes', async () => {
    const driver = await openApp(await makeTodoMvc(name))
    const todos = () =>
      [...driver.view('Todos').matchAll(/\[(\[[x ]\] .*?)\]\(item:todos\[\d+\]\)/g)].map(([, text]) => text)
    for (const title of ['Buy milk', 'Write tests', 'Sleep']) await driver.execute(`add --title "${title}"`)
    expect(todos()).toEqual(['[ ] Buy milk', '[ ] Write tests', '[ ] Sleep'])
    expect(driver.view('Todos')).toMatch(/3\W* items left/)

    await driver.execute('toggle --item todos[1]')
    expect(todos()).toEqual(['[ ] Buy milk', '[x] Write tests', '[ ] Sleep'])
    await driver.execute('show_active')
    expect(todos()).toEqual(['[ ] Buy milk', '[ ] Sleep'])
    await driver.execute('show_completed')
    expect(todos()).toEqual(['[x] Write tests'])
    await driver.execute('show_all')
    expect(todos()).toEqual(['[ ] Buy milk', '[x] Write tests', '[ ] Sleep'])

    await driver.execute('start_edit --item todos[0]')
    driver.look()
    await driver.execute('save --todo todos[0] --title "Buy oat milk"')
    expect(todos()).toEqual(['[ ] Buy oat milk', '[x] Write tests', '[ ] Sleep'])

    await driver.execute('clear_completed')
    expect(todos()).toEqual(['[ ] Buy oat milk', '[ ] Sleep'])
    expect((await failure(driver.execute('clear_completed'))).data['reason']).toBe('no_operation')
    await driver.execute('toggle_all')
    expect(todos()).toEqual(['[x] Buy oat milk', '[x] Sleep'])
    await driver.execute('destroy --item todos[0]')
    expect(todos()).toEqual(['[x] Sleep'])
    expect(driver.desktop.developerLog().filter(({ level }) => level === 'error')).toEqual([])
  })
})
