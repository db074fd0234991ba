import { WIDE_SPACER, type Grid } from '@transom/grid'
import { PADDING_DEFAULT, rangeOf, type PictureOptions, type PictureView } from './rasterizer.ts'
import { cellSvg } from './svg.ts'
import { DARK_THEME } from './theme.ts'
import { escapeMarkup, hex, viewRuns, type ViewRun } from './view-runs.ts'

/** Characters from here on are put into cells of their own: a viewer's font may draw them wider or lower. */
const FOREIGN = 0x2500

/** One page that needs nothing else: the screen as text that can be selected, with its colours and links. */
export function encodeHtml(view: PictureView, options: PictureOptions & { caption: string }): string {
  const theme = options.theme ?? DARK_THEME
  const range = rangeOf(view.grid, options)
  const { grid, cursor } = view
  const shapes = new Map<string, string>()
  const rows = Array.from({ length: range.toRow - range.fromRow }, (_, index) => {
    const row = range.fromRow + index
    const isHere = cursor.visible && options.showCursor !== false && cursor.row === row
    const runs = viewRuns(grid, row, { range, theme, cursorCol: isHere ? cursor.col : null })
    const markup = runs.map((run) =>
      runMarkup(run, cellsMarkup(run, { grid, row, shapes }), theme.foreground),
    )
    return markup.join('').trimEnd()
  })
  const title = (options.window?.title ?? '') || (view.title ?? '') || options.caption
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width">
<title>${escapeMarkup(title)}</title>
<style>
body { margin: 0; background: ${hex(theme.background)}; color: ${hex(theme.foreground)}; }
pre { margin: 0; padding: ${options.padding ?? PADDING_DEFAULT}px; font: 15px/18px 'DejaVu Sans Mono', 'Cascadia Mono', Menlo, Consolas, monospace; letter-spacing: calc(9px - 1ch); }
pre span, pre a { display: inline-block; height: 18px; vertical-align: top; }
pre a { color: inherit; }
pre i { display: inline-block; width: 9px; height: 18px; vertical-align: top; overflow: hidden; font-style: inherit; letter-spacing: 0; }
pre i.w { width: 18px; }
pre i[class^='u'] { background: currentcolor; mask-size: 100% 100%; }
${[...shapes].map(([name, svg]) => `.${name} { mask-image: url("data:image/svg+xml,${encodeURIComponent(svg)}"); }`).join('\n')}
footer { padding: 8px; font: 12px sans-serif; opacity: 0.6; }
</style>
<pre>${rows.join('\n')}</pre>
<footer>${escapeMarkup(options.caption)}</footer>
</html>
`
}

/** The text of a run. What is drawn by code has its shape as a mask over its own colour, and stays text to copy. */
function cellsMarkup(
  run: ViewRun,
  { grid, row, shapes }: { grid: Grid; row: number; shapes: Map<string, string> },
): string {
  if (run.style.invisible) return run.text
  let markup = ''
  for (let col = run.col; col < run.col + run.cols; col++) {
    const text = grid.textOf(row, col, col + 1)
    const codePoint = text.codePointAt(0) ?? 0
    const isWide = col + 1 < grid.cols && grid.codes[row * grid.cols + col + 1] === WIDE_SPACER
    if (codePoint < FOREIGN && !isWide) {
      markup += escapeMarkup(text)
      continue
    }
    const svg = cellSvg(codePoint)
    const name = `u${codePoint.toString(16)}`
    if (svg !== null) shapes.set(name, svg)
    markup += `<i${svg === null ? (isWide ? ' class="w"' : '') : ` class="${name}"`}>${escapeMarkup(text)}</i>`
  }
  return markup
}

function runMarkup(run: ViewRun, text: string, foreground: number): string {
  const style = css(run, foreground)
  const { link } = run.style
  // Only what a browser opens as a page: a program must not get a script or a local file clicked.
  if (/^(?:https?|mailto):/i.test(link)) {
    const look = style === '' ? '' : ` style="${style}"`
    return `<a href="${escapeMarkup(link)}" rel="noopener noreferrer"${look}>${text}</a>`
  }
  return style === '' ? text : `<span style="${style}">${text}</span>`
}

function css({ style, fg, bg, underlineColor }: ViewRun, foreground: number): string {
  const rules: string[] = []
  if (fg !== hex(foreground)) rules.push(`color:${fg}`)
  if (bg !== null) rules.push(`background:${bg}`)
  if (style.bold) rules.push('font-weight:bold')
  if (style.italic) rules.push('font-style:italic')
  const lines = [
    ...(style.underline === 'none' ? [] : ['underline']),
    ...(style.strikethrough ? ['line-through'] : []),
    ...(style.overline ? ['overline'] : []),
  ]
  if (lines.length > 0)
    rules.push(`text-decoration:${lines.join(' ')}${decorationLook(style.underline, underlineColor)}`)
  return rules.join(';')
}

function decorationLook(underline: string, color: string): string {
  if (underline === 'none') return ''
  const look = { single: 'solid', curly: 'wavy' }[underline] ?? underline
  return ` ${look} ${color}`
}
