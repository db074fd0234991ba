import { afterAll, beforeAll, describe, expect } from 'vitest'
import { needsBrowser } from './support/needs.ts'
import { PageServer, openPage, type TestPage } from './support/web.ts'

const test = needsBrowser()

const MOVING = `<!doctype html><title>Moving</title><p id="t"></p>
<script>let n = 0;(function step() { t.textContent = 'frame ' + n++; globalThis.shown = n; requestAnimationFrame(step) })()</script>`

describe('a page that moves all the time is read while somebody needs it', () => {
  let server: PageServer
  let opened: TestPage
  let received = 0

  beforeAll(async () => {
    server = await PageServer.start({ '/moving': MOVING })
    opened = await openPage()
    opened.page.chromium.cdp.on('Page.screencastFrame', () => received++)
    await opened.page.navigate(server.url('/moving'))
  })
  afterAll(async () => {
    await opened[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })

  const frames = async (count: number) =>
    opened.evaluate(`new Promise((done) => {
      let left = ${count};(function step() { left-- > 0 ? requestAnimationFrame(step) : done() })()
    })`)

  /** The page's frames go on; resolves once those of the screencast have stopped. */
  async function sleeps(): Promise<void> {
    for (let before = -1; before !== received;) {
      before = received
      await frames(120)
    }
  }

  test('nobody: no frame comes, and a look shows what is there now all the same', async () => {
    await sleeps()
    const shown = await opened.evaluate<number>('globalThis.shown')
    await opened.page.look()
    expect(numberIn(opened.text())).toBeGreaterThanOrEqual(shown - 1)
  })

  test('an observer of frames, or a wait: frames come', async () => {
    await sleeps()
    await new Promise<void>((resolve) => {
      let left = 3
      const stop = opened.page.observe({
        frame: () => {
          if (--left > 0) return
          stop()
          resolve()
        },
      })
    })
    await sleeps()
    const shown = await opened.evaluate<number>('globalThis.shown')
    await opened.shows('a later frame', () => numberIn(opened.text()) > shown + 30)
  })

  test('who holds a page holds also the tab that takes the place of one that has crashed', async () => {
    const release = opened.page.hold()
    await opened.crash()
    await opened.page.details() // once it is loaded again
    await frames(300) // past the time in which frames come for a new page anyway
    const before = received
    await frames(120)
    expect(received).toBeGreaterThan(before)
    release()
  })
})

function numberIn(text: string): number {
  return Number(/frame (\d+)/.exec(text)?.[1] ?? -1)
}
