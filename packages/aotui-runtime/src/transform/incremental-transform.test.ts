import * as fc from 'fast-check'
import { GlobalWindow } from 'happy-dom'
import { describe, expect, it } from 'vitest'
import { DocumentWatch } from '../app-process/document-watch.ts'
import type { DomWindow, LiveElement } from '../app-process/dom-engine.ts'
import { applySplice, spliceBetween } from '../contract/fragment.ts'

/** More runs where time allows. */
const RUNS = process.env['TRANSOM_FULL'] === '1' ? 3000 : 300

interface Page {
  watch: DocumentWatch
  root: LiveElement
  document: GlobalWindow['document']
}

function openPage(): Page {
  const window = new GlobalWindow({ url: 'http://localhost/' })
  const watch = new DocumentWatch(window as unknown as DomWindow, {
    windowSize: 4,
    onChange: () => undefined,
  })
  const root = window.document.createElement('main')
  root.setAttribute('view', 'V')
  window.document.body.appendChild(root)
  return { watch, root: root as unknown as LiveElement, document: window.document }
}

const TAGS = [
  'div',
  'p',
  'span',
  'ul',
  'li',
  'h2',
  'b',
  'pre',
  'code',
  'table',
  'tr',
  'td',
  'details',
  'summary',
  'form',
  'input',
  'select',
  'option',
  'textarea',
  'button',
  'my-host',
  'slot',
  'section',
  'label',
]
const ATTRIBUTES: readonly [string, readonly string[]][] = [
  ['list', ['thing[]:things', 'thing[]:others', 'note[]:things', 'broken']],
  ['key', ['a', 'b', 'c']],
  ['data-value', ['{"id":1}', '{"id":2}', 'not json']],
  ['operation', ['save', 'drop', 'not an id']],
  ['args', ['{"text":"string"}', '{"one":"thing"}', 'broken']],
  ['entity', ['title:one', 'title:two']],
  ['hidden', ['']],
  ['style', ['display: none', 'color: red']],
  ['aria-hidden', ['true', 'false']],
  ['aria-label', ['label', 'other label']],
  ['open', ['']],
  ['type', ['checkbox', 'radio', 'text', 'password']],
  ['name', ['field', 'other']],
  ['slot', ['', 'side']],
  ['view', ['Nested']],
  ['class', ['x', 'language-js', 'language-css']],
  ['disabled', ['']],
]

const nat = fc.nat(1000)
const mutation = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('append' as const), at: nat, tag: fc.constantFrom(...TAGS) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('item' as const),
      at: nat,
      tag: fc.constantFrom('li', 'div', 'tr'),
      key: fc.nat(20),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('text' as const),
      at: nat,
      text: fc.constantFrom('x', 'hello', '# no', '[a](item:b[0])', ''),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('attribute' as const),
      at: nat,
      which: nat,
      value: nat,
      remove: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('remove' as const), at: nat }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('move' as const), at: nat, to: nat }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('detached' as const),
      at: nat,
      text: fc.constantFrom('changed outside', 'again'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('control' as const),
      at: nat,
      on: fc.boolean(),
      text: fc.constantFrom('typed', ''),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('shadow' as const), at: nat, open: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('page' as const), at: nat, from: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'check' as const }) },
)
type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never
type Element = InstanceType<GlobalWindow['HTMLElement']>

/** Applies one change. Elements are picked from all that were ever made, those inside shadow roots included. */
function apply(page: Page, made: Element[], change: Mutation): void {
  const root = page.root as unknown as Element
  const pick = (at: number): Element => made[at % (made.length + 1)] ?? root
  switch (change.kind) {
    case 'append': {
      const element = page.document.createElement(change.tag)
      if (change.tag === 'option') element.textContent = `option ${made.length}`
      pick(change.at).appendChild(element)
      return void made.push(element)
    }
    case 'item': {
      const element = page.document.createElement(change.tag)
      element.setAttribute('key', `k${change.key}`)
      element.textContent = `item ${made.length}`
      const lists = made.filter((one) => one.hasAttribute('list'))
      const target = lists[change.at % Math.max(1, lists.length)] ?? pick(change.at)
      target.appendChild(element)
      return void made.push(element)
    }
    case 'text':
      return void pick(change.at).appendChild(page.document.createTextNode(change.text))
    case 'attribute': {
      const [name, values] = ATTRIBUTES[change.which % ATTRIBUTES.length] ?? ['class', ['x']]
      // HTML's own attribute; happy-dom looks the datalist up as a selector and throws.
      if (name === 'list' && pick(change.at).localName === 'input') return undefined
      if (change.remove) return pick(change.at).removeAttribute(name)
      return pick(change.at).setAttribute(name, values[change.value % values.length] ?? '')
    }
    case 'remove':
      return pick(change.at) === root ? undefined : pick(change.at).remove()
    case 'move': {
      const [element, target] = [pick(change.at), pick(change.to)]
      if (element === root || isAround(element, target)) return undefined
      return void target.insertBefore(element, target.firstChild)
    }
    case 'detached':
    case 'control':
    case 'shadow':
    case 'page':
      return applyUnobserved(page, made, change)
    case 'check':
      return undefined
    default:
      return change satisfies never
  }
}

type Unobserved = Extract<Mutation, { kind: 'detached' | 'control' | 'shadow' | 'page' }>

/** Changes that no MutationObserver reports by itself. */
function applyUnobserved(page: Page, made: Element[], change: Unobserved): void {
  const root = page.root as unknown as Element
  const pick = (at: number): Element => made[at % (made.length + 1)] ?? root
  switch (change.kind) {
    case 'detached': {
      const element = pick(change.at)
      const parent = element.parentNode
      if (element === root || parent === null) return undefined
      // Nothing is observed while it is outside.
      element.remove()
      element.appendChild(page.document.createTextNode(change.text))
      return void parent.appendChild(element)
    }
    case 'control': {
      const control = pick(change.at) as Element & { checked?: boolean; value?: string; selected?: boolean }
      if (control.localName === 'input') control.checked = change.on
      if (control.localName === 'option') control.selected = change.on
      if (control.localName === 'input' || control.localName === 'textarea') control.value = change.text
      return undefined
    }
    case 'shadow': {
      const host = pick(change.at)
      if (!['div', 'section', 'my-host', 'p', 'span'].includes(host.localName) || hosts.has(host))
        return undefined
      hosts.add(host)
      const shadow = host.attachShadow({ mode: change.open ? 'open' : 'closed' })
      const inside = page.document.createElement('div')
      const slot = page.document.createElement('slot')
      shadow.append(inside, slot)
      return void made.push(inside, slot)
    }
    case 'page': {
      const lists = made.filter((one) => one.hasAttribute('list'))
      const list = lists[change.at % Math.max(1, lists.length)]
      return list === undefined ? undefined : page.watch.transform.setWindow(list, change.from)
    }
    default:
      return change satisfies never
  }
}

const hosts = new WeakSet<object>()

function isAround(element: Element, target: Element): boolean {
  for (let at: unknown = target; at !== null && at !== undefined;) {
    if (at === element) return true
    const node = at as { parentNode: unknown; host?: unknown }
    at = node.parentNode ?? node.host
  }
  return false
}

describe('the incremental transform', () => {
  it('equals a full transform after any changes, whenever it is asked', () => {
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 5, maxLength: 60 }), (changes) => {
        const page = openPage()
        const made: Element[] = []
        let sent: ReturnType<typeof applySplice> = []
        // A list to begin with, or most runs would have none.
        for (const [tag, attribute, value] of [
          ['ul', 'list', 'thing[]:things'],
          ['div', 'list', 'note[]:notes'],
        ] as const) {
          const element = page.document.createElement(tag)
          element.setAttribute(attribute, value)
          made.push(element)
          ;(page.root as unknown as Element).appendChild(element)
        }
        for (const change of [...changes, { kind: 'check' as const }]) {
          apply(page, made, change)
          if (change.kind !== 'check' && made.length % 3 !== 0) continue
          page.watch.flush()
          const incremental = page.watch.transform.render(page.root)
          const full = page.watch.transform.renderFully(page.root)
          expect(incremental.chunks).toEqual(full.chunks)
          expect(incremental.operations).toEqual(full.operations)
          expect(incremental.entities).toEqual(full.entities)
          expect(new Set(incremental.found.warnings)).toEqual(new Set(full.found.warnings))
          sent = applySplice(sent, spliceBetween(sent, incremental.chunks))
          expect(sent).toEqual(full.chunks)
        }
      }),
      { numRuns: RUNS },
    )
  })

  it('renders nothing again when nothing changed, and one item when one did', () => {
    const { watch, root, document } = openPage()
    ;(root as unknown as Element).innerHTML =
      `<ul list="thing[]:things"><li key="a">a</li><li key="b">b</li></ul>`
    watch.flush()
    const first = watch.transform.render(root)
    watch.flush()
    expect(watch.transform.render(root)).toBe(first)
    document.querySelectorAll('li')[1]?.append('!')
    watch.flush()
    const second = watch.transform.render(root)
    expect(second.chunks[1]).toBe(first.chunks[1])
    expect(second.chunks[2]).not.toBe(first.chunks[2])
    expect(spliceBetween(first.chunks, second.chunks)).toMatchObject({
      from: 2,
      removeCount: 1,
      chunks: [{ head: 'b!' }],
    })
  })

  it('names a list by its present name when it warns of an item that has not changed', () => {
    const { watch, root, document } = openPage()
    ;(root as unknown as Element).innerHTML = `<ul list="thing[]:things"><li>a</li></ul>`
    watch.flush()
    watch.transform.render(root)
    document.querySelector('ul')?.setAttribute('list', 'thing[]:others')
    watch.flush()
    const problem = 'an item has neither key nor data-value'
    expect(watch.transform.render(root).found.warnings).toEqual([`list "others": ${problem}`])
  })

  it('renders no paragraph again when another one changed', () => {
    const { watch, root, document } = openPage()
    ;(root as unknown as Element).innerHTML =
      `<section><p>a</p><p>b</p></section><button operation="go">Go</button>`
    watch.flush()
    const first = watch.transform.render(root)
    document.querySelectorAll('p')[1]?.append('!')
    watch.flush()
    const second = watch.transform.render(root)
    expect(second.chunks).toEqual([
      { kind: 'text', text: 'a' },
      { kind: 'text', text: 'b!' },
    ])
    expect(second.chunks[0]).toBe(first.chunks[0])
    expect(second.operations[0]).toBe(first.operations[0])
  })

  it('sees the attributes of a form, which happy-dom reports of another object', () => {
    const { watch, root, document } = openPage()
    ;(root as unknown as Element).innerHTML =
      `<ul list="thing[]:things"><li><form key="a" data-value="1">a</form></li></ul><form><p>b</p></form>`
    watch.flush()
    watch.transform.render(root)
    const [item, block] = document.querySelectorAll('form')
    item?.setAttribute('data-value', '2')
    block?.setAttribute('hidden', '')
    item?.setAttribute('view', 'Own')
    watch.flush()
    expect(watch.transform.render(root).chunks).toEqual(watch.transform.renderFully(root).chunks)
    expect(watch.viewElements()).toEqual([root, item])
  })

  it('renders an item again when it comes to lie inside another item', () => {
    const { watch, root, document } = openPage()
    const html = `<div list="a[]:as"><div id="w"><p>W</p><ul list="b[]:bs"><li key="x">X<p>more</p></li></ul></div></div>`
    ;(root as unknown as Element).innerHTML = html
    watch.flush()
    watch.transform.render(root)
    document.getElementById('w')?.setAttribute('key', 'w')
    watch.flush()
    expect(watch.transform.render(root).chunks).toEqual(watch.transform.renderFully(root).chunks)
  })

  it('sees a change of what an item shows through a slot', () => {
    const { watch, root, document } = openPage()
    const host = document.createElement('my-card')
    ;(root as unknown as Element).appendChild(host)
    host.attachShadow({ mode: 'closed' }).innerHTML = `<ul list="t[]:ts"><li key="a"><slot></slot></li></ul>`
    host.append('before')
    watch.flush()
    expect(JSON.stringify(watch.transform.render(root).chunks)).toContain('before')
    host.textContent = 'after'
    watch.flush()
    expect(JSON.stringify(watch.transform.render(root).chunks)).toContain('after')
  })

  it('sees control state that no observer reports', () => {
    const { watch, root, document } = openPage()
    ;(root as unknown as Element).innerHTML =
      `<ul list="thing[]:things"><li key="a"><input type="checkbox"> a</li></ul><input name="x">`
    watch.flush()
    watch.transform.render(root)
    const [box, field] = document.querySelectorAll('input') as unknown as {
      checked: boolean
      value: string
    }[]
    if (box !== undefined) box.checked = true
    if (field !== undefined) field.value = 'typed'
    watch.flush()
    const texts = JSON.stringify(watch.transform.render(root).chunks)
    expect(texts).toContain('[x] a')
    expect(texts).toContain('typed')
  })
})
