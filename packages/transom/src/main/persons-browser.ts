/**
 * `awi-tty open URL`: a browser on this process's own terminal. It is a client of a dedicated host in this process. What
 * a person looks at is not kept: without a Home to record into, the session lives in a temporary one.
 */
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { OpError, toWireError, type WireError } from '@transom/protocol/errors'
import { OwnTerminal } from '@transom/tui/node'
import { ownPrincipal } from '../host/local-peer.ts'
import { UrlPolicy } from '../kinds/web/url-policy.ts'
import { removeTree } from '../lib/remove-tree.ts'
import { TerminalBrowser, pageRows } from '../surfaces/browser/terminal-browser.ts'
import { createWebSession, startOwnHost, throwIfFailed, type WebSessionOptions } from './own-host.ts'

export interface BrowseOptions extends Omit<WebSessionOptions, 'cols' | 'rows'> {
  readonly url: string
  /** The Home to record into, absolute; undefined: nothing is kept. */
  readonly home: string | undefined
  /** Ends it. */
  readonly signal: AbortSignal
}

const COLS_MIN = 20
const ROWS_MIN = 4

/** Resolves when the user quits, with the terminal restored. Returns a failure in wire form, for another bundle. */
export async function browseInTerminal(options: BrowseOptions): Promise<WireError | null> {
  try {
    if (!process.stdin.isTTY || !process.stdout.isTTY) {
      const message = 'a browser for people needs a terminal; for programs, add --agent-socket PATH'
      throw new OpError('usage', message, {})
    }
    new UrlPolicy(options).checkNavigation(options.url) // before a browser is started for it
    if (options.home === undefined) await browseUnrecorded(options)
    else await browse({ ...options, home: options.home, isPrivate: false })
    return null
  } catch (error) {
    return toWireError(error)
  }
}

async function browseUnrecorded(options: BrowseOptions): Promise<void> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-browser-'))
  try {
    await browse({ ...options, home, isPrivate: true })
  } finally {
    await removeTree(home)
  }
}

async function browse(options: BrowseOptions & { home: string; isPrivate: boolean }): Promise<void> {
  const { env, home, isPrivate, url, signal } = options
  const terminal = OwnTerminal.take({ env, mouse: true, paste: true, colsMin: COLS_MIN, rowsMin: ROWS_MIN })
  try {
    let notice = (_message: string) => {}
    const host = await startOwnHost({ home, env, isPrivate, notice: (message) => notice(message) })
    try {
      const client = host.connect(ownPrincipal())
      const { cols } = terminal
      const session = await createWebSession(client, { ...options, cols, rows: pageRows(terminal) })
      const browser = new TerminalBrowser({ client, session, terminal })
      notice = (message) => browser.say(message)
      await browser.run(url, signal)
      await throwIfFailed(client, session)
    } finally {
      terminal.restore() // the browser may take a moment to end
      await host.stop()
    }
  } finally {
    terminal.restore()
  }
}
