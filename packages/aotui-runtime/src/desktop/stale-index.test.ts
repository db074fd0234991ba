import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { makeApp } from '../../test-support/app-folder.ts'
import { failure, openApp } from '../../test-support/desktop-driver.ts'
import type { CommandAck } from '../index.ts'

/** A list that changes under the agent's hands; the last touched id is shown, so a test can see who was hit. */
const LIST_APP = `
  document.body.innerHTML = '<main view="List"><p id="hit">none</p><ul list="thing[]:things"></ul>' +
    ['prepend', 'remove', 'shuffle', 'clear'].map((op) => '<button operation="' + op + '">x</button>').join('') +
    '<button operation="touch" args=\\'{"thing":"thing"}\\'>Touch</button></main>'
  const list = document.querySelector('ul')
  let next = 0
  const prepend = () => {
    const item = document.createElement('li')
    item.setAttribute('key', 't' + next)
    item.setAttribute('data-value', JSON.stringify({ id: 't' + next }))
    item.textContent = 'thing t' + next++
    list.prepend(item)
  }
  for (let i = 0; i < 4; i++) prepend()
  document.querySelector('main').addEventListener('aotui:operation', ({ detail }) => {
    const { operation, args, stable_keys } = detail
    if (operation === 'prepend') prepend()
    if (operation === 'remove') list.children[args.at % list.children.length]?.remove()
    if (operation === 'shuffle') list.append(...[...list.children].reverse())
    if (operation === 'clear') list.replaceChildren()
    if (operation === 'touch') document.getElementById('hit').textContent = args.thing.id + ' ' + stable_keys.join()
  })
`

/** An index that was not shown is refused with a reason. */
function refused(outcome: unknown): void {
  expect(outcome).toMatchObject({ code: 'E_NOT_FOUND', data: { reason: 'ref_not_shown' } })
}

type Step = { op: 'prepend' | 'shuffle' | 'clear' } | { op: 'remove'; at: number }
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Step>({ op: 'prepend' }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('remove' as const), at: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.constant<Step>({ op: 'shuffle' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ op: 'clear' }) },
)

it('an index means the item that the agent saw, whatever happened since', async () => {
  const driver = await openApp(makeApp({ main: LIST_APP }))
  const { lease, desktop } = driver
  let hitCount = 0
  let goneCount = 0
  const shownItems = (markup: string) =>
    [...markup.matchAll(/\[thing (t\d+)\]\(item:things\[(\d+)\]\)/g)].map(([, id, index]) => ({
      id,
      index: Number(index),
    }))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 4 }), fc.nat(6), async (steps, pick) => {
      while (shownItems(desktop.snapshot().markup).length < 4)
        await lease.execute({ app: 'app_1', operation: 'prepend', args: {} })
      const { markup, snapshot_id } = desktop.snapshot()
      const shown = shownItems(markup)
      for (const { op, ...args } of steps) await lease.execute({ app: 'app_1', operation: op, args })
      const touch = { app: 'app_1', operation: 'touch', args: { thing: `things[${pick}]` }, snapshot_id }
      const expected = shown.find((item) => item.index === pick)
      const outcome = await lease.execute(touch).catch((error: unknown) => error)
      if (expected === undefined) return refused(outcome)
      const { warnings } = outcome as CommandAck
      const now = desktop.snapshot().markup
      expect(now).toContain(`${expected.id} ${expected.id}`)
      const isThere = shownItems(now).some((item) => item.id === expected.id)
      expect(warnings).toEqual(isThere ? [] : ['item_unmounted'])
      hitCount++
      if (!isThere) goneCount++
    }),
    { numRuns: 1000 },
  )
  // The property must not hold for want of cases.
  expect(hitCount).toBeGreaterThan(500)
  expect(goneCount).toBeGreaterThan(100)
})

it('a snapshot that is not kept any more is refused, never guessed', async () => {
  let now = 0
  const driver = await openApp(makeApp({ main: LIST_APP }), { now: () => now })
  const old = driver.desktop.snapshot().snapshot_id
  for (let count = 0; count < 5; count++) {
    now += 10 * 60_000
    await driver.execute('prepend')
    driver.look()
  }
  const error = await failure(
    driver.lease.execute({
      app: 'app_1',
      operation: 'touch',
      args: { thing: 'things[0]' },
      snapshot_id: old,
    }),
  )
  expect(error.code).toBe('E_NOT_FOUND')
  expect(error.data['reason']).toBe('snapshot_expired')
})

it('refs are refused as text, without a snapshot, of another type, and when quoted', async () => {
  const driver = await openApp(makeApp({ main: LIST_APP }))
  const touch = (thing: unknown, snapshot_id?: string) =>
    failure(
      driver.lease.execute({
        app: 'app_1',
        operation: 'touch',
        args: { thing },
        ...(snapshot_id === undefined ? {} : { snapshot_id }),
      }),
    )
  const { seen } = driver
  expect((await touch('things[0]')).data['reason']).toBe('no_snapshot_id')
  expect((await touch('others[0]', seen)).data['reason']).toBe('ref_not_shown')
  expect((await touch('t0', seen)).data['reason']).toBe('bad_argument')
  expect((await touch({ id: 't0' }, seen)).data['reason']).toBe('bad_argument')
  expect((await failure(driver.execute('touch --thing "things[0]"'))).data['reason']).toBe('bad_argument')
})

it('stable_keys holds the key of every ref, of items and entities, in the order of the arguments', async () => {
  const main = `
    document.body.innerHTML = '<main view="V"><h1 entity="title:name">Name</h1><p entity="title:twice">a</p><p entity="title:twice">b</p>' +
      '<ul list="thing[]:things"><li key="a" data-value=\\'{"n":1}\\'>A</li><li key="b">B</li><li data-value=\\'{"n":3}\\'>C</li></ul>' +
      '<button operation="take" args=\\'{"title":"title","one":"thing?","more":"thing[]?"}\\'>Take</button><p id="got"></p></main>'
    document.querySelector('main').addEventListener('aotui:operation', ({ detail }) => {
      const { args, stable_keys } = detail
      document.getElementById('got').textContent = JSON.stringify({ args, stable_keys })
    })`
  const driver = await openApp(makeApp({ main }))
  const got = () => JSON.parse(/\{.*\}/.exec(driver.view('V').replaceAll('\\', ''))?.[0] ?? 'null') as unknown
  await driver.execute('take --title entity:name --one things[1] --more things[0] --more things[2]')
  expect(got()).toEqual({
    args: { title: { id: 'name' }, one: { key: 'b' }, more: [{ n: 1 }, { n: 3 }] },
    stable_keys: ['name', 'b', 'a'],
  })
  const error = await failure(driver.execute('take --title entity:twice'))
  expect(error).toMatchObject({ code: 'E_NOT_FOUND', data: { reason: 'ambiguous' } })
  expect(driver.developerLog()).toContain('entity "twice" is declared more than once')
})
