import { randomBytes } from 'node:crypto'
import { COLS_WEB_DEFAULT, ROWS_WEB_DEFAULT } from '@transom/protocol'
import { messageOf } from '../lib/system-error.ts'
import { Keeper } from '../sources/pty/keeper.ts'
import { createHostMark, sessionMark } from '../sources/pty/process-tree.ts'
import { Chromium } from '../sources/web/chromium.ts'
import { ChromiumPage } from '../sources/web/chromium-page.ts'
import { cellFontconfigFile } from '../sources/web/font-cache.ts'
import { FrameDecoder } from '../sources/web/frame-decoder.ts'
import { NetworkGuard } from '../sources/web/network-guard.ts'
import type { AgentObserver } from './agent-connection.ts'
import { AgentMethods } from './agent-methods.ts'
import type { DrawPng } from './agent-snapshots.ts'
import { AgentServer } from './agent-server.ts'
import { claimAgentSocket } from './agent-socket-path.ts'

export interface WebHostOptions {
  readonly env: NodeJS.ProcessEnv
  readonly version: string
  /** The page to begin with; about:blank when left out. */
  readonly url?: string | undefined
  readonly socketPath: string
  readonly cols?: number | undefined
  readonly rows?: number | undefined
  readonly zoomPercent?: number | undefined
  readonly allowHosts?: readonly string[] | undefined
  readonly onlyHosts?: readonly string[] | undefined
  /** A folder that keeps cookies and logins; without one nothing is kept. */
  readonly profileFolder?: string | undefined
  /** The program of the thread that reads frames, as text. */
  readonly workerSource: string
  readonly drawPng: DrawPng
  readonly observer: AgentObserver
  /** For people: warnings and troubles. */
  readonly say: (message: string) => void
}

/** A browser for agents: one page, its agent socket, and everything that ends with them. */
export class WebHost {
  readonly #server: AgentServer
  readonly #closers: (() => Promise<unknown>)[]

  static async open(options: WebHostOptions): Promise<WebHost> {
    const closers: (() => Promise<unknown>)[] = []
    try {
      return await openInto(options, closers)
    } catch (error) {
      await closeAll(closers)
      throw error
    }
  }

  constructor(server: AgentServer, closers: (() => Promise<unknown>)[]) {
    this.#server = server
    this.#closers = closers
  }

  get socketPath(): string {
    return this.#server.path
  }

  /** Ends the connections, the browser and the proxy, and removes the socket. */
  async close(): Promise<void> {
    await closeAll(this.#closers)
  }
}

async function openInto(options: WebHostOptions, closers: (() => Promise<unknown>)[]): Promise<WebHost> {
  const { env, say } = options
  const guard = await NetworkGuard.open({
    allowHosts: options.allowHosts ?? [],
    onlyHosts: options.onlyHosts ?? [],
  })
  closers.push(async () => guard.close())
  const url = options.url === undefined ? null : guard.checkUrl(options.url)
  await claimAgentSocket(options.socketPath) // before anything is started for it
  const hostMark = createHostMark()
  const keeper = new Keeper(hostMark) // ends the browser when this process is killed
  closers.push(async () => keeper.dismiss())
  const start = async () => {
    const chromium = await Chromium.start({
      env,
      flags: guard.flags,
      fontconfigFile: cellFontconfigFile(env),
      profileFolder: options.profileFolder,
      onFreshProfile: (folder) => keeper.removeLater(folder),
      mark: sessionMark(hostMark, 1),
    })
    await guard.watch(chromium.cdp)
    if (chromium.unsandboxed !== null) say(`the browser runs without a sandbox: ${chromium.unsandboxed}`)
    return chromium
  }
  const decoder = new FrameDecoder(options.workerSource)
  closers.push(async () => decoder.close())
  const page = await ChromiumPage.open({
    start,
    decoder,
    cols: options.cols ?? COLS_WEB_DEFAULT,
    rows: options.rows ?? ROWS_WEB_DEFAULT,
    scale: (options.zoomPercent ?? 100) / 100,
    checkUrl: (address) => guard.checkUrl(address),
  })
  closers.push(async () => page.close())
  page.observe({ trouble: (error) => say(messageOf(error)) })
  const methods = new AgentMethods({
    page,
    sessionId: randomBytes(6).toString('hex'),
    version: options.version,
    checkUrl: (address) => guard.checkUrl(address),
    problemAt: (address) => guard.problemAt(address),
    drawPng: options.drawPng,
  })
  const server = await AgentServer.listen(options.socketPath, methods, options.observer)
  closers.push(async () => server.close())
  if (url !== null) {
    page.navigate(url).catch((error: unknown) => say(messageOf(guard.problemAt(url) ?? error)))
  }
  return new WebHost(server, closers)
}

/** In reverse, each of them, whatever happens to the others. */
async function closeAll(closers: (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = []
  for (const close of closers.splice(0).toReversed()) {
    try {
      await close()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'the browser did not end in order')
}
