import { afterAll, beforeAll, describe, expect } from 'vitest'
import { compareWithTruth, readTruth } from './support/page-truth.ts'
import { needs } from './support/needs.ts'
import { PageServer, openPage, type TestPage } from './support/web.ts'

const test = needs('chromium-headless-shell')

const LATIN = ['news', 'grid', 'article', 'modal', 'forms', 'frames', 'graphics']
const OTHER_SCRIPTS = ['scripts']

describe('what a page paints is read back from its pixels', () => {
  let server: PageServer
  let opened: TestPage
  const table: string[] = []

  beforeAll(async () => {
    server = await PageServer.start()
    opened = await openPage()
  })
  afterAll(async () => {
    await opened[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
    console.log(['page      expected   right  share      partly covered', ...table].join('\n'))
  })

  for (const name of [...LATIN, ...OTHER_SCRIPTS]) {
    const shareMin = LATIN.includes(name) ? 0.995 : 0.98
    test(`${name}: at least ${shareMin * 100} % of the characters that the DOM says are visible`, async () => {
      await opened.page.navigate(server.url(`/${name}.html`))
      const frame = await opened.page.waitForQuiescence(200, AbortSignal.timeout(20_000))
      const { expected, right, covered, wrong } = compareWithTruth(frame, await readTruth(opened))
      table.push(
        `${name.padEnd(9)} ${String(expected).padStart(8)} ${String(right).padStart(7)}  ${((100 * right) / expected).toFixed(2).padStart(6)} %  ${String(covered).padStart(15)}`,
      )
      expect(expected).toBeGreaterThan(150)
      expect(right / expected, wrong.slice(0, 20).join('\n')).toBeGreaterThanOrEqual(shareMin)
    })
  }
})
