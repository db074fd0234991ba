import * as path from 'node:path'
import type { Actor, Block, Result } from '@transom/protocol'
import { platform } from '../platform/current-platform.ts'
import type { AcceptedBlock } from './block-queue.ts'
import { waitForBlockEnd, type BlockSubject } from './block-waits.ts'

export type EndedWith = Result<'pty.end_session'>['ended_with']

/** How long a program may take to leave after each step. */
const STEP_MS = 1500

/** What programs that read commands leave by. */
const EXIT_COMMANDS: Readonly<Record<string, string>> = {
  bash: 'exit',
  sh: 'exit',
  dash: 'exit',
  zsh: 'exit',
  fish: 'exit',
  ksh: 'exit',
  python: 'exit()',
  python3: 'exit()',
  ipython: 'exit',
  node: '.exit',
  ruby: 'exit',
  irb: 'exit',
  sqlite3: '.quit',
  psql: '\\q',
  mysql: 'exit',
  gdb: 'quit',
  bc: 'quit',
  ftp: 'bye',
  sftp: 'bye',
}

/** The terminal of the session, as far as its program is ended through it. */
export interface InteractiveTerminal {
  input(text: string, options: { via: 'send'; actor: Actor }): number
  interrupt(actor: Actor): number
  signalProgram(signals: readonly NodeJS.Signals[], actor: Actor): void
  foregroundGroup(): number | null
}

interface Step {
  readonly with: EndedWith
  take(tty: InteractiveTerminal, actor: Actor): void
}

/**
 * Ends the program of an interactive session: by its own exit command when it is known to have one, else by Ctrl+C,
 * and with ever more force. Null if nothing helped.
 */
export async function endInteractive(
  { tty, blocks }: { tty: InteractiveTerminal; blocks: BlockSubject },
  block: AcceptedBlock,
  { actor, signal }: { actor: Actor; signal: AbortSignal },
): Promise<{ ended_with: EndedWith; block: Block } | null> {
  const exitCommand = EXIT_COMMANDS[programInFront(tty)] ?? null
  const steps = exitCommand === null ? [INTERRUPT, INTERRUPT, ...FORCE] : politeSteps(exitCommand)
  for (const step of steps) {
    step.take(tty, actor)
    const outcome = await waitForBlockEnd(blocks, block, { timeoutMs: STEP_MS, signal })
    if (outcome.is === 'ended') return { ended_with: step.with, block: outcome.block }
  }
  return null
}

const INTERRUPT: Step = { with: 'interrupt', take: (tty, actor) => void tty.interrupt(actor) }
const FORCE: readonly Step[] = [
  {
    with: 'terminate',
    take: (tty, actor) => {
      tty.interrupt(actor) // the terminal forgets what was typed and not read: the shell must not read it next
      tty.signalProgram(['SIGTERM', 'SIGHUP'], actor) // shells ignore the first
    },
  },
  { with: 'kill', take: (tty, actor) => tty.signalProgram(['SIGKILL'], actor) },
]

function politeSteps(command: string): Step[] {
  const exit: Step = {
    with: 'exit_command',
    take: (tty, actor) => void tty.input(`${command}\r`, { via: 'send', actor }),
  }
  // It may have been in the middle of something: Ctrl+C brings it back to its prompt.
  const again: Step = {
    with: 'exit_command',
    take: (tty, actor) => {
      tty.interrupt(actor)
      exit.take(tty, actor)
    },
  }
  return [exit, again, ...FORCE]
}

/** The name of the program that leads the foreground process group, without its version; empty if it is not known. */
function programInFront(tty: InteractiveTerminal): string {
  const group = tty.foregroundGroup()
  const file = group === null ? null : platform().programFile(group)
  return path.basename(file ?? '').replace(/[\d.]+$/, (version) => (version === '3' ? '3' : ''))
}
