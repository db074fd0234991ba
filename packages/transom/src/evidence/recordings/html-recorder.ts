import { CastRecorder, type WriteText } from './cast-recorder.ts'
import { markup } from './markup.ts'
import { PAGE_SCRIPT, PAGE_STYLE } from './page-parts.ts'
import type { RangeRead, RecordedEvent, RecordingReader, RecordingStart } from './recorded-events.ts'
import { SearchIndex } from './search-index.ts'

/** The player that is put into each page. The build gives its text. */
export interface PlayerAssets {
  readonly script: string
  readonly style: string
}

export interface PageInfo {
  readonly session: string
  readonly name: string | null
  readonly player: PlayerAssets
}

/**
 * Writes one page that plays a session, without a network: the cast, a player, the marks and blocks, and what it shows
 * for searching. Everything that a program printed is data in it, never markup.
 */
export class HtmlRecorder implements RecordingReader {
  readonly needsScreen = true // for the search
  readonly #info: PageInfo
  readonly #write: WriteText
  readonly #cast: CastRecorder
  readonly #index = new SearchIndex()
  #title = ''

  constructor(info: PageInfo, write: WriteText) {
    this.#info = info
    this.#write = write
    this.#cast = new CastRecorder(2, async (text) => write(scriptText(text)))
  }

  async start(start: RecordingStart): Promise<void> {
    const { session, name, player } = this.#info
    this.#title = `${name ?? session}: ${start.command.join(' ')}`
    await this.#write(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob: data:; connect-src blob: data:; font-src data:; img-src data:">
<title>${markup(this.#title)}</title>
<style>${player.style}</style>
<style>${PAGE_STYLE}</style>
</head>
<body>
<header><h1>${markup(this.#title)}</h1><p id="facts">Session ${markup(session)}, ${new Date(start.startMs).toISOString()}</p></header>
<main>
<div id="player"></div>
<aside>
<form id="search"><input type="search" id="query" placeholder="Search what was shown" aria-label="Search"></form>
<ol id="hits"></ol>
<h2 id="chapters-title">Marks and blocks</h2>
<ol id="chapters"></ol>
</aside>
</main>
<noscript>This recording needs JavaScript to play.</noscript>
<script type="text/plain" id="cast">
`)
    await this.#cast.start(start)
  }

  async event(event: RecordedEvent): Promise<void> {
    await this.#cast.event(event)
    this.#index.take(event)
  }

  async end(read: RangeRead): Promise<void> {
    await this.#cast.end(read)
    this.#index.end()
    const data = {
      title: this.#title,
      duration_ms: read.durationMs,
      chapters: this.#cast.chapters.list,
      lines: this.#index.lines,
      truncated: this.#index.truncated,
    }
    await this.#write(`</script>
<script type="application/json" id="data">${scriptText(JSON.stringify(data))}</script>
<script>${this.#info.player.script.replaceAll('</script', '<\\/script')}</script>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`)
  }
}

/** Inside a script element only "<" could end it; in JSON it may be written as an escape. */
function scriptText(json: string): string {
  return json.replaceAll('<', '\\u003c')
}
