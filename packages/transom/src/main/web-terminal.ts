/** A browser on this process's own terminal, for `awi-tty open URL`. Bundled to one file, which `awi-tty` loads. */
import * as fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { OpError, toWireError, type WireError } from '@transom/protocol/errors'
import { colorDepth } from '../surfaces/browser/ansi-rows.ts'
import {
  ENTER_SCREEN,
  LEAVE_SCREEN,
  TerminalBrowser,
  type PersonsTerminal,
} from '../surfaces/browser/terminal-browser.ts'
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

/** Resolves when the person quits, with the terminal as it was. A failure is told as it crosses a wire: the caller is another bundle. */
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
  const terminal = ownTerminal(env)
  const { cols, rows } = terminal.size()
  new UrlPolicy(options).checkNavigation(options.url) // before a browser is started for it
  const decoder = new FrameDecoder(
    fs.readFileSync(fileURLToPath(new URL('frame-worker.cjs', import.meta.url)), 'utf8'),
  )
  const restore = takeTerminal()
  try {
    const { allowHosts, onlyHosts, zoom: zoomPercent, profile: profileFolder } = options
    const guarded = await GuardedPage.open({
      allowHosts,
      onlyHosts,
      env,
      cols,
      rows: rows - 1,
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
      restore()
      await guarded.close()
    }
  } finally {
    restore()
    await decoder.close()
  }
}

function ownTerminal(env: NodeJS.ProcessEnv): PersonsTerminal {
  const { stdin, stdout } = process
  stdin.setEncoding('utf8') // keeps a character together that two chunks share
  return {
    colors: colorDepth(env),
    size: () => ({ cols: Math.max(stdout.columns, COLS_MIN), rows: Math.max(stdout.rows, ROWS_MIN) }),
    write: (text) => stdout.write(text),
    onInput: (listener) => void stdin.on('data', (chunk) => listener(String(chunk))),
    onResize: (listener) => void stdout.on('resize', listener),
    onDrain: (listener) => void stdout.on('drain', listener),
  }
}

/** Full screen and raw keys, until the returned function is called or the process ends, however it does. */
function takeTerminal(): () => void {
  let isTaken = true
  const restore = () => {
    if (!isTaken) return
    isTaken = false
    process.off('exit', restore)
    fs.writeSync(1, LEAVE_SCREEN)
    process.stdin.setRawMode(false)
    process.stdin.pause()
  }
  process.on('exit', restore)
  process.stdin.setRawMode(true)
  process.stdout.write(ENTER_SCREEN)
  return restore
}
