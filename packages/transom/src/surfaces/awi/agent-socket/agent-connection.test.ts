import { afterEach, describe, expect, test, vi } from 'vitest'
import { Client, RpcPeer, linkedTransports, type ServedRequest } from '@transom/client'
import { AWI_METHODS, OPERATIONS, isOperationName, type OperationName } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { SUBSCRIPTION_METHOD } from '@transom/protocol/jsonrpc'
import { AgentConnection, EVENT_METHOD } from './agent-connection.ts'

const SHOWN = {
  session: 's',
  seq: 7,
  cols: 4,
  rows: 1,
  title: 'A title',
  lines: [
    {
      text: 'ab  ',
      wrapped: false,
      cells: [{ col: 0, width: 4, text: 'ab  ', fg: '#000000', bg: '#ff6600' }],
    },
  ],
  page: { url: 'http://a.test/' },
}
const STATE = {
  session: 's',
  url: 'http://a.test/',
  title: 'A title',
  loading: false,
  can_go_back: true,
  can_go_forward: false,
  dialog: null,
  scale: 2,
  scroll: { x: 0, y: 0, width: 1, height: 1 },
  focus: { tag: 'a', type: '', name: 'link', cell: { row: 2, col: 3 } },
  caret: null,
}

/** What a host would answer, by operation; a test may replace any. */
const ANSWERS: Partial<Record<OperationName, unknown>> = {
  'session.snapshot': SHOWN,
  'session.diff': {
    seq: 9,
    cols: 4,
    rows: 1,
    resized: false,
    changed: [{ row: 0, line: { text: 'xy', wrapped: false } }],
  },
  'session.screenshot': { seq: 7, cols: 4, rows: 1, png_b64: 'AAAA' },
  'session.mouse': { seq: 3, row: 5, col: 6 },
  'session.wait': { elapsed_ms: 12.4, snapshot: SHOWN },
  'session.subscribe': { subscription: 1 },
  'web.state': STATE,
  'web.go_back': { seq: 3, moved: false },
  'web.links': { links: [] },
  'web.find_text': { matches: [] },
  'web.paint': { width: 8, height: 16, png_b64: 'AAAA', path: '/somewhere', seq: 3 },
  'host.status': {
    version: '1.2.3',
    started_at: '2026-01-01T00:00:00.000Z',
    metrics: {
      events: 5,
      requests: [{ operation: 'session.snapshot', count: 4, errors: 0, total_ms: 2, max_ms: 1 }],
    },
  },
}

interface Asked {
  readonly operation: string
  readonly params: unknown
}

const open: { close(): void }[] = []
afterEach(() => {
  vi.useRealTimers()
  for (const one of open.splice(0)) one.close()
})

/** An agent's client at one end, a host at the other, and the connection that is tested between them. */
function connect(answers: Partial<Record<OperationName, unknown>> = {}) {
  const asked: Asked[] = []
  const events: unknown[] = []
  const [hostEnd, facadeEnd] = linkedTransports()
  const host = new RpcPeer(hostEnd, {
    service: {
      name: 'host',
      inFlightMax: 256,
      serve: ({ method, params }: ServedRequest) => {
        asked.push({ operation: method, params })
        if (!isOperationName(method)) throw new OpError('unknown_operation', method)
        const { error } = OPERATIONS[method].params.safeParse(params)
        if (error !== undefined) throw new OpError('usage', `${method}: ${error.message}`)
        const answer = { ...ANSWERS, ...answers }[method] ?? { seq: 1 }
        if (answer instanceof Error) throw answer
        return answer
      },
    },
    closedError: () => new OpError('cancelled', 'gone'),
  })
  const [agentEnd, servedEnd] = linkedTransports()
  const observer = { opened: () => 1, request: () => {}, closed: () => {} }
  const peer = { kind: 'local', uid: 0, pid: 1, user: 'root' } as const
  new AgentConnection(servedEnd, { peer, host: new Client(facadeEnd), session: 's', observer })
  const agent = new RpcPeer(agentEnd, {
    notified: (method, params) => events.push([method, params]),
    closedError: () => new OpError('cancelled', 'gone'),
  })
  open.push(agent, host)
  return {
    asked,
    events,
    host,
    call: async (method: string, params: object = {}) => agent.request(method, params),
  }
}

const OK = { ok: true }
const at = { row: 1, col: 2 }

describe('a method is an operation on the web session', () => {
  test.each<[string, object, Asked, unknown]>([
    [
      'navigate',
      { url: 'http://a.test/', timeout_ms: 0 },
      asks('web.navigate', { url: 'http://a.test/', timeout_ms: 0 }),
      OK,
    ],
    ['go_back', {}, asks('web.go_back', {}), { ok: false }],
    ['reload', {}, asks('web.reload', {}), OK],
    ['send_key', { key: 'Tab' }, asks('session.keys', { keys: ['Tab'] }), OK],
    [
      'send_key',
      { key: 'Char', char: '+', modifiers: { ctrl: true, meta: true, shift: false } },
      asks('session.keys', { keys: ['Ctrl+Super++'] }),
      OK,
    ],
    ['type_text', { text: 'a b' }, asks('session.type', { text: 'a b' }), OK],
    ['paste', { text: '' }, asks('session.paste', { text: '' }), OK],
    ['scroll', { delta: -3 }, asks('session.mouse', { action: 'wheel', lines: -3 }), OK],
    ['scroll', { delta: 3, ...at }, asks('session.mouse', { action: 'wheel', lines: 3, at }), OK],
    [
      'click',
      { ...at, button: 'right', clicks: 2, modifiers: { alt: true } },
      asks('session.mouse', { action: 'click', at, button: 'right', clicks: 2, modifiers: ['alt'] }),
      OK,
    ],
    ['mouse_move', at, asks('session.mouse', { action: 'move', at }), OK],
    ['mouse_down', at, asks('session.mouse', { action: 'down', at }), OK],
    ['mouse_up', at, asks('session.mouse', { action: 'up', at }), OK],
    [
      'drag',
      { from: at, to: { row: 3, col: 4 } },
      asks('session.mouse', { action: 'drag', at, to: { row: 3, col: 4 } }),
      OK,
    ],
    [
      'click_text',
      { text: ' Next ', nth: 2, ignore_case: true },
      asks('session.mouse', { action: 'click', text: 'Next', nth: 2, ignore_case: true }),
      { ok: true, row: 5, col: 6 },
    ],
    ['set_viewport', { cols: 80, rows: 24 }, asks('session.resize', { cols: 80, rows: 24 }), OK],
    ['set_zoom', { percent: 130 }, asks('web.set_zoom', { percent: 130 }), OK],
    ['get_title', {}, asks('web.state', { max_wait_ms: 0 }), { title: 'A title' }],
    ['get_url', {}, asks('web.state', { max_wait_ms: 0 }), { url: 'http://a.test/' }],
    [
      'get_nav_state',
      {},
      asks('web.state', { max_wait_ms: 0 }),
      { can_go_back: true, can_go_forward: false },
    ],
    ['get_dialog', {}, asks('web.state', { max_wait_ms: 0 }), { dialog: null }],
    ['answer_dialog', { accept: false }, asks('web.answer_dialog', { answer: 'dismiss' }), OK],
    ['find_text', { text: 'x' }, asks('web.find_text', { text: 'x' }), { matches: [] }],
    ['links', {}, asks('web.links', {}), { links: [] }],
    [
      'screenshot',
      { full_page: true },
      asks('web.paint', { full_page: true, inline: true }),
      { width: 8, height: 16, png_b64: 'AAAA' },
    ],
    [
      'wait_for',
      { text: 'x', url: 'y', network_idle: 5, timeout_ms: 9 },
      asks('session.wait', { text: 'x', url: 'y', network_idle_ms: 5, timeout_ms: 9 }),
      { ok: true, elapsed_ms: 12 },
    ],
    [
      'wait_for_frame_quiescence',
      { idle_ms: 300 },
      asks('session.wait', { idle_ms: 300, after_input: true, settle_ms: 300 }),
      { ok: true, elapsed_ms: 12 },
    ],
    [
      'wait_for_title_contains',
      { substring: 'A' },
      asks('session.wait', { title: 'A' }),
      { ok: true, elapsed_ms: 12, title: 'A title' },
    ],
    ['ping', {}, { operation: 'host.status', params: {} }, OK],
  ])('%s %j', async (method, params, operation, result) => {
    const { call, asked } = connect()
    expect(await call(method, params)).toEqual(result)
    expect(asked).toEqual([operation])
  })

  test('every method that the table has is served, and no other', async () => {
    const { call } = connect()
    const minimal: Record<string, object> = {
      navigate: { url: 'http://a.test/' },
      send_key: { key: 'Tab' },
      type_text: { text: '' },
      paste: { text: '' },
      scroll: { delta: 1 },
      drag: { from: at, to: at },
      click_text: { text: 'x' },
      find_text: { text: 'x' },
      set_viewport: { cols: 80, rows: 24 },
      set_zoom: { percent: 100 },
      answer_dialog: { accept: true },
      wait_for: { text: 'x' },
      wait_for_frame_quiescence: { idle_ms: 1 },
      wait_for_title_contains: { substring: 'x' },
    }
    for (const name of ['click', 'mouse_move', 'mouse_down', 'mouse_up']) minimal[name] = at
    for (const method of AWI_METHODS.keys()) expect(await call(method, minimal[method])).toBeTypeOf('object')
    await expect(call('web.state')).rejects.toMatchObject({ code: 'unknown_operation' })
    await expect(call('toString')).rejects.toMatchObject({ code: 'unknown_operation' })
  })
})

describe('a snapshot', () => {
  test('is text, colours, changes or a picture, with the seq of the Event Log', async () => {
    const { call, asked } = connect()
    const size = { width: 4, height: 1 }
    expect(await call('snapshot')).toEqual({ ...size, seq: 7, lines: ['ab  '] })
    expect(await call('snapshot', { format: 'ansi' })).toEqual({
      ...size,
      seq: 7,
      lines: ['\u001b[38;2;0;0;0;48;2;255;102;0mab  \u001b[0m'],
    })
    expect(await call('snapshot', { since: 3 })).toEqual({
      ...size,
      seq: 9,
      since: 3,
      changed: [{ row: 0, text: 'xy' }],
    })
    expect(await call('snapshot', { format: 'png' })).toEqual({ ...size, seq: 7, png_b64: 'AAAA' })
    expect(asked.map(({ operation }) => operation)).toEqual([
      'session.snapshot',
      'session.snapshot',
      'session.diff',
      'session.screenshot',
    ])
  })

  test('returns everything if changes are not known: after a resize, and for a seq that never was', async () => {
    const resized = { ...(ANSWERS['session.diff'] as object), resized: true }
    for (const answer of [resized, new OpError('moment_not_found', 'no such seq')]) {
      const { call } = connect({ 'session.diff': answer })
      expect(await call('snapshot', { since: 3 })).toMatchObject({ lines: ['ab  '] })
    }
  })

  test('describes the page with include_meta', async () => {
    const { call } = connect()
    expect(await call('snapshot', { include_meta: true, trim: true })).toMatchObject({
      meta: {
        cursor: { x: 3, y: 2 },
        url: 'http://a.test/',
        title: 'A title',
        dpi: 2,
        scale: { width: 4, height: 8 },
        nav: { can_go_back: true, can_go_forward: false },
      },
    })
  })

  test('is refused when one connection has taken 200 in a second; the next second has as many', async () => {
    vi.useFakeTimers()
    const { call } = connect()
    for (let taken = 0; taken < 200; taken++) await call('snapshot')
    await expect(call('snapshot')).rejects.toMatchObject({ code: 'rate_limited' })
    expect(await call('ping')).toEqual(OK)
    await vi.advanceTimersByTimeAsync(1000)
    expect(await call('snapshot')).toMatchObject({ seq: 7 })
  })
})

describe('an error is one of the specification', () => {
  test('of a key, of a size, of parameters', async () => {
    const unknown = new OpError('unknown_key', 'no key "Enterr"', { key: 'Enterr' })
    const { call, asked } = connect({ 'session.keys': unknown })
    await expect(call('send_key', { key: 'Enterr' })).rejects.toMatchObject({
      code: 'invalid_key',
      details: { key: 'Enterr' },
    })
    asked.length = 0
    await expect(call('send_key', { key: 'Char' })).rejects.toMatchObject({ code: 'invalid_key' })
    await expect(call('set_viewport', { cols: 1, rows: 9000 })).rejects.toMatchObject({
      code: 'invalid_viewport',
    })
    await expect(call('scroll', { delta: 1, typo: 2 })).rejects.toMatchObject({ code: 'usage' })
    expect(asked).toEqual([])
  })

  test('of a wait, with what was seen', async () => {
    const late = new OpError('wait_timeout', 'it did not come true', { snapshot: SHOWN, elapsed_ms: 3 })
    const { call } = connect({ 'session.wait': late })
    await expect(call('wait_for', { text: 'x' })).rejects.toMatchObject({
      code: 'wait_timeout',
      details: { url: 'http://a.test/', title: 'A title', lines: ['ab  '] },
    })
  })

  test('of a failed session: the browser has ended', async () => {
    const ended = new OpError('session_ended', 'failed', { failure: 'its browser ended', exit: null })
    const { call } = connect({ 'session.wait': ended })
    await expect(call('wait_for', { text: 'x' })).rejects.toMatchObject({
      code: 'browser_failed',
      message: 'its browser ended',
    })
  })
})

test('get_capabilities lists the methods of the table and what the host has counted', async () => {
  const { call } = connect()
  const { features, ...rest } = (await call('get_capabilities')) as { features: string[] }
  expect(features).toEqual(expect.arrayContaining(['navigate', 'snapshot:text', 'snapshot:since', 'ping']))
  expect(rest).toMatchObject({
    version: '1.2.3',
    snapshot_formats: ['text', 'ansi', 'png'],
    platform: 'unix',
    session_id: 's',
    data: { requests: { 'session.snapshot': 4 }, snapshots: { count: 4, export_mean_ms: 0.5 } },
  })
})

test('page events are made from the records of the Event Log, without what the page shows', async () => {
  vi.useFakeTimers()
  const { call, events, host, asked } = connect()
  expect(await call('subscribe_events')).toEqual(OK)
  expect(asked.at(-1)).toEqual(asks('session.subscribe', { to: 'events', full_rate: true }))
  const navigation = { can_go_back: true, can_go_forward: false }
  const records = [
    {
      seq: 10,
      time: 1,
      type: 'web_navigation',
      fields: { ...navigation, url: 'http://b.test/', loading: true },
    },
    { seq: 11, time: 1, type: 'web_title', fields: { title: 'B' } },
    { seq: 12, time: 1, type: 'web_frame', data_b64: 'c2VjcmV0' },
    { seq: 13, time: 1, type: 'web_frame', data_b64: 'c2VjcmV0' },
    {
      seq: 14,
      time: 1,
      type: 'web_navigation',
      fields: { ...navigation, url: 'http://b.test/', loading: false },
    },
    {
      seq: 15,
      time: 1,
      type: 'web_dialog',
      fields: { dialog: { type: 'alert', message: 'm', default_prompt: '' } },
    },
    { seq: 16, time: 1, type: 'web_dialog', fields: { dialog: null } },
    { seq: 17, time: 1, type: 'web_trouble', fields: { code: 'page_crashed', message: 'gone' } },
    { seq: 18, time: 1, type: 'web_input', fields: { via: 'type', text: 'secret' } },
  ]
  host.notify(SUBSCRIPTION_METHOD, { subscription: 1, type: 'records', records })
  await vi.advanceTimersByTimeAsync(200)
  expect(events).toEqual(
    [
      { type: 'navigated', url: 'http://b.test/' },
      { type: 'loading', loading: true },
      { type: 'title', title: 'B' },
      { type: 'loading', loading: false },
      { type: 'dialog', dialog: { type: 'alert', message: 'm' } },
      { type: 'dialog_closed' },
      { type: 'trouble', code: 'page_crashed', message: 'gone' },
      { type: 'frame', seq: 13 },
    ].map((event) => [EVENT_METHOD, event]),
  )
})

function asks(operation: OperationName, params: object): Asked {
  return { operation, params: { session: 's', ...params } }
}
