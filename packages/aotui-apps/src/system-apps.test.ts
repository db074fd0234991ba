import { describe, expect, it } from 'vitest'
import { failure, openDesktop, restoreDesktop } from '../../aotui-runtime/test-support/desktop-driver.ts'
import { destroyDesktop, serialize } from '../../aotui-runtime/src/index.ts'

const systemApps = ['system.chat', 'system.thoughts']

async function open() {
  const driver = await openDesktop({ systemApps })
  expect((await driver.desktop.ready).failures).toEqual([])
  driver.look()
  return driver
}

describe('ChatWithUser', () => {
  it('shows what the person says through its API, and the agent answers by operation', async () => {
    const driver = await open()
    const { desktop } = driver
    expect(await desktop.call('system.chat', 'say', { text: 'Book a table.\nFor two.' })).toEqual({ id: 0 })
    expect(driver.view('Conversation')).toContain(
      '1. [**Person**: Book a table.](item:messages[0])\n    For two.',
    )
    await driver.execute('send_message --content "Done: 7 pm"', { app: 'system.chat' })
    expect(driver.view('Conversation')).toContain('2. [**You**: Done: 7 pm](item:messages[1])')
    expect(await desktop.call('system.chat', 'messages', { from: 1 })).toMatchObject({
      messages: [{ id: 1, from: 'agent', text: 'Done: 7 pm' }],
      next: 2,
    })
  })

  it('refuses what is no message, and calls that it does not know', async () => {
    const { desktop } = await open()
    expect((await failure(desktop.call('system.chat', 'say', { text: ' ' }))).message).toContain(
      'needs a text',
    )
    expect((await failure(desktop.call('system.chat', 'erase'))).data['reason']).toBe('no_call')
    expect((await failure(desktop.call('system.nothing', 'say'))).data['reason']).toBe('no_app')
  })
})

it('ThoughtRecorder keeps thoughts, and forgets those that the agent names', async () => {
  const driver = await open()
  for (const thought of ['first', 'second'])
    await driver.execute(`record --thought ${thought}`, { app: 'app_2' })
  driver.look()
  await driver.execute('forget --thought thoughts[0]', { app: 'app_2' })
  expect(driver.view('Thoughts')).toContain('1. [second](item:thoughts[0])')
  expect(await driver.desktop.call('system.thoughts', 'thoughts')).toMatchObject({
    thoughts: [{ text: 'second' }],
  })
})

it('both are there from the start, cannot be closed, and come back with their data', async () => {
  const driver = await open()
  for (const app of systemApps)
    expect((await failure(driver.system(`close --application ${app}`))).code).toBe('E_PERMISSION')
  await driver.desktop.call('system.chat', 'say', { text: 'kept' })
  await driver.execute('record --thought "kept too"', { app: 'system.thoughts' })
  const before = driver.look()
  const state = JSON.parse(JSON.stringify(serialize(driver.desktop))) as ReturnType<typeof serialize>
  await destroyDesktop(driver.desktop.id)
  const restored = await restoreDesktop(state, { systemApps })
  expect(restored.look()).toBe(before)
})
