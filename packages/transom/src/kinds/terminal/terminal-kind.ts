import * as path from 'node:path'
import { terminalOptions, type TerminalOptions } from '@transom/protocol'
import { integrateShell } from '../../blocks/shells/integrate-shell.ts'
import type { Home } from '../../home/home.ts'
import type { ChildReaper } from '../../platform/child-reaper.ts'
import { ISOLATED_HOME, findBubblewrap } from '../../platform/bubblewrap.ts'
import { checkProgram, checkWorkingFolder } from '../../platform/program.ts'
import type { CommonRequest, KindDefinition, KindRequest, SessionPlan } from '../../session/kind.ts'
import { cleanEnvironment, programEnvironment } from './environment.ts'
import {
  checkIsolatedFolder,
  checkIsolatedProgram,
  isolate,
  isolatedEnvironment,
  type IsolatedProgram,
} from './isolation.ts'
import type { PtyOptions } from './pty-source.ts'
import type { TerminalProjection } from './terminal-projection.ts'
import { TerminalSource } from './terminal-source.ts'
import { TERMINAL_VIEW } from './terminal-view.ts'

export interface TerminalServices {
  readonly home: Home
  readonly reaper: ChildReaper
  readonly now: () => number
  /** The default size of a terminal. */
  readonly size: { readonly cols: number; readonly rows: number }
}

/** A program on its own pty. */
export function terminalKind(
  services: TerminalServices,
): KindDefinition<TerminalOptions, TerminalProjection> {
  return {
    ...TERMINAL_VIEW,
    options: terminalOptions,
    isMeantBy: () => false, // the default: what a request means that names no other kind
    plan: (request) => planTerminal(request, services),
  }
}

function planTerminal(
  { id, common, options }: KindRequest<TerminalOptions>,
  { home, reaper, now, size }: TerminalServices,
): SessionPlan<TerminalProjection> {
  const cols = common.cols ?? size.cols
  const rows = common.rows ?? size.rows
  const { isolated = false } = options
  const place = isolated ? isolatedPlace(common, home) : openPlace(common)
  const env = programEnvironment({ base: place.env, set: options.env ?? {}, session: id })
  const [program = '', ...argv] = options.command ?? [env['SHELL'] ?? '/bin/sh']
  place.checkProgram(program, env)
  return {
    about: { command: [program, ...argv], cwd: place.cwd, cols, rows, ...(isolated && { isolated }) },
    created: { scrollback: options.scrollback },
    start: (start) => {
      const folder = path.join(home.sessionFolder(id), 'shell')
      const { login = false, norc = false } = options
      const lean = common.follows !== undefined
      const integration = options.no_integration
        ? null
        : integrateShell({ program, argv, env, folder, login, norc, lean })
      const shell = integration ?? { argv, env }
      const socket = start.manifest.host_socket
      const shellFolder = integration?.folder ?? null
      const run = place.run({ program, argv: shell.argv, shellFolder, socket })
      const pty = { ...run, env: shell.env, cols, rows, mark: BigInt(start.manifest.process_mark) }
      return new TerminalSource({ ...start, program: pty, isolated, integration, reaper, now })
    },
  }
}

/** Where a program runs, and what it sees there. */
interface Place {
  readonly cwd: string
  /** What its environment begins with. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Throws if the program is not there. */
  checkProgram(program: string, env: Record<string, string>): void
  /** What is started on the pty. */
  run(inner: Omit<IsolatedProgram, 'cwd' | 'homePath'>): Pick<PtyOptions, 'program' | 'argv' | 'cwd'>
}

function openPlace(common: CommonRequest): Place {
  const { cwd = process.cwd() } = common
  checkWorkingFolder(cwd)
  return {
    cwd,
    env: common.base_env ?? cleanEnvironment(process.env),
    checkProgram: (program, own) => checkProgram(program, cwd, own),
    run: ({ program, argv }) => ({ program, argv, cwd }),
  }
}

function isolatedPlace(common: CommonRequest, { path: homePath }: Home): Place {
  const cwd = common.cwd ?? null
  if (cwd !== null) checkIsolatedFolder(cwd, homePath)
  findBubblewrap(process.env)
  return {
    cwd: cwd ?? ISOLATED_HOME,
    env: isolatedEnvironment(common.base_env ?? process.env, cwd),
    checkProgram: (program, own) => checkIsolatedProgram(program, cwd, own),
    run: (inner) => ({ ...isolate({ ...inner, cwd, homePath }), cwd: '/' }), // bubblewrap itself enters the folder
  }
}
