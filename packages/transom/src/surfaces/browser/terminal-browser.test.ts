import { Client, RpcPeer, linkedTransports, type ServedRequest } from '@transom/client'
import type { Grid } from '@transom/grid'
import type { PageView, Snapshot } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { SUBSCRIPTION_METHOD } from '@transom/protocol/jsonrpc'
import type { PersonsTerminal, TerminalEvent } from '@transom/tui'
import { expect, test, vi } from 'vitest'
import { TerminalBrowser } from './terminal-browser.ts'

const PAGE: PageView = {
  url: 'http://a.test/',
  title: 'A page',
  loading: false,
  can_go_back: false,
  can_go_forward: false,
  dialog: null,
}
const DIALOG = { type: 'prompt', message: 'Name?', default_prompt: 'me' } as const
const CURSOR = { row: 0, col: 0, visible: false, shape: 'bar', blink: false } as const
const NO_KEYS = { ctrl: false, alt: false, shift: false, super: false }

class FakeTerminal implements PersonsTerminal {
  cols = 40
  rows = 4
  lines: string[] = []
  send: (event: TerminalEvent) => void = () => {}

  show(grid: Grid): void {
    this.lines = Array.from({ length: grid.rows }, (_, row) => grid.lineOf(row))
  }

  listen(listener: (event: TerminalEvent) => void): void {
    this.send = listener
  }

  press(...names: string[]): void {
    for (const name of names)
      this.send({ type: 'key', name, key: name, text: name.length === 1 ? name : '', ...NO_KEYS })
  }

  mouse(action: 'down' | 'up' | 'move' | 'wheel', row: number, col: number, wheelRows = 0): void {
    this.send({ type: 'mouse', action, button: 'left', row, col, wheelRows, wheelCols: 0, ...NO_KEYS })
  }
}

/** A browser whose host answers everything, or fails an operation as told. */
async function browse(failing: Record<string, OpError> = {}) {
  const [here, there] = linkedTransports()
  const asked: [string, object][] = []
  const host = new RpcPeer(there, {
    service: {
      name: 'host',
      inFlightMax: 64,
      staysOpen: () => true,
      served: () => {},
      serve: async ({ method, params }: ServedRequest) => {
        if (method === 'session.subscribe') return { subscription: 1 }
        const { session, ...rest } = params as Record<string, unknown>
        expect(session).toBe('s')
        asked.push([method, rest])
        const error = failing[method]
        if (error !== undefined) throw error
        return { seq: 1 }
      },
    },
    closedError: () => new OpError('cancelled', 'closed'),
    closed: () => {},
  })
  const terminal = new FakeTerminal()
  const leaving = new AbortController()
  const browser = new TerminalBrowser({ client: new Client(here), session: 's', terminal })
  const over = browser.run('http://a.test/', leaving.signal)
  const send = (message: object) => host.notify(SUBSCRIPTION_METHOD, { subscription: 1, ...message })
  const line = (text: string) => ({ text, wrapped: false, cells: [{ col: 0, width: text.length, text }] })
  const snapshot: Snapshot = {
    session: 's',
    seq: 1,
    cols: 40,
    rows: 3,
    cursor: CURSOR,
    title: '',
    bells: 0,
    page: PAGE,
    lines: ['one', 'two', 'three'].map(line),
    screen_hash: '',
  }
  send({ type: 'screen', snapshot })
  const change = (page: PageView) =>
    send({
      type: 'rows',
      seq: 2,
      rows: [{ row: 1, line: line('TWO') }],
      cursor: CURSOR,
      title: '',
      bells: 0,
      screen_hash: '',
      page,
    })
  await vi.waitFor(() => expect(terminal.lines[1]).toBe('one'))
  return { terminal, asked, over, leaving, change, send }
}

test('a session’s screen stands below its address, and changes with it', async () => {
  const { terminal, change } = await browse()
  expect(terminal.lines).toEqual(['‹ › ↻ http://a.test/ — A page', 'one', 'two', 'three'])
  change({ ...PAGE, url: 'http://b.test/', title: '', loading: true })
  await vi.waitFor(() => expect(terminal.lines).toEqual(['‹ › ↻ … http://b.test/', 'one', 'TWO', 'three']))
})

test('keys, pastes, the mouse and a new size are operations of the session, in their order', async () => {
  const { terminal, asked } = await browse()
  terminal.press('a', 'Ctrl+x', 'Alt+Left', 'F5')
  terminal.send({ type: 'paste', text: 'pasted' })
  terminal.mouse('down', 2, 3)
  terminal.mouse('move', 2, 4)
  terminal.mouse('up', 2, 4)
  terminal.mouse('wheel', 1, 0, -2)
  terminal.mouse('down', 0, 2)
  Object.assign(terminal, { cols: 50, rows: 9 })
  terminal.send({ type: 'resize', cols: 50, rows: 9 })
  const at = { row: 1, col: 4 }
  const expected = [
    ['web.navigate', { url: 'http://a.test/' }],
    ['session.keys', { keys: ['a'] }],
    ['session.keys', { keys: ['Ctrl+x'] }],
    ['web.go_back', {}],
    ['web.reload', {}],
    ['session.paste', { text: 'pasted' }],
    ['session.mouse', { action: 'down', at: { row: 1, col: 3 }, button: 'left' }],
    ['session.mouse', { action: 'move', at, button: 'left' }],
    ['session.mouse', { action: 'up', at, button: 'left' }],
    ['session.mouse', { action: 'wheel', at: { row: 0, col: 0 }, lines: -6 }],
    ['web.go_forward', {}],
    ['session.resize', { cols: 50, rows: 8 }],
  ]
  await vi.waitFor(() => expect(asked).toEqual(expected))
})

test('a prompt is answered in the address line, and an equal one after it again', async () => {
  const { terminal, asked, change } = await browse()
  for (const name of ['A', 'B']) {
    change({ ...PAGE, dialog: { ...DIALOG } })
    await vi.waitFor(() => expect(terminal.lines[0]).toContain('[prompt] Name? me'))
    terminal.press(name, 'Enter')
    await vi.waitFor(() =>
      expect(asked.at(-1)).toEqual(['web.answer_dialog', { answer: 'accept', text: `me${name}` }]),
    )
  }
  terminal.press('Escape')
  await vi.waitFor(() => expect(asked.at(-1)?.[1]).toMatchObject({ answer: 'dismiss' }))
})

test('a refusal is shown until the next key; a key that pages do not know is none', async () => {
  const refused = new OpError('url_refused', '10.0.0.1 is a private address')
  const { terminal, asked } = await browse({
    'web.navigate': refused,
    'session.keys': new OpError('unknown_key', 'no key "F99"'),
  })
  await vi.waitFor(() => expect(terminal.lines[0]).toContain('10.0.0.1 is a private address'))
  terminal.press('F99')
  await vi.waitFor(() => expect(asked.at(-1)?.[0]).toBe('session.keys'))
  terminal.press('Ctrl+l')
  expect(terminal.lines[0]).toContain('http://a.test/')
})

test.each<[string, (browsed: Awaited<ReturnType<typeof browse>>) => void]>([
  ['by a key', ({ terminal }) => terminal.press('Ctrl+q')],
  ['by its signal', ({ leaving }) => leaving.abort()],
  ['with its terminal', ({ terminal }) => terminal.send({ type: 'end' })],
  ['with the session', ({ send }) => send({ type: 'end', seq: 3 })],
])('it ends %s', async (_how, end) => {
  const browsed = await browse()
  end(browsed)
  await expect(browsed.over).resolves.toBeUndefined()
})
