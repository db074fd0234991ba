import type { Client } from '@transom/client'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { needsBrowser } from './support/needs.ts'
import { TestHome } from './support/test-home.ts'
import { PageServer } from './support/web.ts'

const test = needsBrowser()

const HEBREW_PAGE = `<!doctype html><html dir="rtl" lang="he"><title>עברית</title>
  <h1>ברוכים הבאים</h1><p>לפרטים (3 דקות) <a href="/more">לחצו כאן עכשיו</a> או קראו בעמוד Hello World של 12.5% מהקוראים.</p>
  <p>עוד: <a href="/one">קישור</a> ועוד <a href="/two">קישור</a></p></html>`

const WRITTEN = [
  'עברית: כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. 456 הם חוננו.',
  'العربية: يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. 123 وقد وهبوا عقلا.',
  'Mixed: English العربية 中文 עברית 😀 русский end.',
]

describe('what is written from right to left', () => {
  let server: PageServer
  let home: TestHome
  let client: Client

  beforeAll(async () => {
    server = await PageServer.start({ '/hebrew': HEBREW_PAGE })
    home = new TestHome()
    await home.startHost() // starts the host
    client = await home.connect()
  })
  afterAll(async () => {
    client.close()
    await home.close()
    await server[Symbol.asyncDispose]()
  })

  async function open(page: string): Promise<string> {
    const params = { url: server.url(page), allow_hosts: ['127.0.0.1'] }
    return (await client.call('session.create', params)).session
  }

  test('is in snapshots as it is written, in cells as it is painted, live and from the log', async () => {
    const session = await open('/scripts.html')
    for (const text of WRITTEN) await client.call('session.wait', { session, text })
    const live = await client.call('session.snapshot', { session, cells: true })
    const lines = live.lines.map(({ text }) => text.trim())
    expect(lines).toEqual(expect.arrayContaining(WRITTEN))
    const cells = live.lines.map((line) => (line.cells ?? []).map(({ text }) => text).join(''))
    expect(cells.find((line) => line.includes('456'))).toContain('וננוח םה 456 .םהיתויוכזבו')
    await client.call('session.destroy', { session })
    const ended = await client.call('session.snapshot', { session, at_seq: live.seq })
    expect(ended.lines.map(({ text }) => text.trim())).toEqual(lines)
    expect(ended.screen_hash).toBe(live.screen_hash)
    for (const text of WRITTEN)
      expect(await client.call('session.wait', { session, text, timeout_ms: 0 })).toMatchObject({
        matched: true,
      })
  })

  test('is found, waited for and clicked by the words of the page', async () => {
    const session = await open('/hebrew')
    const sentence = 'לפרטים (3 דקות) לחצו כאן עכשיו או קראו בעמוד Hello World של 12.5% מהקוראים.'
    await client.call('session.wait', { session, text: sentence })
    await client.call('session.wait', { session, regex: '^ *ברוכים הבאים$' })
    const { matches } = await client.call('web.find_text', { session, text: 'לחצו כאן עכשיו' })
    const { links } = await client.call('web.links', { session })
    const link = links.find(({ text }) => text === 'לחצו כאן עכשיו')
    expect(matches).toEqual([{ row: link?.row, col: link?.col, width: 14, text: 'לחצו כאן עכשיו' }])
    await client.call('session.mouse', { session, action: 'click', text: 'לחצו כאן עכשיו' })
    await client.call('session.wait', { session, url: '/more' })
  })

  test('is clicked by its number where it is there several times', async () => {
    const click = { action: 'click', text: 'קישור' } as const
    for (const [nth, url] of [
      [1, '/two'], // the first from the left
      [2, '/one'],
    ] as const) {
      const session = await open('/hebrew')
      await client.call('session.mouse', { session, ...click, nth })
      await client.call('session.wait', { session, url })
      await client.call('session.destroy', { session })
    }
    const session = await open('/hebrew')
    await expect(client.call('session.mouse', { session, ...click, nth: 3 })).rejects.toMatchObject({
      code: 'text_not_found',
      details: { matches: 2 },
    })
  })
})
