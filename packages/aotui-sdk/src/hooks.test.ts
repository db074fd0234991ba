import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { destroyDesktop, serializeFresh } from '../../aotui-runtime/src/index.ts'
import {
  failure,
  restoreDesktop,
  type DesktopDriver,
} from '../../aotui-runtime/test-support/desktop-driver.ts'
import { openSdkApp } from '../test-support/sdk-app.ts'

const COMPONENTS = `
  function Counter() {
    const [count, setCount] = usePersistentState('count', 0)
    const add = useOperation('add', { by: 'integer' }, ({ by }) => setCount(count + by))
    return <p>count {count}<button {...add}>Add</button></p>
  }
  function App() {
    const [open, setOpen] = usePersistentState('open', true)
    const toggle = useOperation('toggle', {}, () => setOpen((now) => !now))
    return <main view="V">{open && <Counter />}<button {...toggle}>Toggle</button></main>
  }
  export { serialize, restore } from '@aotui/sdk'
`

const APPS = {
  react: `
    import { createRoot } from 'react-dom/client'
    import { useOperation, usePersistentState } from '@aotui/sdk/react'
    ${COMPONENTS}
    createRoot(document.body.appendChild(document.createElement('div'))).render(<App />)`,
  preact: `
    import { render } from 'preact'
    import { useOperation, usePersistentState } from '@aotui/sdk/preact'
    ${COMPONENTS}
    render(<App />, document.body)`,
  vue: `
    import { createApp, h } from 'vue'
    import { useOperation, usePersistentRef } from '@aotui/sdk/vue'
    const Counter = { setup() {
      const count = usePersistentRef('count', 0)
      const add = useOperation('add', { by: 'integer' }, ({ by }) => { count.value += by })
      return () => h('p', ['count ' + count.value, h('button', add, 'Add')])
    } }
    const App = { setup() {
      const open = usePersistentRef('open', true)
      const toggle = useOperation('toggle', {}, () => { open.value = !open.value })
      return () => h('main', { view: 'V' }, [open.value ? h(Counter) : null, h('button', toggle, 'Toggle')])
    } }
    export { serialize, restore } from '@aotui/sdk'
    createApp(App).mount(document.body.appendChild(document.createElement('div')))`,
}

describe.each(['react', 'preact', 'vue'] as const)('in %s', (framework) => {
  const open = () => openSdkApp(APPS[framework], framework === 'vue' ? {} : { jsxImportSource: framework })

  it('a handler sees the latest state, and is gone with its component', async () => {
    const driver = await open()
    await driver.execute('add --by 2')
    await driver.execute('add --by 3')
    expect(driver.view('V')).toMatch(/^count 5\n/)
    await driver.execute('toggle')
    driver.look()
    expect((await failure(driver.execute('add --by 1'))).data['reason']).toBe('no_operation')
    await driver.execute('toggle')
    expect(driver.view('V')).toMatch(/^count 5\n/)
    await driver.execute('add --by 1')
    expect(driver.view('V')).toMatch(/^count 6\n/)
  })

  it('persistent state comes back, also for a component that is made later', async () => {
    const driver = await open()
    await driver.execute('add --by 4')
    await driver.execute('toggle')
    const restored = await again(await again(driver))
    expect(restored.view('V')).not.toContain('count')
    await restored.execute('toggle')
    expect(restored.view('V')).toMatch(/^count 4\n/)
  })
})

it('the example of the README runs', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const [, example = ''] = /```tsx\n([\s\S]*?)```/.exec(readme) ?? []
  const driver = await openSdkApp(
    `import { createRoot } from 'react-dom/client'
     ${example}
     createRoot(document.body.appendChild(document.createElement('div'))).render(<Notes />)`,
    { jsxImportSource: 'react' },
  )
  await driver.execute('add --text second')
  await driver.execute('add --text first --first')
  driver.look()
  await driver.execute('remove --note notes[1]')
  expect(driver.view('Notes')).toContain('1. [first](item:notes[0])\n\n')
})

/** The desktop in a new life. */
async function again({ desktop }: DesktopDriver): Promise<DesktopDriver> {
  const state = JSON.parse(JSON.stringify(await serializeFresh(desktop))) as Awaited<
    ReturnType<typeof serializeFresh>
  >
  await destroyDesktop(desktop.id)
  return restoreDesktop(state)
}
