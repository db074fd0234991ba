import * as fs from 'node:fs'
import * as net from 'node:net'
import type { Client } from '@transom/client'
import {
  EVENT_TYPE_NUMBERS,
  type EventRecord,
  type Snapshot,
  type SubscriptionMessage,
} from '@transom/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readLog } from './support/log-contents.ts'
import { PipeProgram } from './support/pipe-program.ts'
import { TestHome } from './support/test-home.ts'
import { until } from './support/until.ts'

let home: TestHome
let client: Client
let pipe: PipeProgram

beforeEach(async () => {
  home = new TestHome()
  pipe = new PipeProgram(home.root)
  await home.startHost()
  client = await home.connect()
})

afterEach(async () => {
  client.close()
  pipe.close()
  await home.close()
})

/** What a viewer makes of a screen subscription: the dump, with the changes applied. */
class Viewer {
  readonly messages: SubscriptionMessage[] = []
  shown: Snapshot | null = null
  #seen = () => {}

  readonly receive = (message: SubscriptionMessage): void => {
    this.messages.push(message)
    if (message.type === 'screen') {
      this.shown = message.snapshot
    } else if (message.type === 'rows' && this.shown !== null) {
      const { seq, cursor, title, screen_hash } = message
      const lines = [...this.shown.lines]
      for (const { row, line } of message.rows) lines[row] = line
      this.shown = { ...this.shown, seq, cursor, title, screen_hash, lines }
    }
    this.#seen()
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => (this.#seen = resolve))
  }

  /** Compares with a snapshot that was taken once nothing changed any more. */
  async expectToShow(live: Snapshot): Promise<void> {
    await this.until(() => this.shown?.screen_hash === live.screen_hash && this.shown.seq >= lastChange(live))
    expect(this.shown?.lines).toEqual(live.lines)
    expect(this.shown?.cursor).toEqual(live.cursor)
    expect(this.shown?.title).toBe(live.title)
    expect(this.shown).toMatchObject({ cols: live.cols, rows: live.rows })
  }
}

/** A record that changes nothing on the screen (an input, the exit) is not announced to a viewer. */
function lastChange(live: Snapshot): number {
  return live.seq - 1
}

function seqsOf(messages: readonly SubscriptionMessage[]): number[] {
  return messages.flatMap((message) => {
    if (message.type === 'screen') return [message.snapshot.seq]
    return message.type === 'rows' ? [message.seq] : []
  })
}

test('a screen subscriber gets one dump and then the rows that change', async () => {
  const { session } = await client.call('session.create', { command: [...pipe.command] })
  pipe.print('before\r\n')
  await client.call('session.wait', { session, text: 'before' })
  const viewer = new Viewer()
  await client.subscribe({ session, to: 'screen' }, viewer.receive)
  await viewer.until(() => viewer.messages.length === 1)
  const [dump] = viewer.messages
  expect(dump).toMatchObject({ type: 'screen', snapshot: { session, cols: 80, rows: 24 } })
  expect(viewer.shown?.lines[0]?.text).toBe('before')

  pipe.print('\x1b[5;10H\x1b[1;31mred\x1b[0m')
  await viewer.until(() => viewer.messages.length >= 2)
  expect(viewer.messages[1]).toMatchObject({
    type: 'rows',
    rows: [{ row: 4, line: { text: '         red', cells: expect.any(Array) as unknown[] } }],
    cursor: { row: 4, col: 12 },
  })
  await viewer.expectToShow(await client.call('session.snapshot', { session, cells: true }))
})

test('what a viewer has put together from the changes is what the session shows', async () => {
  const { session } = await client.call('session.create', { command: [...pipe.command], cols: 40, rows: 10 })
  const viewer = new Viewer()
  await client.subscribe({ session, to: 'screen' }, viewer.receive)
  for (let round = 0; round < 60; round++) {
    const colour = 31 + (round % 7)
    const text = `\x1b[${(round * 7) % 10};${(round * 13) % 40}H\x1b[${colour}m<${round} 漢é>\x1b[0m`
    pipe.print(text)
    if (round % 9 === 0) pipe.print(`\x1b]0;title ${round}\x07\r\n\n\n\n\n\n\n\n\n\n`) // scrolls
    if (round % 11 === 0) pipe.print('\x1b[2K')
    if (round % 13 === 0)
      await client.call('session.resize', { session, cols: 30 + round, rows: 8 + (round % 5) })
    if (round % 3 === 0) await client.call('session.inspect', { session }) // the host takes a turn
  }
  pipe.print('\x1b[Hthe end')
  await client.call('session.wait', { session, text: 'the end' })
  await viewer.expectToShow(await client.call('session.snapshot', { session, cells: true }))
  const seqs = seqsOf(viewer.messages)
  expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b))
  expect(viewer.messages[0]?.type).toBe('screen')
})

test('a subscriber to a busy session starts at any moment without missing or repeating anything', async () => {
  const { session } = await client.call('session.create', { command: ['seq', '60000'] })
  const viewers = []
  for (let started = 0; started < 8; started++) {
    const viewer = new Viewer()
    await client.subscribe({ session, to: 'screen' }, viewer.receive)
    viewers.push(viewer)
  }
  await client.call('session.wait', { session, exit: true })
  const live = await client.call('session.snapshot', { session, cells: true })
  for (const viewer of viewers) {
    await viewer.until(() => viewer.messages.at(-1)?.type === 'end')
    expect(viewer.shown?.lines).toEqual(live.lines)
    // The end has the seq of the last change when both came in one turn.
    const seqs = seqsOf(viewer.messages.filter(({ type }) => type !== 'end'))
    expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b))
  }
})

test('a subscription to an ended session is its last screen and the end', async () => {
  const { session } = await client.call('session.create', { command: ['echo', 'bye'] })
  await client.call('session.wait', { session, exit: true })
  const viewer = new Viewer()
  await client.subscribe({ session, to: 'screen' }, viewer.receive)
  await viewer.until(() => viewer.messages.at(-1)?.type === 'end')
  expect(viewer.messages.map(({ type }) => type)).toEqual(['screen', 'end'])
  expect(viewer.shown?.lines[0]?.text).toBe('bye')
})

/** Collects records until the end. */
class Collector {
  readonly records: EventRecord[] = []
  position: number | null = null
  readonly done: Promise<void>
  #onDone = () => {}

  constructor() {
    this.done = new Promise((resolve) => (this.#onDone = resolve))
  }

  readonly receive = (message: SubscriptionMessage): void => {
    if (message.type === 'position') this.position = message.seq
    if (message.type === 'records') this.records.push(...message.records)
    if (message.type === 'end') this.#onDone()
  }
}

/** The log as an events subscriber should see it. */
async function expectedAfter(
  session: string,
  afterSeq: number,
): Promise<{ seq: number; bytes: string | undefined }[]> {
  const byteTypes: number[] = [EVENT_TYPE_NUMBERS.output, EVENT_TYPE_NUMBERS.answer]
  const records = await readLog(home.logPath(session))
  return records
    .filter(({ seq }) => seq > afterSeq)
    .map(({ seq, typeNumber, payload }) => ({
      seq,
      bytes: byteTypes.includes(typeNumber) ? Buffer.from(payload).toString('base64') : undefined,
    }))
}

test('an events subscriber gets every record after its seq exactly once and in order', async () => {
  const { session } = await client.call('session.create', {
    command: ['sh', '-c', 'read go; seq 30000; exit 6'],
  })
  const fromStart = new Collector()
  const fromHere = new Collector()
  await client.subscribe({ session, to: 'events', after_seq: 0 }, fromStart.receive)
  const { seq } = await client.call('session.inspect', { session })
  await client.subscribe({ session, to: 'events' }, fromHere.receive)
  await client.call('session.resize', { session, cols: 90 })
  await client.call('session.type', { session, text: 'go\n' })
  const midway = []
  for (const afterSeq of [0, 3, 5]) {
    const collector = new Collector()
    await client.subscribe({ session, to: 'events', after_seq: afterSeq }, collector.receive)
    midway.push({ afterSeq, collector })
  }
  for (const { afterSeq, collector } of [
    { afterSeq: 0, collector: fromStart },
    { afterSeq: seq, collector: fromHere },
    ...midway,
  ]) {
    await collector.done
    expect(collector.position).toBe(afterSeq)
    const got = collector.records.map((record) => ({ seq: record.seq, bytes: record.data_b64 }))
    expect(got).toEqual(await expectedAfter(session, afterSeq))
  }
  const types = fromStart.records.map(({ type }) => type)
  expect(types[0]).toBe('created')
  expect(types).toContain('resize')
  expect(fromStart.records.at(-1)).toMatchObject({ type: 'exit', fields: { code: 6, signal: null } })
  const input = fromStart.records.find(({ type }) => type === 'input')
  expect(input?.fields).toMatchObject({
    actor: expect.stringMatching(/^\S+ \(pid \d+\)$/) as string,
    via: 'type',
    length: 3,
  })
})

test('the events of a destroyed session end with its destruction', async () => {
  const { session } = await client.call('session.create', { command: ['cat'] })
  const collector = new Collector()
  await client.subscribe({ session, to: 'events', after_seq: 0 }, collector.receive)
  await client.call('session.destroy', { session })
  await collector.done
  expect(collector.records.map(({ seq }) => seq)).toEqual(
    (await expectedAfter(session, 0)).map(({ seq }) => seq),
  )
  expect(collector.records.at(-1)).toMatchObject({ type: 'status', fields: { status: 'destroyed' } })
  const later = new Collector()
  await client.subscribe({ session, to: 'events', after_seq: 1 }, later.receive)
  await later.done
  expect(later.records).toEqual(collector.records.slice(1))
})

test('a subscription ends when its owner says so', async () => {
  const { session } = await client.call('session.create', { command: [...pipe.command] })
  const viewer = new Viewer()
  const unsubscribe = await client.subscribe({ session, to: 'screen' }, viewer.receive)
  await viewer.until(() => viewer.messages.length === 1)
  await unsubscribe()
  pipe.print('unseen')
  await client.call('session.wait', { session, text: 'unseen' })
  expect(viewer.messages).toHaveLength(1)
  expect(await client.call('session.unsubscribe', { subscription: 999 })).toEqual({ ended: false })
})

test('a subscription to an unknown session is refused', async () => {
  await expect(client.subscribe({ session: 'nobody', to: 'screen' }, () => {})).rejects.toMatchObject({
    code: 'session_not_found',
  })
})

test.each(['screen', 'events'] as const)(
  'a subscription to the %s of a session whose log is gone ends with the reason',
  async (to) => {
    const other = await client.call('session.create', { command: ['cat'] })
    const { session } = await client.call('session.create', { command: ['true'] })
    await until('the host has let go of it', async () => {
      const { sessions } = await client.call('host.status', {})
      return sessions === 1
    })
    fs.rmSync(home.logPath(session))
    const { pid } = home.host()
    const viewer = new Viewer()
    await client.subscribe({ session, to }, viewer.receive)
    // The answer is out before the log is looked at: give it every chance to do harm.
    for (let round = 0; round < 100; round++) {
      expect(await client.call('host.status', {})).toMatchObject({ pid, sessions: 1 })
    }
    await viewer.until(() => viewer.messages.at(-1)?.type === 'error')
    expect(viewer.messages.at(-1)).toMatchObject({ error: { code: 'log_corrupt' } })
    expect(await client.call('session.inspect', { session: other.session })).toMatchObject({
      status: 'running',
    })
  },
)

test('a subscriber that does not read slows nobody and misses nothing that counts', async () => {
  const { session } = await client.call('session.create', { command: ['sh', '-c', 'read go; seq 200000'] })
  const slow = net.connect(home.host().socket)
  for (const [id, params] of Object.entries({
    1: { session, to: 'events', after_seq: 0 },
    2: { session, to: 'screen' },
  })) {
    slow.write(`${JSON.stringify({ jsonrpc: '2.0', id: Number(id), method: 'session.subscribe', params })}\n`)
  }
  slow.pause()
  await client.call('session.type', { session, text: '\n' })
  // It ends although nobody has read a byte of the 1.4 MB, on another connection.
  await client.call('session.wait', { session, exit: true })
  const live = await client.call('session.snapshot', { session, cells: true })

  const collector = new Collector()
  const viewer = new Viewer()
  let rest = ''
  slow.setEncoding('utf8')
  slow.on('data', (chunk: string) => {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const { params } = JSON.parse(line) as { params?: SubscriptionMessage }
      if (params?.subscription === 1) collector.receive(params)
      if (params?.subscription === 2) viewer.receive(params)
    }
  })
  slow.resume()
  await collector.done
  await viewer.until(() => viewer.messages.at(-1)?.type === 'end')
  const got = collector.records.map((record) => ({ seq: record.seq, bytes: record.data_b64 }))
  expect(got).toEqual(await expectedAfter(session, 0))
  expect(viewer.shown?.lines).toEqual(live.lines)
  expect(viewer.shown?.cursor).toEqual(live.cursor)
  slow.destroy()
})
