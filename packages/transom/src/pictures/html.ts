import { PADDING_DEFAULT, rangeOf, type PictureOptions, type PictureView } from './rasterizer.ts'
import { DARK_THEME } from './theme.ts'
import { escapeMarkup, hex, viewRuns, type ViewRun } from './view-runs.ts'

/** One page that needs nothing else: the screen as text that can be selected, with its colours and links. */
export function encodeHtml(view: PictureView, options: PictureOptions & { caption: string }): string {
  const theme = options.theme ?? DARK_THEME
  const range = rangeOf(view.grid, options)
  const { grid, cursor } = view
  const rows = Array.from({ length: range.toRow - range.fromRow }, (_, index) => {
    const row = range.fromRow + index
    const isHere = cursor.visible && options.showCursor !== false && cursor.row === row
    const runs = viewRuns(grid, row, { range, theme, cursorCol: isHere ? cursor.col : null })
    return runs
      .map((run) => runMarkup(run, theme.foreground))
      .join('')
      .trimEnd()
  })
  const title = (options.window?.title ?? '') || (view.title ?? '') || options.caption
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${escapeMarkup(title)}</title>
<style>
body { margin: 0; background: ${hex(theme.background)}; color: ${hex(theme.foreground)}; }
pre { margin: 0; padding: ${options.padding ?? PADDING_DEFAULT}px; font: 15px/18px 'DejaVu Sans Mono', 'Cascadia Mono', Menlo, Consolas, monospace; }
pre a { color: inherit; }
footer { padding: 8px; font: 12px sans-serif; opacity: 0.6; }
</style>
<pre>${rows.join('\n')}</pre>
<footer>${escapeMarkup(options.caption)}</footer>
</html>
`
}

function runMarkup(run: ViewRun, foreground: number): string {
  const text = escapeMarkup(run.text)
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
