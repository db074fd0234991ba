/** A browser on this process's own terminal, for `awi-tty open URL`. Bundled to one file, which `awi-tty` loads. */
import * as fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { OpError, toWireError, type WireError } from '@transom/protocol/errors'
import { OwnTerminal } from '@transom/tui/node'
import { TerminalBrowser } from '../surfaces/browser/terminal-browser.ts'
import { FrameDecoder } from '../kinds/web/frame-decoder.ts'
import { GuardedPage } from '../kinds/web/guarded-page.ts'
import { UrlPolicy } from '../kinds/web/url-policy.ts'

export interface WebTerminalOptions {
  readonly url: string
  readonly env: NodeJS.ProcessEnv
  readonly allowHosts: readonly string[]
  readonly onlyHosts: readonly string[]
  /** Percent. */
  readonly zoom: number
  /** A folder that keeps cookies and logins; without one nothing is kept. */
  readonly profile?: string | undefined
  /** Ends it. */
  readonly signal: AbortSignal
}

const COLS_MIN = 20
const ROWS_MIN = 4

/** Resolves when the user quits, with the terminal restored. Returns a failure in wire form, for another bundle. */
export async function browseInTerminal(options: WebTerminalOptions): Promise<WireError | null> {
  try {
    await browse(options)
    return null
  } catch (error) {
    return toWireError(error)
  }
}

async function browse(options: WebTerminalOptions): Promise<void> {
  const { env } = options
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    const message = 'a browser for people needs a terminal; for programs, add --agent-socket PATH'
    throw new OpError('usage', message, {})
  }
  new UrlPolicy(options).checkNavigation(options.url) // before a browser is started for it
  const decoder = new FrameDecoder(
    fs.readFileSync(fileURLToPath(new URL('frame-worker.cjs', import.meta.url)), 'utf8'),
  )
  const terminal = OwnTerminal.take({ env, mouse: true, paste: true, colsMin: COLS_MIN, rowsMin: ROWS_MIN })
  try {
    const { allowHosts, onlyHosts, zoom: zoomPercent, profile: profileFolder } = options
    const guarded = await GuardedPage.open({
      allowHosts,
      onlyHosts,
      env,
      cols: terminal.cols,
      rows: terminal.rows - 1,
      zoomPercent,
      profileFolder,
      decoder,
    })
    const { page } = guarded
    const release = page.hold()
    try {
      const checkUrl = (url: string) => guarded.checkUrl(url)
      const problemAt = (url: string) => guarded.problemAt(url)
      await new TerminalBrowser({ page, terminal, checkUrl, problemAt }).run(options.url, options.signal)
    } finally {
      release()
      terminal.restore()
      await guarded.close()
    }
  } finally {
    terminal.restore()
    await decoder.close()
  }
}
