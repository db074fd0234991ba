import * as path from 'node:path'
import { terminalOptions, type TerminalOptions } from '@transom/protocol'
import { integrateShell } from '../../blocks/shells/integrate-shell.ts'
import type { Home } from '../../home/home.ts'
import type { ChildReaper } from '../../platform/child-reaper.ts'
import { checkProgram, checkWorkingFolder } from '../../platform/program.ts'
import type { KindDefinition, KindRequest, SessionPlan } from '../../session/kind.ts'
import { cleanEnvironment, programEnvironment } from './environment.ts'
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
  const cwd = common.cwd ?? process.cwd()
  const cols = common.cols ?? size.cols
  const rows = common.rows ?? size.rows
  checkWorkingFolder(cwd)
  const base = common.base_env ?? cleanEnvironment(process.env)
  const env = programEnvironment({ base, set: options.env ?? {}, session: id })
  const [program = '', ...argv] = options.command ?? [env['SHELL'] ?? '/bin/sh']
  checkProgram(program, cwd, env)
  return {
    about: { command: [program, ...argv], cwd, cols, rows },
    created: { scrollback: options.scrollback },
    start: (start) => {
      const folder = path.join(home.sessionFolder(id), 'shell')
      const { login = false, norc = false } = options
      const lean = common.follows !== undefined
      const integration = options.no_integration
        ? null
        : integrateShell({ program, argv, env, folder, login, norc, lean })
      const shell = integration ?? { argv, env }
      const mark = BigInt(start.manifest.process_mark)
      const pty = { program, argv: shell.argv, env: shell.env, cwd, cols, rows, mark }
      return new TerminalSource({ ...start, program: pty, integration, reaper, now })
    },
  }
}
