import * as path from 'node:path'
import { COLS_WEB_DEFAULT, ROWS_WEB_DEFAULT, type ParsedParams } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import type { Home } from '../home/home.ts'
import type { Manifest } from '../home/manifest.ts'
import type { ChildReaper } from '../platform/child-reaper.ts'
import { programEnvironment } from '../kinds/terminal/environment.ts'
import { checkProgram, checkWorkingFolder } from '../platform/program.ts'
import { integrateShell } from '../blocks/shells/integrate-shell.ts'
import type { FrameDecoder } from '../kinds/web/frame-decoder.ts'
import { UrlPolicy } from '../kinds/web/url-policy.ts'
import { checkViewport, checkZoom } from '../kinds/web/viewport-limits.ts'
import { BrowserProfile } from '../kinds/web/browser-profile.ts'
import type { SessionLimits } from './limits.ts'
import type { HomeUsage } from './quota.ts'
import type { Session } from './session.ts'
import { TerminalSession } from './terminal-session.ts'
import { WebSession } from './web-session.ts'

const BLANK_PAGE = 'about:blank'

/** What it takes to create a session; what is left open of the size is decided by its kind. */
export type SessionRequest = ParsedParams<'session.create'> & {
  /** The conversation whose shell it is, and how many blocks it has had. */
  readonly follows?: { readonly conversation: string; readonly lastOrdinal: number }
}

export interface PlanDependencies {
  readonly home: Home
  readonly reaper: ChildReaper
  readonly decoder: FrameDecoder
  readonly now: () => number
  readonly usage: HomeUsage
  /** The size of a terminal when nobody says. */
  readonly size: { readonly cols: number; readonly rows: number }
}

/** A session that can be started, as far as that can be told before it has a folder. */
export interface SessionPlan {
  readonly about: Pick<Manifest, 'kind' | 'command' | 'url' | 'cwd' | 'cols' | 'rows'>
  start(manifest: Manifest, limits: SessionLimits): Session
}

/** Throws for what cannot be started. */
export function planSession(
  id: string,
  request: SessionRequest,
  dependencies: PlanDependencies,
): SessionPlan {
  const kind = request.kind ?? (request.url === undefined ? 'terminal' : 'web')
  const foreign = Object.keys(request).filter((key) => FOREIGN[kind].includes(key))
  if (foreign.length > 0) {
    const message = `create: ${foreign.join(', ')} ${foreign.length === 1 ? 'is' : 'are'} not for a ${kind} session`
    throw new OpError('usage', message, { kind, parameters: foreign })
  }
  return kind === 'web' ? planWeb(request, dependencies) : planTerminal(id, request, dependencies)
}

/** The parameters that another kind of session takes. */
const FOREIGN: Readonly<Record<Manifest['kind'], readonly string[]>> = {
  terminal: ['url', 'allow_hosts', 'only_hosts', 'zoom', 'profile'] satisfies (keyof SessionRequest)[],
  web: ['command', 'env', 'login', 'norc', 'no_integration'] satisfies (keyof SessionRequest)[],
}

function planTerminal(id: string, request: SessionRequest, dependencies: PlanDependencies): SessionPlan {
  const cwd = request.cwd ?? process.cwd()
  const cols = request.cols ?? dependencies.size.cols
  const rows = request.rows ?? dependencies.size.rows
  checkWorkingFolder(cwd)
  const base = request.base_env ?? process.env
  const env = programEnvironment({ base, set: request.env ?? {}, session: id })
  const [program = '', ...argv] = request.command ?? [env['SHELL'] ?? '/bin/sh']
  checkProgram(program, cwd, env)
  return {
    about: { kind: 'terminal', command: [program, ...argv], cwd, cols, rows },
    start: (manifest, limits) => {
      const folder = path.join(dependencies.home.sessionFolder(id), 'shell')
      const { login = false, norc = false, follows } = request
      const integration = request.no_integration
        ? null
        : integrateShell({ program, argv, env, folder, login, norc, lean: follows !== undefined })
      const shell = integration ?? { argv, env }
      const mark = BigInt(manifest.process_mark)
      const pty = { program, argv: shell.argv, env: shell.env, cwd, cols, rows, mark }
      return TerminalSession.start(dependencies, manifest, { program: pty, limits, integration })
    },
  }
}

function planWeb(request: SessionRequest, dependencies: PlanDependencies): SessionPlan {
  const { cols = COLS_WEB_DEFAULT, rows = ROWS_WEB_DEFAULT, zoom, profile: profileName } = request
  checkViewport(cols, rows)
  if (zoom !== undefined) checkZoom(zoom)
  const allowHosts = request.allow_hosts ?? []
  const onlyHosts = request.only_hosts ?? []
  const policy = new UrlPolicy({ allowHosts, onlyHosts })
  const url = request.url === undefined ? BLANK_PAGE : policy.checkNavigation(request.url).href
  return {
    about: { kind: 'web', command: [], url, cwd: request.cwd ?? process.cwd(), cols, rows },
    start: (manifest, limits) => {
      const { home } = dependencies
      const profile =
        profileName === undefined
          ? BrowserProfile.own(home, manifest.session)
          : BrowserProfile.named(home, profileName)
      const env = request.base_env ?? process.env
      const parts = { url, env, zoomPercent: zoom, allowHosts, onlyHosts, profile, limits }
      return WebSession.start(dependencies, manifest, parts)
    },
  }
}
