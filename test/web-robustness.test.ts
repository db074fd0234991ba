import * as fs from 'node:fs'
import * as http from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect } from 'vitest'
import { needsBrowser } from './support/needs.ts'
import { processesWith } from './support/processes.ts'
import { PageServer, openPage, type TestPage } from './support/web.ts'

const test = needsBrowser()

const HANGING = `<!doctype html><title>Hangs</title><p>before the loop</p><button onclick="for(;;);">hang</button>`

/** Resolves with the next trouble that a page tells of. */
async function nextTrouble({ page }: TestPage): Promise<Error> {
  return new Promise((resolve) => {
    const stop = page.observe({
      trouble: (error) => {
        stop()
        resolve(error)
      },
    })
  })
}

describe('a page that fails is brought back', () => {
  test('a script that runs without end is stopped, and the last cells are served meanwhile', async () => {
    await using server = await PageServer.start({ '/hangs': HANGING })
    await using opened = await openPage()
    await opened.page.navigate(server.url('/hangs'))
    const [row] = opened
      .lines()
      .flatMap((line, index) => (line.includes('hang') && !line.includes('before') ? [index] : []))
    const col = opened.lines()[row ?? 0]?.indexOf('hang') ?? 0
    const click = opened.page.click({ row: row ?? 0, col })
    const typed = opened.page.typeText('x')
    expect(opened.text()).toContain('before the loop')
    const outcomes = await Promise.allSettled([click, typed])
    const failure = outcomes.find((outcome) => outcome.status === 'rejected')
    expect(failure?.reason).toMatchObject({ code: 'page_unresponsive' })
    await opened.page.navigate(server.url('/after'))
    expect(opened.text()).toContain('You are at /after')
  })

  test('a page that begins to hang while the next one is on its way does not keep it away', async () => {
    const held: (() => void)[] = [] // the first answer of the next page
    const asked = new Map<string, () => void>()
    const requested = async (url: string) => new Promise<void>((resolve) => asked.set(url, resolve))
    const server = http.createServer((request, response) => {
      const { url = '' } = request
      response.setHeader('content-type', 'text/html')
      const answerNext = () => response.end('<p>The next page</p>')
      if (url === '/next' && held.length > 0) answerNext()
      else if (url === '/next') held.push(answerNext)
      else response.end(`<button onclick="navigator.sendBeacon('/hanging');for(;;);">hang</button>`)
      asked.get(url)?.()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await using opened = await openPage()
    await opened.page.navigate(`http://127.0.0.1:${port}/`)
    const [next, hanging] = [requested('/next'), requested('/hanging')]
    // Longer than a test may take: that the time runs out is not the way.
    const navigated = opened.page.navigate(`http://127.0.0.1:${port}/next`, { timeoutMs: 600_000 })
    await next
    const clicked = opened.page.click({ row: 0, col: 2 }).catch((error: unknown) => error)
    await hanging
    held[0]?.()
    await navigated
    expect(opened.text()).toContain('The next page')
    await clicked // done, or told that the page had to be replaced
    server.closeAllConnections()
    server.close()
  })

  test('a page that hangs while it loads can be left', async () => {
    await using server = await PageServer.start({ '/loop': '<p>words</p><script>for(;;);</script>' })
    await using opened = await openPage()
    await expect(opened.page.navigate(server.url('/loop'), { timeoutMs: 1000 })).rejects.toMatchObject({
      code: expect.stringMatching(/navigation_timeout|page_unresponsive/) as string,
    })
    await opened.page.navigate(server.url('/after'))
    expect(opened.text()).toContain('You are at /after')
  })

  test('a server that does not answer is named, and the page before stays', async () => {
    await using server = await PageServer.start({ '/before': '<p>The page before</p>' })
    const silent = http.createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    await using opened = await openPage()
    const troubles: string[] = []
    opened.page.observe({ trouble: ({ message }) => troubles.push(message) })
    for (const before of ['about:blank', server.url('/before')]) {
      await opened.page.navigate(before)
      const failure = opened.page.navigate(`http://127.0.0.1:${port}/`, { timeoutMs: 0 })
      await expect(failure).rejects.toMatchObject({
        code: 'navigation_timeout',
        message: expect.stringContaining(`127.0.0.1:${port}/ did not answer within`) as string,
      })
      expect(opened.page.state).toMatchObject({ url: before, loading: false })
    }
    expect(opened.text()).toContain('The page before')
    expect(troubles).toEqual([])
    silent.closeAllConnections()
    silent.close()
  })

  test('a page that goes on to another while it is looked at does not count as one that hangs', async () => {
    const leaving = (ms: number) =>
      `<script>onload = () => setTimeout(() => location.replace('/next'), ${ms})</script>`
    const delays = [0, 5, 10, 15, 20, 25, 30, 40]
    await using server = await PageServer.start(
      Object.fromEntries(delays.map((ms) => [`/leaves/${ms}`, leaving(ms)])),
    )
    await using opened = await openPage()
    const troubles: string[] = []
    opened.page.observe({ trouble: ({ message }) => troubles.push(message) })
    for (const ms of delays) {
      await opened.page.navigate(server.url(`/leaves/${ms}`))
      await opened.shows('the next page', () => opened.text().includes('You are at /next'))
    }
    expect(troubles).toEqual([])
  })

  test('a tab whose process ends is loaded again', async () => {
    await using server = await PageServer.start()
    await using opened = await openPage()
    await opened.page.navigate(server.url('/here'))
    expect(await opened.crash()).toMatchObject({ code: 'page_crashed' })
    expect(opened.text()).toContain('You are at /here')
    await opened.page.typeText('x')
    expect(opened.text()).toContain('You are at /here')
    expect(opened.page.state.url).toBe(server.url('/here'))
  })

  test('a browser that is killed is started again with the same page', async () => {
    await using server = await PageServer.start()
    await using opened = await openPage()
    await opened.page.navigate(server.url('/here'))
    const trouble = nextTrouble(opened)
    const { argv } = processesWith('--user-data-dir=').find(
      ({ pid }) => pid === opened.page.chromium.pid,
    ) ?? {
      argv: [],
    }
    const profile = argv.find((argument) => argument.startsWith('--user-data-dir='))?.split('=')[1] ?? ''
    expect(fs.existsSync(profile)).toBe(true)
    process.kill(opened.page.chromium.pid, 'SIGKILL')
    expect(await trouble).toMatchObject({ code: 'browser_failed' })
    expect(opened.text()).toContain('You are at /here')
    await opened.page.typeText('x')
    expect(opened.page.state).toMatchObject({ url: server.url('/here'), title: 'At /here' })
    expect(fs.existsSync(profile)).toBe(false)
  })

  test('what cannot be loaded says why, and what does not end loading says so', async () => {
    await using server = await PageServer.start({
      '/slow': '<p>first</p><img src="http://127.0.0.1:PORT/never">',
    })
    await using opened = await openPage()
    await expect(opened.page.navigate('http://127.0.0.1:1/')).rejects.toMatchObject({
      code: 'navigation_failed',
      message: expect.stringContaining('ERR_') as string,
    })
    await opened.page.navigate(server.url('/there'))
    expect(opened.text()).toContain('You are at /there')
  })
})
