import { describe, expect, it } from 'vitest'
import { FRAMEWORKS, makeFrameworkApp } from '../../test-support/framework-app.ts'
import { failure, openApp, restoreDesktop } from '../../test-support/desktop-driver.ts'
import { destroyDesktop, serialize } from '../index.ts'

describe.each(FRAMEWORKS)('the messenger in %s', (framework) => {
  it('is read and operated by commands alone', async () => {
    const driver = await openApp(await makeFrameworkApp(framework, 'messenger'))
    const first = driver.view('Messenger')
    expect(first).toContain('# [Project TUI](entity:conversation_title)')
    expect(first).toContain('# [Message List](list:message_list)')
    expect(first).toContain('1. [Hello](item:message_list[0])')
    expect(first).toContain('2. [World](item:message_list[1])')
    expect(first).toContain('- [SendMessage](operation:send_message): Send')
    expect(first).toContain('        - content: string')

    await driver.execute('send_message --content "How are you?" --urgent')
    expect(driver.view('Messenger')).toContain('3. [How are you? (urgent)](item:message_list[2])')

    await driver.execute('mark_read --item message_list[1]')
    expect(driver.view('Messenger')).toContain('2. [World *read*](item:message_list[1])')

    await driver.execute('reply --message message_list[0] --content="Hi there"')
    expect(driver.view('Messenger')).toContain('4. [@msg_101: Hi there](item:message_list[3])')

    await driver.execute('delete_message --item message_list[0]')
    expect(driver.view('Messenger')).toContain('1. [World *read*](item:message_list[0])')
    expect(driver.view('Messenger')).toContain('3 messages')

    await driver.execute("rename --title 'New *title*'")
    expect(driver.view('Messenger')).toContain('# [New \\*title\\*](entity:conversation_title)')

    const error = await failure(driver.execute('send_message --text hi'))
    expect(error.code).toBe('E_INVALID_CMD')
    expect(error.data['expected']).toEqual({ content: 'string', 'urgent?': 'boolean' })
  })

  it('comes back from a state with an equal snapshot', async () => {
    const driver = await openApp(await makeFrameworkApp(framework, 'messenger'))
    await driver.execute('send_message --content kept')
    const before = driver.look()
    const state = JSON.parse(JSON.stringify(serialize(driver.desktop))) as ReturnType<typeof serialize>
    await destroyDesktop(driver.desktop.id)
    const restored = await restoreDesktop(state)
    expect(restored.look()).toBe(before)
  })
})

describe.each(['react', 'preact', 'vue', 'svelte'] as const)(
  'TodoMVC in %s, without a line for agents',
  (framework) => {
    it('adds, completes, filters, edits, clears and deletes', async () => {
      const driver = await openApp(await makeFrameworkApp(framework, 'todo'))
      const items = () =>
        [...driver.view('Todos').matchAll(/\[(\[[x ]\] .*?)\]\(item:todos\[\d+\]\)/g)].map(([, text]) => text)
      for (const title of ['Buy milk', 'Write tests', 'Sleep']) await driver.execute(`add --title "${title}"`)
      expect(items()).toEqual(['[ ] Buy milk', '[ ] Write tests', '[ ] Sleep'])

      await driver.execute('toggle --item todos[1]')
      expect(items()).toEqual(['[ ] Buy milk', '[x] Write tests', '[ ] Sleep'])
      expect(driver.view('Todos')).toContain('2 left, showing all')

      await driver.execute('show_completed')
      expect(items()).toEqual(['[x] Write tests'])
      await driver.execute('show_active')
      expect(items()).toEqual(['[ ] Buy milk', '[ ] Sleep'])

      await driver.execute('edit --item todos[0] --text "Buy oat milk"')
      expect(items()).toEqual(['[ ] Buy oat milk', '[ ] Sleep'])
      await driver.execute('show_all')
      driver.look()
      await driver.execute('clear_completed')
      expect(items()).toEqual(['[ ] Buy oat milk', '[ ] Sleep'])
      expect((await failure(driver.execute('clear_completed'))).data['reason']).toBe('no_operation')

      await driver.execute('destroy --item todos[0]')
      expect(items()).toEqual(['[ ] Sleep'])
      expect((await failure(driver.execute('add'))).data['expected']).toEqual({ title: 'string' })
    })
  },
)
