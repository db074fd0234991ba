import { GlobalWindow } from 'happy-dom'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import type { Desktop, Lease } from '../src/index.ts'
import type { Figure } from './figure.ts'

const ITEMS = 200
const DELETE_SHARE_MAX = 0.1 // of the full snapshot

export interface TokenInput {
  readonly startTodos: (count: number) => void
  /** Opens the app of `startTodos(ITEMS)` in a desktop that shows so many items of a list. */
  readonly open: (listWindow: number) => Promise<{ desktop: Desktop; lease: Lease }>
}

/** What a model reads of a list of 200 items, in tokens of the public encoding o200k_base. */
export async function tokens({ startTodos, open }: TokenInput): Promise<Figure[]> {
  const { raw, aria } = peers(startTodos)
  const { desktop, lease } = await open(Number.POSITIVE_INFINITY)
  const windowed = await open(50)
  const view = ({ markup }: { markup: string }) => markup.slice(markup.indexOf('<application'))
  const full = encode(view(desktop.snapshot())).length
  const delta = async (operation: string, args: Record<string, unknown>) => {
    const { snapshot_id } = desktop.snapshot()
    await lease.execute({ app: 'app_1', operation, args, snapshot_id })
    return encode(view(desktop.snapshot({ since: snapshot_id }))).length
  }
  const toggled = await delta('toggle', { item: 'tasks[20]' })
  const inserted = await delta('add', { title: 'Buy a new lamp' })
  const deleted = await delta('delete', { item: 'tasks[5]' })
  const figure = (name: string, value: number, limit = {}): Figure => ({
    name: `${ITEMS} items: ${name}`,
    value,
    unit: 'tokens',
    ...limit,
  })
  return [
    figure('raw text', encode(raw).length),
    figure('accessibility snapshot', encode(aria).length),
    figure('full snapshot', full, { max: encode(aria).length }),
    figure('snapshot with 50 items shown', encode(view(windowed.desktop.snapshot())).length),
    figure('delta of a toggle', toggled),
    figure('delta of an insert', inserted),
    figure('delta of a delete', deleted, { max: full * DELETE_SHARE_MAX }),
    figure('system views of every full snapshot', encode(desktop.snapshot().markup).length - full),
  ]
}

/** The same document as its text alone, and as tools for browsers give it to models: roles, names, a ref each. */
function peers(startTodos: TokenInput['startTodos']): { raw: string; aria: string } {
  const window = new GlobalWindow({ url: 'http://localhost/' })
  Object.assign(globalThis, { document: window.document, window })
  startTodos(ITEMS)
  const body = window.document.body as unknown as Element
  const raw = (body.textContent ?? '').replaceAll(/\s*\n\s*/g, '\n').replaceAll(/[ \t]+/g, ' ')
  const lines: string[] = []
  let refCount = 0
  const visit = (element: Element, depth: number) => {
    const role = ROLES[element.localName]
    const name = NAMED.has(element.localName) ? ` "${(element.textContent ?? '').trim()}"` : ''
    const own = [...element.childNodes].filter(
      (node) => node.nodeType === 3 && (node.textContent ?? '').trim() !== '',
    )
    const pad = '  '.repeat(depth)
    if (role !== undefined) lines.push(`${pad}- ${role}${name} [ref=e${++refCount}]`)
    else if (own.length > 0)
      lines.push(`${pad}- text: ${own.map((node) => node.textContent?.trim()).join(' ')}`)
    for (const child of element.children) visit(child, role === undefined ? depth : depth + 1)
  }
  for (const child of body.children) visit(child, 0)
  return { raw, aria: lines.join('\n') }
}

const ROLES: Readonly<Record<string, string>> = {
  main: 'main',
  h1: 'heading',
  p: 'paragraph',
  ul: 'list',
  li: 'listitem',
  form: 'form',
  input: 'checkbox',
  button: 'button',
  a: 'link',
  b: 'strong',
}
const NAMED = new Set(['h1', 'p', 'button', 'a', 'b'])
