import { randomBytes } from 'node:crypto'
import { COLS_WEB_DEFAULT, ROWS_WEB_DEFAULT } from '@transom/protocol'
import { messageOf } from '../../../lib/system-error.ts'
import { Keeper } from '../../../platform/keeper.ts'
import { createHostMark, sessionMark } from '../../../platform/process-tree.ts'
import { FrameDecoder } from '../../../kinds/web/frame-decoder.ts'
import { GuardedPage } from '../../../kinds/web/guarded-page.ts'
import { UrlPolicy } from '../../../kinds/web/url-policy.ts'
import type { WebPage } from '../../../kinds/web/web-page.ts'
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
  /** Resolves, with the reason, when the browser has ended and could not be started again. */
  readonly whenLost: Promise<Error>
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

  constructor(server: AgentServer, page: WebPage, closers: (() => Promise<unknown>)[]) {
    this.whenLost = new Promise((resolve) => page.observe({ lost: resolve }))
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
  const policy = { allowHosts: options.allowHosts ?? [], onlyHosts: options.onlyHosts ?? [] }
  if (options.url !== undefined) new UrlPolicy(policy).checkNavigation(options.url)
  await claimAgentSocket(options.socketPath) // before anything is started for it
  const hostMark = createHostMark()
  const keeper = new Keeper(hostMark) // ends the browser when this process is killed
  closers.push(async () => keeper.dismiss())
  const decoder = new FrameDecoder(options.workerSource)
  closers.push(async () => decoder.close())
  const guarded = await GuardedPage.open({
    ...policy,
    env,
    cols: options.cols ?? COLS_WEB_DEFAULT,
    rows: options.rows ?? ROWS_WEB_DEFAULT,
    zoomPercent: options.zoomPercent,
    profileFolder: options.profileFolder,
    onFreshProfile: (folder) => keeper.removeLater(folder),
    mark: sessionMark(hostMark, 1),
    decoder,
    onUnsandboxed: (why) => say(`the browser runs without a sandbox: ${why}`),
  })
  closers.push(async () => guarded.close())
  guarded.page.observe({ trouble: (error) => say(messageOf(error)) })
  const methods = new AgentMethods({
    guarded,
    sessionId: randomBytes(6).toString('hex'),
    version: options.version,
    drawPng: options.drawPng,
  })
  const server = await AgentServer.listen(options.socketPath, methods, options.observer)
  closers.push(async () => server.close())
  const { url } = options
  if (url !== undefined) guarded.navigate(url).catch((error: unknown) => say(messageOf(error)))
  return new WebHost(server, guarded.page, closers)
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
