import { describe, expect, test } from 'vitest'
import { frameOf, specimenPage } from '../../../../../test/support/pictures.ts'
import { encodeHtml } from './html.ts'
import { encodeSvg } from './svg.ts'
import { LIGHT_THEME } from './theme.ts'

const hostile =
  '<script>alert(1)</script> & "quotes" \x1b]8;;javascript:alert(1)\x1b\\bad\x1b]8;;\x1b\\ \x1b]8;;https://example.com/?a=1&b="\x1b\\good\x1b]8;;\x1b\\'

describe('an SVG', () => {
  test('has the text as text, each cell in its place', () => {
    const { svg, width, height } = encodeSvg(frameOf('ab \x1b[1;31mred\x1b[?25l', 10, 2), { padding: 0 })
    expect([width, height]).toEqual([90, 36])
    expect(svg).toContain('<text y="14" x="0 9" fill="#d8d8d8">ab</text>')
    expect(svg).toContain('<text y="14" x="27 36 45" fill="#cc5555" font-weight="bold">red</text>')
  })

  test('draws boxes as shapes, so that they meet', () => {
    const { svg } = encodeSvg(frameOf('─\x1b[?25l', 4, 1), { padding: 0 })
    expect(svg).toContain('<path d="M0 8h9v1h-9z" fill="#d8d8d8" shape-rendering="crispEdges"/>')
    expect(svg).not.toContain('─')
  })

  test('takes nothing from a program as markup', () => {
    const { svg } = encodeSvg(frameOf(hostile, 100, 2), { window: { title: '</text><script>' } })
    expect(svg).not.toContain('<script')
    expect(svg).toContain('&lt;/text&gt;&lt;script&gt;')
  })

  test('is larger by its scale and has its theme’s colours', () => {
    const { svg, width } = encodeSvg(frameOf('x', 10, 1), { theme: LIGHT_THEME, scale: 2, padding: 0 })
    expect(width).toBe(180)
    expect(svg).toContain('width="180" height="36" viewBox="0 0 90 18"')
    expect(svg).toContain('fill="#fafafa"')
  })

  test('is well formed for a page with everything', () => {
    const { svg } = encodeSvg(frameOf(specimenPage(), 80, 32), { window: { title: 't' } })
    const opened = [...svg.matchAll(/<(\w+)[^>]*?(\/?)>|<\/(\w+)>/g)]
    const stack: string[] = []
    for (const [, open, selfClosed, closed] of opened) {
      if (closed !== undefined) expect(stack.pop()).toBe(closed)
      else if (open !== undefined && selfClosed === '') stack.push(open)
    }
    expect(stack).toEqual([])
  })
})

describe('an HTML page', () => {
  const page = (bytes: string) => encodeHtml(frameOf(bytes, 100, 3), { caption: 'work at seq 7' })

  test('has the text with its looks, and says where it comes from', () => {
    const html = page('plain \x1b[1;4:3;38;2;1;2;3mbold\x1b[?25l')
    expect(html).toContain(
      'plain <span style="color:#010203;font-weight:bold;text-decoration:underline wavy #010203">bold</span>',
    )
    expect(html).toContain('<footer>work at seq 7</footer>')
  })

  test('takes nothing from a program as markup, and links to web pages only', () => {
    const html = page(hostile)
    expect(html).not.toContain('<script')
    expect(html).not.toContain('javascript:')
    expect(html).toContain(
      '<a href="https://example.com/?a=1&amp;b=&quot;" rel="noopener noreferrer">good</a>',
    )
  })

  test('draws boxes as shapes over text that can be copied', () => {
    const html = page('┌─┐ 漢')
    expect(html).toContain(
      '<pre><i class="u250c">┌</i><i class="u2500">─</i><i class="u2510">┐</i> <i class="w">漢</i>',
    )
    expect(html).toContain('.u2500 { mask-image: url("data:image/svg+xml,%3Csvg')
  })

  test('loads nothing', () => {
    expect(page('x')).toContain(`content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"`)
  })
})
