import { afterAll, beforeAll, describe, expect } from 'vitest'
import { SEEN_MIN, compareWithTruth, readTruth } from './support/page-truth.ts'
import { needsBrowser } from './support/needs.ts'
import { PageServer, openPage, type TestPage } from './support/web.ts'

const test = needsBrowser()

const LATIN = ['news', 'grid', 'article', 'modal', 'forms', 'frames', 'graphics']
const OTHER_SCRIPTS = ['scripts']

/** Lines of which 0 to 16 pixels are covered from below, covered from above, or cut off. */
const EDGES = Array.from({ length: 17 }, (_, px) => {
  const cover = `height:${px}px;background:${['#fff', '#000', '#8af'][px % 3]}`
  return `<div style="position:absolute;top:${px * 40 + 8}px">
    <p style="left:10px">Covered from below: ${px}<i style="bottom:0;${cover}"></i></p>
    <p style="left:300px">Covered from above: ${px}<i style="top:0;${cover}"></i></p>
    <p style="left:600px;height:${16 - px}px;overflow:hidden">Cut off a line by ${px}</p></div>`
}).join('')
const EDGES_PAGE = `<!doctype html><title>Edges</title><script src="/truth.js"></script>
  <style>p{position:absolute;margin:0;white-space:nowrap}i{position:absolute;left:0;right:0}</style>${EDGES}
  <p style="position:fixed;left:900px;bottom:-3px">Cut off a line by 3</p>`

describe('what a page paints is read back from its pixels', () => {
  let server: PageServer
  let opened: TestPage
  const table: string[] = []

  beforeAll(async () => {
    server = await PageServer.start({ '/edges': EDGES_PAGE })
    opened = await openPage()
  })
  afterAll(async () => {
    await opened[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
    const head = ['expected', 'right', 'share', 'partly seen', 'hidden', 'scrolled away']
    console.log([tableRow('page', head), ...table].join('\n'))
  })

  for (const name of [...LATIN, ...OTHER_SCRIPTS]) {
    const shareMin = LATIN.includes(name) ? 0.995 : 0.98
    test(`${name}: at least ${shareMin * 100} % of the characters that the DOM says are visible`, async () => {
      await opened.page.navigate(server.url(`/${name}.html`))
      const frame = await opened.quiet(200)
      const truth = await readTruth(opened)
      const { expected, right, leftOut, wrong } = compareWithTruth(frame, truth)
      const share = `${((100 * right) / expected).toFixed(2)} %`
      const { partly, hidden, scrolledAway } = leftOut
      table.push(tableRow(name, [expected, right, share, partly, hidden, scrolledAway]))
      // Two witnesses: what hit tests find must be lit in the picture, in shadow roots and frames as well.
      expect(truth.characters.filter(({ hit, seen }) => hit && seen < SEEN_MIN)).toEqual([])
      expect(expected).toBeGreaterThan(150)
      expect(right / expected, wrong.slice(0, 20).join('\n')).toBeGreaterThanOrEqual(shareMin)
    })
  }

  test('a line of which a fifth is covered is read, and of one that is not read nothing is made up', async () => {
    await opened.page.navigate(server.url('/edges'))
    const frame = await opened.quiet(200)
    const text = opened.text()
    const { expected, right, leftOut, wrong } = compareWithTruth(frame, await readTruth(opened))
    expect(wrong).toEqual([])
    expect(right).toBe(expected)
    expect(leftOut.partly).toBeGreaterThan(300)
    expect(leftOut.hidden).toBeGreaterThan(40)
    const made = text
      .split(/ {2,}|\n/)
      .filter((words) => words !== '' && !/^(Covered from (below|above):|Cut off a line by) \d+$/.test(words))
    expect(made).toEqual([])
  })
})

function tableRow(page: string, columns: readonly (string | number)[]): string {
  return page.padEnd(9) + columns.map((column) => String(column).padStart(14)).join('')
}
