import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest'
import type { Cell, PageLink } from '../packages/transom/src/kinds/web/web-page.ts'
import { needsBrowser } from './support/needs.ts'
import { PageServer, openPage, type TestPage } from './support/web.ts'

const test = needsBrowser()
const testWithLynx = needsBrowser('lynx')

/** A page of 126 links takes ten seconds, and with the whole suite beside it five times that. */
const CLICKS_TIMEOUT_MS = 180_000

const HARD_PAGE = `<!doctype html><title>Hard links</title><style>#narrow{width:150px;float:left}#beside{margin-left:200px}
  #cover{position:absolute;left:0;top:200px;width:400px;height:40px;background:#fc8}</style>
<div id="narrow">See <a href="/wrapped">a link whose words go on over some lines</a> here.</div>
<div id="beside">Other words<br>that stand beside<br>and go on<br><a href="/same/1">again</a> and <a href="/same/2">again</a></div>
<p style="position:absolute;left:0;top:200px;margin:0"><a href="/covered">nobody sees this link</a></p><div id="cover">before it stands this</div>
<x-closed></x-closed><div><template shadowrootmode="closed"><a href="/closed/declared">in markup</a></template></div>
<p style="margin-top:240px"><a href="/picture"><svg width="70" height="50"><rect width="70" height="50" fill="#06c"/></svg></a>
<img usemap="#map" width="90" height="50" src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='90' height='50'/%3E">
<map name="map"><area href="/area" shape="rect" coords="10,10,80,40" alt="a part of a picture"></map></p>
<iframe width="500" height="90" src="/frame"></iframe><iframe width="500" height="150" src="http://localhost:PORT/frames"></iframe>
<p style="position:absolute;top:3000px"><a href="/far">a link far below</a></p>
<script>customElements.define('x-closed', class extends HTMLElement { connectedCallback() {
  const root = this.attachShadow({ mode: 'closed' })
  root.innerHTML = '<p><a href="/closed">in a closed root</a></p><div></div>'
  root.querySelector('div').attachShadow({ mode: 'closed' }).innerHTML = '<a href="/closed/twice">in a closed root of a closed root</a>' } })</script>`

describe('links', () => {
  let server: PageServer
  let opened: TestPage

  beforeAll(async () => {
    const pages: Record<string, string> = {
      '/frame':
        '<!doctype html><p>A frame with <a href="/frame/link" target="_top">a link of its own</a></p>',
    }
    server = await PageServer.start(pages)
    pages['/hard'] = HARD_PAGE.replaceAll('PORT', String(server.port))
    pages['/frames'] =
      `<!doctype html><a href="/cross" target="_top">a link of another site</a><br><iframe width="400" height="90" src="${server.url('/frame')}"></iframe>`
    opened = await openPage()
  })
  afterAll(async () => {
    await opened[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    await opened.page.navigate('about:blank')
  })

  const pathOf = ({ url }: PageLink) => new URL(url).pathname
  const isSeen = (link: PageLink): link is PageLink & { cell: Cell } => link.cell !== null

  /** Where to click for a link by its text: the one of the places that show it in which the link is. */
  function placeOf({ text, cell }: PageLink & { cell: Cell }): Cell | null {
    if (opened.page.frame === null || text === '') return null
    const matches = opened.find(text)
    return (
      matches.find(({ row, col, width }) => row === cell.row && col <= cell.col && cell.col < col + width) ??
      null
    )
  }

  const pages = ['news', 'article', 'grid', 'forms']
  for (const [page, way] of pages.flatMap((it) => [[it, 'cell'] as const, [it, 'text'] as const])) {
    test(
      `${page}: every link is hit by its ${way}, wherever it must be scrolled to`,
      async () => {
        await opened.page.navigate(server.url(`/${page}.html`))
        // The page tells what was hit instead of leaving: loading it anew for each link would take minutes.
        await opened.evaluate(`globalThis.hits = []; addEventListener('click', (event) => {
        event.preventDefault()
        hits.push(event.target.closest('a')?.href ?? null)
      })`)
        const clicked = new Set<string>()
        const height = await opened.evaluate<number>('document.documentElement.scrollHeight')
        for (let top = 0; top < height; top += 600) {
          await opened.evaluate(`scrollTo(0, ${top})`)
          for (const link of (await opened.page.links()).filter(isSeen)) {
            const place = way === 'cell' ? link.cell : placeOf(link)
            if (place === null || clicked.has(link.url)) continue // at the edge of the screen, or seen before
            await opened.page.click(place)
            clicked.add(link.url)
          }
        }
        expect(await opened.evaluate('hits')).toEqual([...clicked])
        const all = (await opened.page.links()).map(({ url }) => url)
        expect([...clicked].sort()).toEqual([...new Set(all)].sort())
      },
      CLICKS_TIMEOUT_MS,
    )
  }

  /** Opens a page, and waits until its frames show their links, too. */
  async function openWith(page: string, inFrames: readonly string[]): Promise<void> {
    await opened.page.navigate(server.url(page))
    const shown = (text: string) => opened.page.frame !== null && opened.find(text)
    for (const text of new Set(inFrames)) {
      const count = inFrames.filter((it) => it === text).length
      await opened.shows(text, () => (shown(text) || []).length === count)
    }
  }

  async function follow(cell: Cell | null, pathname: string): Promise<void> {
    server.requests.length = 0
    await opened.page.click(cell ?? { row: 0, col: 0 })
    await opened.shows(pathname, () => server.requests.includes(pathname))
  }

  for (const { page, inFrames, seen } of [
    {
      page: '/frames.html',
      inFrames: ['a link inside', 'a link inside'],
      seen: ['/inside', '/inside', '/shadow/closed', '/shadow/open'],
    },
    {
      page: '/hard',
      inFrames: ['a link of its own', 'a link of its own', 'a link of another site'],
      seen: [
        '/area',
        '/closed',
        '/closed/declared',
        '/closed/twice',
        '/cross',
        '/frame/link',
        '/frame/link',
        '/picture',
        '/same/1',
        '/same/2',
        '/wrapped',
      ],
    },
  ]) {
    test(
      `${page}: in shadow roots, frames and pictures, over several lines and by the same text`,
      async () => {
        await openWith(page, inFrames)
        const links = (await opened.page.links()).filter(isSeen)
        expect(links.map(pathOf).sort()).toEqual(seen)
        for (const link of links) {
          await follow(link.cell, pathOf(link))
          await openWith(page, inFrames)
          if (['/area', '/picture', '/closed/declared'].includes(pathOf(link))) continue // no text, or in its own font
          const place = placeOf(link)
          expect(place, `${link.text} in\n${opened.text()}`).not.toBeNull()
          await follow(place, pathOf(link))
          await openWith(page, inFrames)
        }
      },
      CLICKS_TIMEOUT_MS,
    )
  }

  test('what is covered or scrolled away is listed without a cell', async () => {
    await opened.page.navigate(server.url('/hard'))
    const links = await opened.page.links()
    expect(links.filter(({ cell }) => cell === null).map(pathOf)).toEqual(['/covered', '/far'])
    await opened.evaluate('scrollTo(0, 2800)')
    await opened.shows('the link', () => opened.text().includes('a link far below'))
    const far = (await opened.page.links()).filter(isSeen)
    expect(far.map(pathOf)).toEqual(['/far'])
  })

  testWithLynx('every link that lynx finds is among ours', async () => {
    for (const page of ['/news.html', '/article.html', '/grid.html', '/forms.html']) {
      await opened.page.navigate(server.url(page))
      const ours = new Set((await opened.page.links()).map(({ url }) => url))
      const dump = await promisify(execFile)('lynx', ['-dump', '-listonly', '-nonumbers', server.url(page)])
      const theirs = dump.stdout
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => /^https?:/.test(line))
      expect(theirs.length).toBeGreaterThan(0)
      expect(theirs.filter((url) => !ours.has(url))).toEqual([])
    }
  })
})
